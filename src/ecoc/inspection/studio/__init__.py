"""The studio: see which classes need protection, say so, and watch the code and its certificate change."""

from ecoc.inspection.studio.widget import studio

__all__ = ["studio"]
