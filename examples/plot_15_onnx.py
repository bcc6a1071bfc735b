"""
Does a model predict the same without Python?
=============================================

A model that was trained here may have to predict elsewhere: in a web page, on a phone, in a program in C. This example
exports a classifier to ONNX, runs the file by ONNX Runtime, and compares the probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from ecoc import ECOCClassifier, to_onnx

X, y = load_digits(return_X_y=True)
model = ECOCClassifier(SVC(), coding="ova", random_state=0).fit(X[:600], y[:600])

# %%
# `to_onnx` runs the graph on the samples that it gets, and returns it only if it predicts what the model predicts.

content = to_onnx(model, X[:600])
print(f"{len(content):,} bytes")

# %%
# Nothing of ecoc is needed from here on. The samples are new to the model and to the export.

session = onnxruntime.InferenceSession(content)
label, probabilities = session.run(None, {"X": X[600:].astype(np.float32)})
print("equal labels:", np.mean(label == model.predict(X[600:])))

# %%
# The input is in single precision. Probabilities differ in the sixth digit or later.

difference = np.abs(probabilities - model.predict_proba(X[600:])).max(axis=1)
plt.hist(np.log10(np.maximum(difference, 1e-12)), bins=30)
plt.xlabel("largest difference of a probability, as a power of 10")
plt.ylabel("samples")
plt.show()
