"""Train the columns as one multi-label model of XGBoost, or one by one where the models would differ.

One model has a tree for each column in every round. These trees are those of separate training: binned features, the
intercept and the gradients of a column depend on this column alone.
"""

import json
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ecoc.training.binary import ColumnModel, Constant, seeded_clone
from ecoc.training.boosters import STOPPING_SHARE
from ecoc.training.boosting import Boosted, BoostedDichotomizers, BoosterModel, BoostingTraining
from ecoc.training.interfaces import Array, CoarseBins, Task
from ecoc.training.parallel import n_workers
from ecoc.training.separate import columns_to_train
from ecoc.utils.folds import make_folds

_LEAST_PROBABILITY = 1e-16  # of XGBoost's log-loss


def can_join(estimator: Any) -> bool:
    """Tell whether XGBoost has an intercept for each output, and stops by a loss that we compute for each output."""
    import xgboost

    recent = tuple(map(int, xgboost.__version__.split(".")[:2])) >= (3, 1)
    return recent and (estimator.early_stopping_rounds is None or estimator.eval_metric in (None, "logloss"))


class Column(NamedTuple):
    """One output of a booster: its intercept, and its trees of each round, as XGBoost writes them."""

    base_score: str
    rounds: list[list[dict[str, Any]]]


class Outputs:
    """A booster of XGBoost with an output for each of some columns.

    Parameters
    ----------
    booster : xgboost.Booster
        Trained.
    n_rounds : list of int
        Number of rounds of each output. Trees of later rounds have no effect.
    missing : float
        What stands for a missing value.
    n_threads : int or None
        Threads for prediction.
    """

    def __init__(self, booster: Any, n_rounds: list[int], missing: float, n_threads: int | None) -> None:
        self.booster = booster
        self.n_rounds = n_rounds
        self.missing = missing
        self.n_threads = n_threads

    def margins(self, X: Any) -> Array:
        """Return the log-odds of every column."""
        try:
            outputs = self.booster.inplace_predict(X, predict_type="margin", missing=self.missing)
        except TypeError:  # of data that only a DMatrix takes; XGBClassifier does the same
            import xgboost

            data = xgboost.DMatrix(X, missing=self.missing, nthread=self.n_threads, enable_categorical=True)
            outputs = self.booster.predict(data, output_margin=True)
        return np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)

    @cached_property
    def _read(self) -> tuple[dict[str, Any], list[Column]]:
        """The model as XGBoost writes it, without trees; and its columns."""
        model = json.loads(self.booster.save_raw("json"))
        learner = model["learner"]
        boosting = learner["gradient_booster"]["model"]
        base_scores = learner["learner_model_param"]["base_score"].strip("[]").split(",")
        trees, groups, starts = (boosting.pop(name) for name in ("trees", "tree_info", "iteration_indptr"))
        columns = [Column(base_score, [[] for _ in starts[1:]]) for base_score in base_scores]
        for i, (start, end) in enumerate(pairwise(starts)):
            for tree, group in zip(trees[start:end], groups[start:end]):
                columns[group].rounds[i].append(tree)
        return model, [Column(base_score, rounds[:n]) for (base_score, rounds), n in zip(columns, self.n_rounds)]

    @property
    def columns(self) -> list[Column]:
        """The columns, read from the booster."""
        return self._read[1]

    def with_columns(self, columns: list[Column]) -> "Outputs":
        """Return a booster of these columns."""
        import xgboost

        model = deepcopy(self._read[0])
        learner = model["learner"]
        boosting = learner["gradient_booster"]["model"]
        trees: list[dict[str, Any]] = []
        groups: list[int] = []
        starts = [0]
        n_trees = int(boosting["gbtree_model_param"]["num_parallel_tree"])
        for i in range(max(len(column.rounds) for column in columns)):
            for group, column in enumerate(columns):
                more = column.rounds[i] if i < len(column.rounds) else [_nothing(column.rounds[0][0])] * n_trees
                trees += [{**tree, "id": len(trees) + k} for k, tree in enumerate(more)]
                groups += [group] * len(more)
            starts.append(len(trees))
        boosting.update(trees=trees, tree_info=groups, iteration_indptr=starts)
        boosting["gbtree_model_param"]["num_trees"] = str(len(trees))
        learner["learner_model_param"]["base_score"] = f"[{','.join(column.base_score for column in columns)}]"
        learner["learner_model_param"]["num_target"] = str(len(columns))
        learner["attributes"] = {}
        booster = xgboost.Booster(model_file=bytearray(json.dumps(model), "ascii"))
        if self.n_threads is not None:
            booster.set_param({"nthread": self.n_threads})
        return Outputs(booster, [len(column.rounds) for column in columns], self.missing, self.n_threads)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_read"}


def _nothing(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree like this one that is one leaf with the value 0."""
    one = {name: value[:1] if isinstance(value, list) else value for name, value in tree.items()}
    one.update({name: [] for name in one if name.startswith("categories")})
    one.update(left_children=[-1], right_children=[-1], split_conditions=[0.0], base_weights=[0.0], split_type=[0])
    return {**one, "tree_param": {**tree["tree_param"], "num_nodes": "1", "num_deleted": "0"}}


class XGBoostModel(ColumnModel):
    """The booster of one column: an output of a booster of several columns.

    Parameters
    ----------
    outputs : Outputs
        The booster of several columns.
    place : int
        The column's place among them.
    """

    predict_proba = BoosterModel.predict_proba

    def __init__(self, outputs: Outputs, place: int) -> None:
        self.outputs = outputs
        self.place = place

    def decision_function(self, X: Any) -> Array:
        """Return log-odds."""
        return self.outputs.margins(X)[:, self.place]

    @property
    def missing(self) -> float:
        """What stands for a missing value."""
        return self.outputs.missing

    @property
    def booster(self) -> Any:
        """A booster with this column as its only output."""
        return joined([self])[0].outputs.booster


def joined(models: list[Any]) -> list[Any]:
    """Return the models as outputs of one booster; constant models stay."""
    real = [model for model in models if not isinstance(model, Constant)]
    if not real:
        return models
    outputs = real[0].outputs
    if [model.place for model in real] != list(range(len(outputs.n_rounds))) or any(
        model.outputs is not outputs for model in real
    ):
        outputs = outputs.with_columns([model.outputs.columns[model.place] for model in real])
    places = iter(range(len(real)))
    return [model if isinstance(model, Constant) else XGBoostModel(outputs, next(places)) for model in models]


class XGBoostDichotomizers(BoostedDichotomizers):
    """Columns that are outputs of one booster, or of a few."""

    def margins(self, X: Any) -> Array:
        """Return log-odds, from one booster after the other."""
        made: dict[int, Array] = {}
        first = getattr(self.models[0], "outputs", None)
        ours = [m.place for m in self.models if not isinstance(m, Constant) and m.outputs is first]
        if first is not None and ours == list(range(len(self.models))) == list(range(len(first.n_rounds))):
            return np.asarray(first.margins(X)[:, self.model_of] * self.signs)
        each = []
        for model in self.models:
            if isinstance(model, Constant):
                each.append(model.decision_function(X))
                continue
            if id(model.outputs) not in made:
                made[id(model.outputs)] = model.outputs.margins(X)
            each.append(made[id(model.outputs)][:, model.place])
        return np.column_stack(each)[:, self.model_of] * self.signs

    def first(self, n_columns: int) -> "XGBoostDichotomizers":
        """Return the models of the first columns, without the trees of the others."""
        part = super().first(n_columns)
        return XGBoostDichotomizers(joined(part.models), part.model_of, part.signs)

    def __getstate__(self) -> dict[str, Any]:
        """Name each booster once, because skops writes an object as often as it is named."""
        outputs = list({id(m.outputs): m.outputs for m in self.models if not isinstance(m, Constant)}.values())
        at = {id(each): i for i, each in enumerate(outputs)}
        places = [[-1, m.side] if isinstance(m, Constant) else [at[id(m.outputs)], m.place] for m in self.models]
        return {"outputs": outputs, "places": places, "model_of": self.model_of, "signs": self.signs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        outputs, places = state["outputs"], state["places"]
        models = [Constant(place) if i < 0 else XGBoostModel(outputs[i], place) for i, place in places]
        super().__init__(models, state["model_of"], state["signs"])


class XGBoostTraining(BoostingTraining):
    """Train XGBClassifier column by column, on one matrix of binned features."""

    makes = XGBoostDichotomizers

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        return 0.0 if estimator.early_stopping_rounds is None else STOPPING_SHARE

    @classmethod
    def prepared(cls, estimator: Any, part: Task, stop: Task | None) -> tuple[Any, Any]:
        """Bin the features once."""
        import xgboost

        options = {
            "missing": estimator.missing,
            "max_bin": estimator.max_bin,
            "nthread": estimator.n_jobs,
            "enable_categorical": estimator.enable_categorical,
            "feature_types": estimator.feature_types,
        }
        train = xgboost.QuantileDMatrix(part.X, weight=part.sample_weight, **options)
        if stop is None:
            return train, None
        return train, xgboost.QuantileDMatrix(stop.X, weight=stop.sample_weight, ref=train, **options)

    @classmethod
    def boost(cls, estimator: Any, prepared: tuple[Any, Any], labels: Any, stop_labels: Any, seen: bool) -> Boosted:
        """Train a booster as XGBClassifier does."""
        import xgboost

        train, stop = prepared
        train.set_label(labels)
        if stop is None:
            booster, margins = boosted(estimator, train, seen)
            outputs = None if margins is None else margins.ravel()
        else:
            stop.set_label(stop_labels)
            with xgboost.config_context(verbosity=estimator.verbosity):
                booster = xgboost.train(
                    parameters_of(estimator),
                    train,
                    estimator.get_num_boosting_rounds(),
                    evals=[(stop, "validation_0")],
                    early_stopping_rounds=estimator.early_stopping_rounds,
                    verbose_eval=False,
                )
            booster, outputs = booster[: booster.best_iteration + 1], None
        return Boosted(
            XGBoostModel(of_every_round(estimator, booster, 1), 0),
            outputs,
        )


class MultiLabelTraining(XGBoostTraining):
    """Train XGBClassifier with a label for each column; each of several workers trains a part of the columns."""

    def together(self, places: list[int]) -> list[list[int]]:
        """Return the columns that a worker trains together: all of its columns."""
        n_parts = min(n_workers(self.options), len(places))
        return [part.tolist() for part in np.array_split(places, n_parts)]

    def _fit(self, *, seen: bool) -> tuple[BoostedDichotomizers, list[Array | None]]:
        """Train as usual, with coarse bins if they suffice."""
        bins, self.options = self.options.bins, replace(self.options, bins=None)
        if bins is not None and self.estimator.max_bin is None and self.suffices(bins):
            self.estimator = self.with_bins(bins.n_bins)
            self.remark = f", with {bins.n_bins} bins for each feature"
        return super()._fit(seen=seen)

    def suffices(self, bins: CoarseBins) -> bool:
        """Tell whether coarse bins are worth a trial, and predict the columns as well."""
        coarse, task = self.with_bins(bins.n_bins), self.task
        columns = columns_to_train(self.estimator, task.code)[0]
        in_all = self.estimator.get_num_boosting_rounds() * len(columns)
        if coarse.max_bin is None or bins.n_rounds * bins.n_columns > bins.share * in_all:
            return False
        rest, half = make_folds(2, task.y, self.options.seed(0) if self.options.seeds is not None else 0)[0]
        sides, part, losses = task.code[:, columns[: bins.n_columns]] > 0, task.part(half), []
        for estimator in (self.estimator, coarse):
            estimator = seeded_clone(estimator, None).set_params(
                n_estimators=bins.n_rounds, learning_rate=bins.learning_rate, early_stopping_rounds=None
            )
            train, _ = self.prepared(estimator, part, None)
            train.set_label(sides[part.y])
            booster, _ = boosted(estimator, train, seen=False)
            margins = of_every_round(estimator, booster, sides.shape[1]).margins(task.part(rest).X)
            losses.append(log_losses(margins, sides[task.y[rest]]).mean())
        return bool(losses[1] <= (1 + bins.tolerance) * losses[0])

    @classmethod
    def joined(cls, models: list[Any]) -> list[Any]:
        """Return the models of several workers as one."""
        return joined(models)

    @classmethod
    def boost_together(
        cls, estimator: Any, seeds: list[int | None], prepared: Any, labels: Any, stop_labels: Any, seen: bool
    ) -> list[Boosted]:
        """Train a booster with an output for each column; all have the first seed, since nothing is drawn at random."""
        estimator, (train, stop) = seeded_clone(estimator, seeds[0]), prepared
        if stop is not None:
            outputs, margins = stopped_early(estimator, train, stop, labels, stop_labels), None
        else:
            train.set_label(labels)
            booster, margins = boosted(estimator, train, seen)
            outputs = of_every_round(estimator, booster, len(seeds))
        return [
            Boosted(XGBoostModel(outputs, j), None if margins is None else margins[:, j]) for j in range(len(seeds))
        ]


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of XGBoost for an XGBClassifier."""
    metric = {} if estimator.eval_metric is None else {"eval_metric": estimator.eval_metric}
    return {**estimator.get_xgb_params(), **metric}


def boosted(estimator: Any, train: Any, seen: bool) -> tuple[Any, Array | None]:
    """Return a booster of all rounds; if `seen`, also its log-odds for the samples, one column for each label."""
    import xgboost

    # What xgboost.train does, which forgets the margins of the training samples at its end.
    with xgboost.config_context(verbosity=estimator.verbosity):
        booster = xgboost.Booster(parameters_of(estimator), [train])
        for round_ in range(estimator.get_num_boosting_rounds()):
            booster.update(train, iteration=round_)
        margins = None
        if seen:
            margins = np.asarray(booster.predict(train, output_margin=True), dtype=np.float64)
            margins = margins.reshape(len(margins), -1)
    return booster.reset() if hasattr(booster, "reset") else booster.copy(), margins  # which frees memory


def of_every_round(estimator: Any, booster: Any, n_outputs: int) -> Outputs:
    """Return a booster with as many rounds for each output."""
    return Outputs(booster, [booster.num_boosted_rounds()] * n_outputs, estimator.missing, estimator.n_jobs)


def stopped_early(estimator: Any, train: Any, stop: Any, labels: Any, stop_labels: Any) -> Outputs:
    """Train until no column gains from a further round, and keep the best rounds of each column.

    When half of the columns have stopped, a booster for the others goes on from their margins.
    """
    import xgboost

    patience, n_rounds = estimator.early_stopping_rounds, estimator.get_num_boosting_rounds()
    n_columns, weight = labels.shape[1], stop.get_weight() if stop.get_weight().size else None
    least, best = np.full(n_columns, np.inf), np.zeros(n_columns, dtype=np.int64)
    going, first, found = np.arange(n_columns), 0, [Column("", []) for _ in range(n_columns)]
    starts: tuple[Any, Any] = (np.empty(0), np.empty(0))
    while len(going) and first < n_rounds:
        for data, of_all, start in ((train, labels, starts[0]), (stop, stop_labels, starts[1])):
            data.set_label(of_all[:, going])
            data.set_base_margin(start)
        with xgboost.config_context(verbosity=estimator.verbosity):
            booster = xgboost.Booster(parameters_of(estimator), [train, stop])
            goes_on = np.ones(len(going), dtype=bool)
            for round_ in range(first, n_rounds):
                booster.update(train, iteration=round_)
                margins = booster.predict(stop, output_margin=True).reshape(len(stop_labels), -1)
                losses = np.average(log_losses(margins, stop_labels[:, going]), axis=0, weights=weight)
                better = goes_on & (losses < least[going])
                least[going[better]], best[going[better]] = losses[better], round_
                goes_on &= round_ - best[going] < patience
                if 2 * goes_on.sum() <= len(going):
                    break
            seen = booster.predict(train, output_margin=True).reshape(len(labels), -1)
        outputs = of_every_round(estimator, booster.reset(), len(going))
        for j, column in zip(going, outputs.columns):
            found[j] = Column(found[j].base_score or column.base_score, found[j].rounds + column.rounds)
        starts = (seen[:, goes_on], margins[:, goes_on])
        going, first = going[goes_on], round_ + 1
    return outputs.with_columns([Column(each.base_score, each.rounds[: end + 1]) for each, end in zip(found, best)])


def log_losses(margins: Any, labels: Any) -> Array:
    """Return the log-losses of single-precision margins, as XGBoost computes them."""
    p = 1 / (1 + np.exp(-margins.astype(np.float32)))
    right = np.where(labels > 0, p, 1 - p)
    return np.asarray(-np.log(np.maximum(right.astype(np.float64), _LEAST_PROBABILITY)))


def train_from_batches(
    estimator: Any, code: Any, batches: Iterable[tuple[Any, Any]], sample: Task, stop: Task, cache: Path, memory: float
) -> XGBoostDichotomizers:
    """Train XGBClassifier on batches of samples and classes, whose binned features XGBoost keeps in files.

    Labels, margins and gradients of the columns stay in memory. If they take more than half of it, some columns are
    trained after the others. That changes nothing.

    Parameters
    ----------
    estimator : XGBClassifier
        With parameters that `MultiLabelTraining` supports.
    code : int8 ndarray of shape (n_classes, n_columns)
        The code, without zeros.
    batches : iterable of (X, y)
        Samples and classes; read several times.
    sample : Task
        Samples whose quantiles are the bins. Quantiles of all would take one more pass and, with 500 features and 64
        bins, 0.3 to 0.7 GB.
    stop : Task
        Samples that stop boosting early, if the estimator asks for it.
    cache : Path
        Beginning of the names of the files.
    memory : float
        Bytes.

    Returns
    -------
    XGBoostDichotomizers
        The columns.
    """
    import xgboost

    classes: list[Any] = []

    class Features(xgboost.DataIter):
        """Pass the samples to XGBoost, and record their classes."""

        def __init__(self) -> None:
            self.waiting: Any = None
            super().__init__(cache_prefix=str(cache))

        def next(self, input_data: Any) -> bool:
            if self.waiting is None:
                self.waiting = iter(batches)
                classes.clear()
            for X, y in self.waiting:
                classes.append(y.astype(np.int32))
                input_data(data=X)
                return True
            return False

        def reset(self) -> None:
            self.waiting = None

    estimator = seeded_clone(estimator, None)
    options = {"missing": estimator.missing, "nthread": estimator.n_jobs, "max_bin": estimator.max_bin}
    bins = xgboost.QuantileDMatrix(sample.X, **options)
    train = xgboost.ExtMemQuantileDMatrix(Features(), ref=bins, **options)
    y = np.concatenate(classes)
    columns, model_of, signs = columns_to_train(estimator, code)
    stops = MultiLabelTraining.stopping_share(estimator, len(y)) > 0
    held_out = xgboost.QuantileDMatrix(stop.X, weight=stop.sample_weight, ref=train, **options) if stops else None
    bytes_each = 16 * len(y)  # labels, margins, and two numbers for a gradient
    models: list[Any] = []
    for part in np.array_split(columns, min(len(columns), 1 + int(2 * bytes_each * len(columns) / memory))):
        sides = code[:, part] > 0
        data, stop_labels = (train, held_out), sides[stop.y] if stops else None
        made = MultiLabelTraining.boost_together(estimator, [None] * len(part), data, sides[y], stop_labels, False)
        models += [one.model for one in made]
    return XGBoostDichotomizers(joined(models), model_of, signs)


def train_on_dask(client: Any, estimator: Any, code: Any, features: Any, classes: Any) -> XGBoostDichotomizers:
    """Train XGBClassifier on the workers of a Dask cluster, which hold the samples.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    estimator : XGBClassifier
        With parameters that `MultiLabelTraining` supports, without early stopping.
    code : int8 ndarray of shape (n_classes, n_columns)
        The code, without zeros.
    features, classes : dask.array.Array
        Samples, in chunks of rows; and their classes, in the same chunks.

    Returns
    -------
    XGBoostDichotomizers
        The columns.
    """
    import xgboost.dask

    estimator = seeded_clone(estimator, None)
    columns, model_of, signs = columns_to_train(estimator, code)
    sides = (code[:, columns] > 0).astype(np.float32)
    chunks = (classes.chunks[0], (len(columns),))
    labels = classes.map_blocks(lambda y: sides[y], dtype=np.float32, new_axis=1, chunks=chunks, meta=sides[:0])
    options = {"missing": estimator.missing, "max_bin": estimator.max_bin}
    train = xgboost.dask.DaskQuantileDMatrix(client, features, labels, **options)
    rounds = estimator.get_num_boosting_rounds()
    booster = xgboost.dask.train(client, parameters_of(estimator), train, num_boost_round=rounds)["booster"]
    booster.set_param({"nthread": estimator.n_jobs or 0})  # and not the worker's
    outputs = of_every_round(estimator, booster.reset(), len(columns))
    return XGBoostDichotomizers([XGBoostModel(outputs, j) for j in range(len(columns))], model_of, signs)
