"""What can one hand on? A model's behaviour on some samples as one HTML file that needs nothing else."""

import sys
from types import ModuleType
from typing import Any

from ecoc.report.model import model_sections, report
from ecoc.report.page import Section, page, scatter, table

__all__ = ["Section", "model_sections", "page", "report", "scatter", "table"]


class _Callable(ModuleType):
    """This module, which can be called: ``ecoc.report`` is the function, also once the module is imported."""

    def __call__(self, *args: Any, **options: Any) -> str:
        return report(*args, **options)


sys.modules[__name__].__class__ = _Callable
