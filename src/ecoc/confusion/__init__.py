"""What did the code promise each pair of classes, and what happened? The paper's pair-wise view on real samples."""

from ecoc.confusion.counting import confusion_report
from ecoc.confusion.report import ConfusedPair, ConfusionReport

__all__ = ["ConfusedPair", "ConfusionReport", "confusion_report"]
