"""Export classifiers to ONNX, so that they predict without Python."""

from ecoc.tool.onnx.export import to_onnx

__all__ = ["to_onnx"]
