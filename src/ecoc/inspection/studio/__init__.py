"""The studio: a page on which to protect classes and watch the code and its certificate change."""

from ecoc.inspection.studio.widget import studio

__all__ = ["studio"]
