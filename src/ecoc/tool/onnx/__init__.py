"""Export classifiers to ONNX, so that they predict without Python."""

from ecoc.tool.onnx.export import to_onnx
from ecoc.tool.onnx.registration import register

__all__ = ["register", "to_onnx"]
