"""Read features and labels from a user's file, and write predictions to one."""

from ecoc.tool.tables.arff import parse_arff
from ecoc.tool.tables.doubts import DoubtfulColumnsWarning, doubtful_columns
from ecoc.tool.tables.formats import ENDINGS, read_table
from ecoc.tool.tables.matching import features_like, labels_like
from ecoc.tool.tables.matrices import read_costs, read_matrix
from ecoc.tool.tables.names import USUAL_TARGETS, Table, find_target
from ecoc.tool.tables.preparation import make_preparation, named
from ecoc.tool.tables.reading import Samples, drop_unlabelled, open_table, read_samples
from ecoc.tool.tables.writing import PREDICTION_ENDINGS, check_output, predictions_as, write_output

__all__ = [
    "ENDINGS",
    "PREDICTION_ENDINGS",
    "USUAL_TARGETS",
    "DoubtfulColumnsWarning",
    "Samples",
    "Table",
    "check_output",
    "doubtful_columns",
    "drop_unlabelled",
    "features_like",
    "find_target",
    "labels_like",
    "make_preparation",
    "named",
    "open_table",
    "parse_arff",
    "predictions_as",
    "read_costs",
    "read_matrix",
    "read_samples",
    "read_table",
    "write_output",
]
