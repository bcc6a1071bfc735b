"""
What is a code book?
====================

A classifier for ten digits can be built from binary classifiers. A *code book* says which digits each binary
classifier has to separate. :class:`ecoc.ECOCClassifier` designs a code book from the data, trains the binary
classifiers, and predicts a digit from their outputs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

import ecoc
from ecoc.inspection import CodeBookDisplay, ColumnDisplay, DistanceDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)

# %%
# Fit it like any classifier. The coding :class:`ecoc.ECF` with ``n_columns=0.7`` asks for seven binary
# classifiers. One-vs-all would need ten, and one-vs-one 45.

model = ecoc.ECOCClassifier(SVC(C=10), coding=ecoc.ECF(n_columns=0.7), random_state=0)
model.fit(X_train, y_train)
print(f"{model.n_columns_} binary classifiers, accuracy {model.score(X_test, y_test):.1%}\n")
print(model.code_book_)

# %%
# Each row of the code book is the *codeword* of a digit. Each *column* is the task of one binary classifier: it
# separates the blue digits from the orange digits. The bar below a column shows how often its binary classifier was
# wrong on test digits.

figure, (above, below) = plt.subplots(2, 1, figsize=(6, 6), height_ratios=(2.2, 1), sharex=True, layout="constrained")
CodeBookDisplay.from_estimator(model, ax=above).ax_.set(ylabel="digit", xlabel="")
ColumnDisplay.from_estimator(model, X_test, y_test, ax=below, sort=False)
below.set_ylim(top=1.4 * below.get_ylim()[1])  # room for the legend
plt.show()

# %%
# Only the columns in which two codewords differ tell the two digits apart. The number of these columns is the distance
# *h*. The pair survives ⌊(*h* − 1) / 2⌋ wrong binary classifiers. The picture sorts the digits so that similar
# codewords are neighbours.

display = DistanceDisplay.from_estimator(model)
display.ax_.set_title("columns that tell two digits apart", fontsize=10)
plt.show()

# %%
# What happened on the test digits? For each pair, the report counts the samples for which some of these columns were
# wrong (*errors*), those that were still scored on the right side of the pair (*corrected*), and those that were
# predicted as the other digit (*made*).

report = ecoc.confusion_report(model, X_test, y_test)
print(report)

# %%
# For most test digits, all binary classifiers are right. Most of the other digits are still recognised. The distances
# alone do not promise that much: the decoding also uses how certain each binary classifier is.
