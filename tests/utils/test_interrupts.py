"""Ctrl-C in compiled code is Ctrl-C, and a fit that fails leaves the model as it was."""

import pytest

from ecoc.utils.interrupts import all_at_once, interruptible


class Model:
    @all_at_once
    def fit(self, y):
        self.classes_ = sorted(set(y))
        self.per_class_ = 6 // (len(self.classes_) - 1)
        return self


def test_ctrl_c_in_compiled_code_is_not_taken_for_an_error():
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()


@pytest.mark.parametrize("error", [SystemError("other"), ValueError("other")])
def test_other_errors_stay_what_they_are(error):
    with pytest.raises(type(error), match="other"), interruptible():
        raise error


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = Model()
    assert model.fit([1, 2, 3]) is model
    with pytest.raises(ZeroDivisionError):
        model.fit([7])
    assert vars(model) == {"classes_": [1, 2, 3], "per_class_": 3}
    fresh = Model()
    with pytest.raises(ZeroDivisionError):
        fresh.fit([7])
    assert vars(fresh) == {}
