"""Answer the requests of a page (designs, predictions, training), whatever host is in between."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.studio.certificate import DRAFT, FINAL, certify, from_words, nearest_length, words
from ecoc.inspection.studio.export import command_words, python_lines
from ecoc.inspection.studio.prediction import Prediction
from ecoc.inspection.studio.state import State
from ecoc.inspection.studio.subject import Subject
from ecoc.inspection.studio.training import Job, Training

Tell = Callable[[dict[str, Any]], None]
IsCancelled = Callable[[], bool]


class Session:
    """A subject with its page: requests in, answers out, both as JSON.

    Parameters
    ----------
    subject : Subject
        Classes, samples and model.
    quote : callable, default=" ".join
        Makes one line of the words of a command.
    trained : callable, default=None
        Called with every model that was trained; returns a sentence for the page.
    changed : callable, default=None
        Returns a sentence if the table or model has changed since the session began, or "".

    Examples
    --------
    >>> from ecoc.inspection.studio.session import Session
    >>> from ecoc.inspection.studio.subject import Subject
    >>> session = Session(Subject.from_distances([[0, 1, 2], [1, 0, 2], [2, 2, 0]]))
    >>> answers = []
    >>> session.answer({"ask": "design", "state": {"wishes": [["0", "1", "apart"]]}}, answers.append)
    >>> [answer["stage"] for answer in answers], answers[-1]["valid"]
    (['draft', 'final'], True)
    """

    def __init__(
        self,
        subject: Subject,
        quote: Callable[[list[str]], str] = " ".join,
        trained: Callable[[Any], str] | None = None,
        changed: Callable[[], str] | None = None,
    ) -> None:
        self.subject = subject
        self.model: Any = None
        self._quote, self._trained, self._changed = quote, trained, changed
        self._prediction = Prediction(subject)
        self._training: Training | None = None
        self._lock = threading.Lock()
        self._asks: Mapping[str, Callable[..., None]] = {
            "design": self._design,
            "predict": self._predict,
            "train": self._train,
            "training": self._follow,
            "stop training": self._stop,
        }

    def facts(self) -> dict[str, Any]:
        """Return everything that stays the same while a page is open."""
        subject = self.subject
        labels = [str(label) for label in subject.labels]
        upper = [float(f"{value:.4g}") for i, row in enumerate(subject.distances) for value in row[i + 1 :]]
        start = None if subject.codebook is None else words(subject.codebook.matrix)
        return {
            "labels": labels,
            "names": subject.names,
            "order": subject.order,
            "places": subject.places,
            "first_view": subject.first_view,
            "distances": upper,
            "distances_from": subject.distances_from,
            "source": subject.source,
            "learner": subject.learner,
            "cannot_train": subject.cannot_train,
            "has_samples": subject.samples is not None,
            "start_code": start,
            "allocation": State.allocation,
        }

    def answer(self, request: Mapping[str, Any], tell: Tell, is_cancelled: IsCancelled = lambda: False) -> None:
        """Answer a request with one or more messages; a user error is also a message."""
        ask, number = request.get("ask"), request.get("id")

        def send(message: dict[str, Any]) -> None:
            tell({"id": number, "ask": ask, **message})

        handler = self._asks.get(str(ask))
        if handler is None:
            send({"stage": "error", "error": f"unknown request {str(ask)!r:.80}; reload the page."})
            return
        try:
            handler(request, send, is_cancelled)
        except (ValueError, TypeError, MemoryError) as error:
            send({"stage": "error", "error": str(error) or "not enough memory; try fewer classes or samples."})

    def snapshot(self, state: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return facts and answers for a page without a server."""
        answers: list[dict[str, Any]] = []
        request = {"state": dict(state or {}), "id": 0}
        for ask in ("design", "predict"):
            self.answer({"ask": ask, **request}, answers.append)
        return {"facts": self.facts() | {"cannot_train": "This page is a copy: nothing is computed in it."}} | {
            "answers": [answer for answer in answers if answer["stage"] != "draft"],
            "state": State.read(request["state"], self.subject.labels).as_json(self.subject.labels),
        }

    def _state(self, request: Mapping[str, Any]) -> State:
        return State.read(request.get("state") or {}, self.subject.labels)

    def _design(self, request: Mapping[str, Any], send: Tell, is_cancelled: IsCancelled) -> None:
        """Send a draft of the code and its certificate at once, then the result of a longer search."""
        state = self._state(request)
        reference = from_words(request.get("reference"), len(self.subject.labels))
        notes = [*state.notes, *filter(None, [self._changed() if self._changed is not None else ""])]
        draft = certify(self.subject, state, DRAFT, reference, is_cancelled)
        if is_cancelled():
            return
        send({"stage": "draft", "notes": notes, **draft})
        final = certify(self.subject, state, FINAL, reference, is_cancelled)
        if is_cancelled():
            return
        n_columns = final["n_columns"]
        if any(not row[5] for row in final.get("wishes", ())):
            final["could"] = nearest_length(self.subject, state, n_columns, is_cancelled)
        final["python"] = python_lines(self.subject, state, n_columns)
        final["command"] = self._quote(command_words(self.subject))
        if not is_cancelled():
            send({"stage": "final", "notes": notes, **final})

    def _predict(self, request: Mapping[str, Any], send: Tell, is_cancelled: IsCancelled) -> None:
        """Send confusions of held-out samples, then predicted accuracies, point by point."""
        with self._lock:  # the outputs are computed once
            confusions = self._prediction.confusions
        if confusions is not None:
            send({"stage": "confusions", **confusions})
        for point in self._prediction.curve(self._state(request), is_cancelled):
            send({"stage": "point", **point})
        if not is_cancelled():
            send({"stage": "done"})

    def _train(self, request: Mapping[str, Any], send: Tell, is_cancelled: IsCancelled) -> None:
        """Start training with the code of the page, unless training is already running; then follow it."""
        if self.subject.cannot_train:
            raise ValueError(self.subject.cannot_train)
        samples, labels = self.subject.samples, self.subject.labels
        assert samples is not None
        code = from_words(request.get("code"), len(labels))
        if code is None:
            raise ValueError("there is no code to train with yet; wait for the certificate.")
        state = self._state(request)
        with self._lock:
            if self._training is not None and not self._training.is_over:
                send({"stage": "progress", "share": 0.0, "text": "another tab trains already; this is its progress"})
            else:
                pairs = sorted(pair for pair in {*state.wishes, *state.demands} if state.wishes.get(pair) != "ignore")
                job = Job(
                    self._before(),
                    self.subject.with_code(CodeBook(code, labels)),
                    samples.X,
                    samples.y,
                    labels,
                    pairs[:50],
                )
                self._training = Training(job)
        self._follow(request, send, is_cancelled)

    def _before(self) -> Any:
        """Return the model to compare the new code with: the original model, or the code without wishes."""
        if self.subject.codebook is not None:
            return self.subject.template
        return self.subject.with_code(self.code_book(certify(self.subject, State())["code"]))

    def _follow(self, request: Mapping[str, Any], send: Tell, is_cancelled: IsCancelled) -> None:
        """Send the progress and the result of the running training, or of the last one."""
        training = self._training
        if training is None:
            send({"stage": "none"})
            return
        for message in training.follow(is_cancelled):
            if message["stage"] == "done" and self.model is not training.model:
                self.model = training.model
                message["saved"] = "" if self._trained is None else self._trained(self.model)
            send(message)

    def _stop(self, request: Mapping[str, Any], send: Tell, is_cancelled: IsCancelled) -> None:
        if self._training is not None:
            self._training.stop()
        send({"stage": "done"})

    def code_book(self, code: list[str]) -> CodeBook:
        """Return a code book from the texts of its codewords."""
        matrix = from_words(code, len(self.subject.labels))
        assert matrix is not None
        return CodeBook(matrix, self.subject.labels)

    def close(self) -> None:
        """End a running training."""
        if self._training is not None and not self._training.is_over:
            self._training.stop()
