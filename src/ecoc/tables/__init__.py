"""What does a model take of a table? Columns by name, as numbers or text, and back again as predictions."""

from ecoc.tables.preparation import make_preparation, named
from ecoc.tables.reading import (
    USUAL_TARGETS,
    Samples,
    features_like,
    labels_like,
    open_table,
    read_matrix,
    read_samples,
)
from ecoc.tables.writing import PREDICTION_ENDINGS, check_output, predictions_as, write_output

__all__ = [
    "PREDICTION_ENDINGS",
    "USUAL_TARGETS",
    "Samples",
    "check_output",
    "features_like",
    "labels_like",
    "make_preparation",
    "named",
    "open_table",
    "predictions_as",
    "read_matrix",
    "read_samples",
    "write_output",
]
