"""Read features and labels from a user's file, and write predictions to one."""

from ecoc.tool.tables.cells import USUAL_TARGETS, find_target
from ecoc.tool.tables.formats import ENDINGS, parse_arff, read_table
from ecoc.tool.tables.letters import load_letters

__all__ = ["ENDINGS", "USUAL_TARGETS", "find_target", "load_letters", "parse_arff", "read_table"]
