"""Report a model as one HTML file that needs nothing else."""

from ecoc.inspection.reporting.model import Limits, model_sections, report
from ecoc.inspection.reporting.page import Section, page, scatter, table

__all__ = ["Limits", "Section", "model_sections", "page", "report", "scatter", "table"]
