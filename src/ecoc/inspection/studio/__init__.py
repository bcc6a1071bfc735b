"""The studio: see which classes need protection, say so, and watch the code and its certificate change."""

from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.state import State
from ecoc.inspection.studio.subject import Subject
from ecoc.inspection.studio.widget import studio

__all__ = ["Session", "State", "Subject", "studio"]
