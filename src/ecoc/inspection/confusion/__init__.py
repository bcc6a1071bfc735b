"""Compare the correction that the code promises each pair of classes with the confusions on real samples."""

from ecoc.inspection.confusion.cost_reports import CostReport, cost_report, cost_scorer
from ecoc.inspection.confusion.counting import confusion_report
from ecoc.inspection.confusion.report import ConfusedPair, ConfusionReport

__all__ = ["ConfusedPair", "ConfusionReport", "CostReport", "confusion_report", "cost_report", "cost_scorer"]
