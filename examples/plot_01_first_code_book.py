"""
Who is against whom? A first code book
======================================

A classifier for ten digits can be put together from binary ones. A *code book* says which digits each of them has to
tell from which others, and :class:`ecoc.ECOCClassifier` designs one from the data, trains the binary models and
decides between the digits.
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
# Fit it as any classifier. The default coding is :class:`ecoc.ECF`; a share of 0.7 asks for seven binary models,
# where one-vs-all would need ten and one-vs-one 45.

model = ecoc.ECOCClassifier(SVC(C=10), coding=ecoc.ECF(n_columns=0.7), random_state=0)
model.fit(X_train, y_train)
print(f"{model.n_columns_} binary models, accuracy {model.score(X_test, y_test):.1%}\n")
print(model.code_book_)

# %%
# A row of the code book is the *codeword* of a digit, a column is a *dichotomy*: digits in blue against digits in
# orange. Below each dichotomy stands how often its model was wrong on digits that it had not seen.

figure, (above, below) = plt.subplots(2, 1, figsize=(6, 6), height_ratios=(2.2, 1), sharex=True, layout="constrained")
CodeBookDisplay.from_estimator(model, ax=above).ax_.set(ylabel="digit", xlabel="")
ColumnDisplay.from_estimator(model, X_test, y_test, ax=below, sort=False)
below.set_ylim(top=1.4 * below.get_ylim()[1])  # room for the legend
plt.show()

# %%
# Two digits are told apart by the columns in which their codewords differ. The more there are, the more wrong models
# the pair survives: at distance *h* it is ⌊(*h* − 1) / 2⌋. Digits with similar codewords stand side by side here.

display = DistanceDisplay.from_estimator(model)
display.ax_.set_title("columns that tell two digits apart", fontsize=10)
plt.show()

# %%
# What became of it on the test digits? The report counts, for each pair, the samples for which some of these columns
# were wrong (*errors*), those that the code repaired (*corrected*), and those that were taken for the other digit
# (*made*).

report = ecoc.confusion_report(model, X_test, y_test)
print(report)

# %%
# Few digits have any model wrong, and most of these are recognised all the same. The distances alone do not promise
# that much: the decoding also weighs how sure each model is.
