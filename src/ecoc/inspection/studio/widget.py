"""Show the studio in a notebook, as a widget for any host of anywidget."""

import threading
from functools import cache
from typing import Any

import numpy as np

from ecoc.inspection.studio.page import source
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject
from ecoc.utils.optional import optional


def studio(*given: Any, learner: Any = None) -> Any:
    """Open the studio in a notebook: see classes, say which pairs to protect, and watch the code and its certificate.

    The page shows the classes on a map and as a matrix, with confusions on held-out samples; wishes for pairs, which
    you change by a click; the code book; and its certificate: objective, lower bound, distances, and the wishes that no
    code can meet. It trains with the code and compares before and after. Everything works with the keyboard, too. It
    needs the package anywidget: ``pip install 'ecoc[studio]'``. :doc:`/studio` explains the page, and the command
    ``ecoc studio`` shows the same page in a browser.

    Parameters
    ----------
    *given : X and y; or a fitted model; or a fitted model, X and y; or a matrix of distances
        Samples and labels of 3 to 300 classes. Or a fitted ECOCClassifier, or a pipeline or search that ends in one.
        With samples, preferably new to the model, its confusions are measured on them, and it can be trained again. Or
        distances between classes, as :func:`ecoc.class_distances` returns; the index of a DataFrame has the labels.
    learner : estimator, default=None
        With X and y: the binary classifier to train, or an ECOCClassifier, or a pipeline that ends in one. None: an
        SVC.

    Returns
    -------
    anywidget.AnyWidget
        The widget. `model` is the model that was trained in the page, or None; `code_book` the code that the page
        shows; and `state` your requests, which you can give to another studio.

    See Also
    --------
    ecoc.factorize : Factorize a design without the page.
    ecoc.report : Write a page about how a model behaves.

    Examples
    --------
    >>> import ecoc
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> widget = ecoc.studio(X, y)  # the last line of a notebook's cell shows it
    >>> widget.model is None  # until “Train” is pressed in the page
    True
    """
    return _widget_class()(Session(make_subject(given, learner)))


def make_subject(given: tuple[Any, ...], learner: Any = None) -> Subject:
    """Find out what the studio was given."""
    if given and hasattr(given[0], "predict"):
        if learner is not None:
            raise TypeError("a model has its learner already; leave out learner=, or give X and y without the model.")
        if len(given) in (1, 3):
            return Subject.from_model(*given)
    elif len(given) == 2:
        return Subject.from_samples(*given, learner=learner)
    elif len(given) == 1 and np.ndim(given[0]) == 2:
        return Subject.from_distances(given[0])
    raise TypeError(
        "the studio takes X and y; or a fitted model; or a fitted model, X and y; or a square matrix of distances. "
        f"Got {len(given)} positional arguments."
    )


@cache
def _widget_class() -> Any:
    """Make the class of widgets, which needs anywidget."""
    anywidget = optional("anywidget", "the studio in a notebook needs anywidget", "'ecoc[studio]'")
    traitlets = optional("traitlets", "the studio in a notebook needs anywidget", "'ecoc[studio]'")

    class StudioWidget(anywidget.AnyWidget):  # type: ignore[misc,name-defined]
        """A studio in a notebook."""

        _esm, _css = source("studio.js"), source("studio.css")
        facts = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)
        request = traitlets.Dict().tag(sync=True)
        reply = traitlets.Dict().tag(sync=True)
        trouble = traitlets.Unicode().tag(sync=True)
        readonly = traitlets.Bool(False).tag(sync=True)
        parts = traitlets.List(None, allow_none=True).tag(sync=True)
        answers = traitlets.List().tag(sync=True)
        cut = traitlets.Int(None, allow_none=True).tag(sync=True)

        def __init__(self, session: Session) -> None:
            self._session = session
            self._running: dict[str, threading.Event] = {}
            self._code: Any = None
            super().__init__(facts=session.facts())
            self.observe(self._ask, names="request")

        @property
        def model(self) -> Any:
            """The model that was trained in the page, or None."""
            return self._session.model

        @property
        def code_book(self) -> Any:
            """The code that the page shows, or None before the first one."""
            return None if self._code is None else self._session.code_book(self._code)

        def _ask(self, change: Any) -> None:
            request = dict(change["new"])
            number = str(request.get("id"))
            if request.get("ask") == "cancel":
                if (event := self._running.get(number)) is not None:
                    event.set()
                return
            event = self._running[number] = threading.Event()

            def work() -> None:
                try:
                    self._session.answer(request, self._tell, event.is_set)
                finally:
                    self._running.pop(number, None)

            threading.Thread(target=work, daemon=True).start()

        def _tell(self, message: dict[str, Any]) -> None:
            if message.get("code"):
                self._code = message["code"]
            self.reply = message

    return StudioWidget
