"""The ML-EAT paper: every number that it prints, and ours, on any of its models that is available."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from math import inf
from pathlib import PurePath
from typing import Any, NamedTuple

from crossroads.core.errors import EvidenceError, InputError, MissingStimuliError, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.model_names import model_name
from crossroads.core.results import Coverage
from crossroads.core.stimuli import Design, StimulusSet, catalog
from crossroads.papers.cells import (
    Attempt,
    Cell,
    Reproduction,
    Said,
    counts,
    credible,
    judge,
    judge_mark,
    judged,
    mostly_differ,
    reproduction,
)
from crossroads.papers.published import NO_MODEL, table
from crossroads.words.measures.mleat import ALPHA, LEAST_EFFECT, PATTERNS, MleatResult, mleat, pattern_of

LEVELS = ("level1", "level2_x", "level2_y")
"""Effect sizes, in the order of the columns."""
PAIRS = ("ax", "bx", "ay", "by")
"""Attribute and target of Level 3, in the order of the columns."""
LEANINGS: Mapping[str, int] = {"leaning of X": 0, "leaning of Y": 1}
"""Columns of the patterns of decades, with the place of the target in a pattern."""
CODES: Mapping[str | None, float] = {"a": 1.0, "b": -1.0, None: 0.0}
"""Code of a leaning: to the first attribute, to the second, to neither."""
BARE = "{word}"
OTHER_UNPLEASANT = "weat3"
"""The paper's appendix has a second list of unpleasant words, "Unpleasant - Alt", for names."""
_FIGURE_3 = "Text on Figure 3"
_TABLES = table("ml-eat")
_PICTURED: Mapping[str, Any] = _TABLES["pictured"]["tests"]
"""The tests with images."""
_MODELS: Mapping[str, Any] = {about["name"]: about for about in _TABLES["model"]}

Vectors = Embeddings | Mapping[int, Embeddings]
AS_PRINTED: Mapping[str, Any] = {"ddof": 1, "alternative": "observed", "method": "normal"}
"""Options of the paper."""
SHOWN: Mapping[str, tuple[str, ...]] = {"words": ("1", "4"), "images": ("2", "12"), "series": (_FIGURE_3,)}
"""Tables next to which other models are shown: static vectors, CLIP, decades."""
UNLISTED = "the paper neither lists nor counts its images"
"""Why a number on the model of the paper may differ under every convention."""
_COUNTED = "p-value counted over the divisions (method='auto')"
_OTHERS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "number": {"population standard deviation (ddof=0)": {"ddof": 0}},
    "leaning": {_COUNTED: {"method": "auto"}},
    "star": {
        _COUNTED: {"method": "auto", "max_work": 1e6},
        "the same without ties (ties='strict')": {"method": "auto", "max_work": 1e6, "ties": "strict"},
        "two-sided p-value (alternative='two-sided')": {"alternative": "two-sided"},
        "one-sided p-value as the text has it (alternative='greater')": {"alternative": "greater"},
    },
}
"""Other conventions by which a number, a leaning or a star might be printed."""
_WITHOUT_EFFECT = {
    "words": "these vectors give the test no effect size",
    "other words": "too few words, or no effect size, on these vectors",
    "images": "these vectors give no effect size",
    "series": "a word of the test has no vector in this decade",
}
"""Why a test that lacks nothing could not be measured."""
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
"""Endings of labels of images; "black/white" is a word of some vocabularies."""
_WITHIN = 5e-4


class Number(NamedTuple):
    """One printed number, star or leaning."""

    table: str
    model: str
    prompt: str
    test: str
    column: str
    text: str
    truncated: bool = False
    variant: str | None = None
    """The variant of the word lists; of tests with images, the test that has the attributes."""
    decade: int | None = None

    @property
    def kind(self) -> str:
        """Whether this is a ``leaning``, a place for a ``star``, or a ``number``."""
        return "leaning" if self.column in LEANINGS else "star" if self.column.endswith("star") else "number"

    @property
    def value(self) -> float:
        """The number; 1 or 0 for a star that is printed or not; a code for a leaning."""
        if self.kind == "leaning":
            return CODES[PATTERNS[self.text][LEANINGS[self.column]]]
        return float(self.text == "*") if self.kind == "star" else float(self.text)

    @property
    def place(self) -> tuple[str, str, str]:
        """Table, row and column."""
        if self.decade is not None:
            return f"{self.table}, {self.model}", f"{self.test}:{self.variant} {self.decade}", self.column
        prompted = "" if self.prompt == BARE else " with prompt"
        return f"Table {self.table}, {self.model}{prompted}", f"{self.test}{prompted}", self.column


@cache
def numbers() -> tuple[Number, ...]:
    """Every number and every place for a star of Tables 1 to 12."""
    return tuple(
        Number(
            part["number"], part["model"], part.get("prompt", BARE), test, column, text,
            truncated=column in part.get("truncated", ()),
            variant=_PICTURED[test]["attributes"] if test in _PICTURED else part.get("variant"),
        )
        for part in _TABLES["table"]
        for test, cells in part["rows"].items()
        for column, text in _columns(cells)
    )  # fmt: skip


def _columns(cells: list[str]) -> Iterator[tuple[str, str]]:
    for name, text in zip(LEVELS, cells[:3], strict=True):
        yield name, text.rstrip("*")
        yield f"{name} star", "*" if text.endswith("*") else ""
    for pair, text in zip(PAIRS, cells[3:], strict=True):
        mean, sd = text.rstrip(")").split(" (")
        yield f"{pair} mean", mean
        yield f"{pair} sd", sd


def decade_numbers() -> Iterator[Number]:
    """The numbers of the text on HistWords, and the leanings of both targets in each decade."""
    about = _TABLES["decades"]
    for decade, pattern in printed_patterns().items():
        columns = {**about["numbers"].get(str(decade), {}), **dict.fromkeys(LEANINGS, pattern)}
        for column, text in columns.items():
            here = (_FIGURE_3, "HistWords", BARE, about["test"], column, text)
            yield Number(*here, variant=about["variant"], decade=decade)


def printed_patterns() -> dict[int, str]:
    """The pattern that the text names for each decade of HistWords, in order of time."""
    patterns = _TABLES["decades"]["patterns"]
    return dict(sorted((decade, name) for name, decades in patterns.items() for decade in decades))


def row_pattern(row: Mapping[str, Number]) -> str:
    """The pattern that follows from the printed Level 2 of a row: effect sizes and their stars, by column."""

    def leaning(name: str) -> str | None:
        value = row[name].value
        if row[f"{name} star"].value == 0 or abs(value) <= LEAST_EFFECT:
            return None
        return "a" if value > 0 else "b"

    return pattern_of(leaning("level2_x"), leaning("level2_y"))


def image_sets_of_ml_eat() -> dict[str, tuple[str, ...]]:
    """Sets of images by the name in the tables, with every name that a folder of them may have."""
    sets = _TABLES["pictured"]["sets"]
    return {name: (name, *about["names"], about["ieat"]) for name, about in sets.items()}


def folder_names() -> dict[str, str]:
    """Sets of images by every plain name that a folder of them may have."""
    return {plain_name(alias): name for name, known in image_sets_of_ml_eat().items() for alias in known[:-1]}


def plain_name(name: str) -> str:
    """A name without capitals, hyphens and underscores, as folders are compared."""
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _attributes_of(test: str | None) -> tuple[str, ...]:
    design = catalog().design(str(test))
    return (*design.a, *design.b)


def clip_texts_of_ml_eat() -> dict[str, str]:
    """The texts for CLIP: the label of every vector that the tables need, with its text.

    Bare words are labelled by themselves, words in the prompt of Table 2 by the whole text.
    """
    tests = {OTHER_UNPLEASANT, *(test["attributes"] for test in _PICTURED.values())}
    words = dict.fromkeys(word for test in sorted(tests) for word in _attributes_of(test))
    prompts = dict.fromkeys(part.get("prompt", BARE) for part in _TABLES["table"])
    texts = (prompt.replace(BARE, word) for prompt in prompts for word in words)
    return {text: text for text in texts}


def values(result: MleatResult) -> dict[str, float]:
    """Every number, star and leaning that the paper prints of a test, by column."""
    levels = (result.level1, result.level2["x"], result.level2["y"])
    row: dict[str, float] = {}
    for name, level in zip(LEVELS, levels, strict=True):
        row |= {name: level.effect_size, f"{name} star": float(level.pvalue < ALPHA)}
    for key, cell in result.level3.items():
        row |= {f"{key} mean": cell.mean, f"{key} sd": cell.sd}
    return row | {name: CODES[PATTERNS[result.pattern][place]] for name, place in LEANINGS.items()}


def kind_of(vectors: Vectors | None) -> str:
    """What vectors are of: ``words``, ``images`` (and words) or a ``series`` of decades; empty for None."""
    if vectors is None:
        return ""
    if not isinstance(vectors, Embeddings):
        return "series"
    return "images" if _images_of(vectors) else "words"


def _images_of(emb: Embeddings) -> dict[str, list[str]]:
    """Labels of images, ``set/file``, by set of the tables."""
    names = folder_names()
    images: dict[str, list[str]] = {}
    for label in emb.labels:
        folder, _, file = label.partition("/")
        if file.lower().endswith(_SUFFIXES) and plain_name(folder) in names:
            images.setdefault(names[plain_name(folder)], []).append(label)
    return images


class Measured:
    """Tests of the paper on one model of it, or another, each measured once under each convention.

    Labels of images are ``set/file``. Words for images may also all be in the prompt, as in an audit, if
    their provenance says so.
    """

    def __init__(self, vectors: Vectors | None, chosen: str | None) -> None:
        self.kind = kind_of(vectors)
        self.dropped: dict[str, dict[str, str]] = {}
        self.respelled: dict[str, str] = {}
        self._chosen = chosen
        self._drop = self.kind == "words" and chosen is None
        self._decades = vectors if isinstance(vectors, Mapping) else {}
        self._images: dict[str, list[str]] = {}
        self._prompt = BARE
        if isinstance(vectors, Embeddings):
            self._emb = vectors if self._drop else vectors.with_fallback(())
            self._images = _images_of(vectors)
            self._prompt = str(vectors.provenance.details.get("prompt", BARE))
        self._rows: dict[tuple[object, ...], dict[str, float]] = {}

    def cell(self, number: Number) -> Cell:
        """A printed number and ours, with the verdict."""
        there = number.decade is None or number.decade in self._decades
        shown = there and number.table in SHOWN.get(self.kind, ())
        if self._chosen is not None:
            shown = bool(self.kind) and number.model == self._chosen
        lacking = self._lacking(number) if shown else ""
        ours = self.value(number) if shown and not lacking else None
        without = _WITHOUT_EFFECT.get("other words" if self._drop else self.kind, "")
        other = "HistWords, all English, word2vec" if number.decade else number.model
        return judged(
            *number.place,
            number.text,
            ours,
            partial(self._judge, number),
            published=number.value,
            absent="" if shown else _MODELS[number.model]["get"],
            lacking=lacking or without if ours is None else "",
            other="" if self._chosen else other,
        )

    def value(self, number: Number, **changed: Any) -> float | None:
        """The number as measured here, under the options of the paper or others."""
        key = (number.test, number.variant, number.prompt, number.decade, *sorted(changed.items()))
        if key not in self._rows:
            self._rows[key] = self._measure(number, changed)
        return self._rows[key].get(number.column)

    def _lacking(self, number: Number) -> str:
        """What a test needs and lacks; empty if nothing, or if words may be left out."""
        if self.kind == "series":
            return "" if number.decade in self._decades else "the decade is missing"
        if self.kind == "images":
            return self._lacking_images(number)
        absent = [] if self._drop else self._missing(number)
        return f"these vectors lack {join_words(absent, most=6)}" if absent else ""

    def _missing(self, number: Number) -> list[str]:
        """Words of a test that have no vector under their own spelling."""
        words = catalog().design(number.test, number.variant).words
        return [word for word in words if word not in self._emb]

    def _lacking_images(self, number: Number) -> str:
        sets = [_PICTURED[number.test][role] for role in ("x", "y")]
        if empty := [name for name in sets if name not in self._images]:
            return f"no images of {join_words(empty)}: put them into a folder of that name"
        if absent := [w for w in _attributes_of(number.variant) if self._label(w, number) is None]:
            how = "by itself" if number.prompt == BARE else f"as {number.prompt!r}"
            return f"no vector of {join_words(absent, most=3)} {how}"
        return ""

    def _label(self, word: str, number: Number) -> str | None:
        """The label of a word in the prompt of a table."""
        prompt = number.prompt
        if self._prompt == prompt and word in self._emb:
            return word
        # if all words were in one prompt, labels are words and not texts
        text = prompt.replace(BARE, word)
        labels_are_texts = BARE not in self._prompt or self._prompt == BARE
        return text if labels_are_texts and text in self._emb else None

    def _judge(self, number: Number, ours: float) -> Said:
        attempts = self._attempts(number)
        if number.kind == "leaning":
            return judge_mark(number.value, ours, attempts, alike="the same leaning")
        if number.kind == "star":
            verdict, reason = judge_mark(number.value, ours, attempts)
        else:
            verdict, reason = judge(number.text, ours, attempts, truncated=number.truncated)
        unlisted = self.kind == "images" and verdict == "differs"
        return verdict, f"{reason}; {UNLISTED}" if unlisted else reason

    def _attempts(self, number: Number) -> Iterator[Attempt]:
        """Other conventions under which the number might be printed."""
        for name, changed in _OTHERS[number.kind].items():
            yield name, partial(self.value, number, **changed)
        if self.kind == "words":
            here = set(catalog().design(number.test, number.variant).words)
            for variant in (None, "ml-eat", "google-news"):
                words = here ^ set(catalog().design(number.test, variant).words)
                other = number._replace(variant=variant)
                if words and not self._missing(other):
                    lists = "the original lists" if variant is None else f"the variant {variant}"
                    name = f"words of {lists} ({join_words(sorted(words), most=4)})"
                    yield name, partial(self.value, other)
        if self.kind == "images" and number.variant == "weat1":
            other = number._replace(variant=OTHER_UNPLEASANT)
            if not self._lacking_images(other):
                words = {*_attributes_of("weat1")} ^ {*_attributes_of(OTHER_UNPLEASANT)}
                name = f"unpleasant words of the tests of names ({join_words(sorted(words))})"
                yield name, partial(self.value, other)

    def _measure(self, number: Number, changed: Mapping[str, Any]) -> dict[str, float]:
        """Every number of a test, by column; empty if it cannot be measured."""
        emb = self._emb if number.decade is None else self._decades[number.decade]
        missing = "drop" if self._drop else "raise"
        try:
            design = self._design(number)
            result = mleat(emb, design, **{**AS_PRINTED, "missing": missing, **changed})
        except (MissingStimuliError, EvidenceError):
            return {}
        if result.coverage is not None:
            if result.coverage.missing:
                self.dropped[design.name] = result.coverage.missing
            self.respelled.update(result.coverage.respelled)
        return values(result)

    def _design(self, number: Number) -> Design:
        if self.kind != "images":
            return catalog().design(number.test, number.variant)
        about, words = _PICTURED[number.test], catalog().design(str(number.variant))
        x, y = (StimulusSet(about[role], tuple(self._images[about[role]])) for role in ("x", "y"))
        a, b = (
            StimulusSet(part.name, tuple(filter(None, (self._label(word, number) for word in part))))
            for part in (words.a, words.b)
        )
        return Design(name=number.test, x=x, y=y, a=a, b=b)


def reproduce_ml_eat(vectors: Vectors | None = None, *, model: str | None = None) -> Reproduction:
    """Put every table of Wolfe, Hiniker and Howe (2024) next to ours.

    A number that is not as printed is measured again under every other known convention, and the one that
    gives it is named, unless most of the table differs.

    ``vectors`` are those of one of the paper's models, or of another; the decades of HistWords as a mapping;
    for CLIP, :func:`~crossroads.sources.clip_embeddings` of :func:`clip_texts_of_ml_eat` and of sets of
    images by the names of :func:`image_sets_of_ml_eat`. Without any, only the published numbers are shown.
    ``model`` is the model of the paper: ``"glove-840b"``, ``"google-news"``, ``"histwords"``,
    ``"gpt-2-base"`` to ``"gpt-2-xl"``, ``"clip-vit-b32"`` to ``"clip-vit-l14-336"``, or ``"none"``;
    recognised by default.
    """
    known = {name.lower().replace(" ", "-"): name for name in _MODELS}
    chosen = recognised(vectors)
    if model is not None:
        chosen = known.get(one_of("model of the paper", model.lower(), (*known, NO_MODEL)))
    _check_kind(kind_of(vectors), chosen)
    measured = Measured(vectors, chosen)
    cells = credible(measured.cell(number) for number in (*numbers(), *decade_numbers()))
    every = [vectors] if isinstance(vectors, Embeddings) else list((vectors or {}).values())
    name = model_name(every[0].provenance) if every else "no vectors given"
    lost, respelled = measured.dropped, measured.respelled
    return reproduction(
        "ml-eat",
        cells=tuple(cells),
        notes=_notes(measured.kind, chosen, cells),
        vectors=f"{len(every)} decades of {name}" if measured.kind == "series" else name,
        same_vectors=chosen is not None,
        conventions={
            "model": chosen or NO_MODEL,
            "ddof": 1,
            "alternative": "observed",
            "method": "normal",
            "missing": "drop" if chosen is None and measured.kind != "images" else "raise",
        },
        provenance=tuple(emb.provenance for emb in every),
        coverage=Coverage(policy="drop", used={}, dropped=lost, respelled=respelled) if lost else None,
    )


def recognised(vectors: Vectors | None) -> str | None:
    """The model of the paper that made the vectors, if it is recognised."""
    if isinstance(vectors, Mapping):
        # other corpora of the series have the same twenty decades and dimensions
        alike = list(vectors) == list(range(1800, 2000, 10)) and {e.dim for e in vectors.values()} == {300}
        return "HistWords" if alike else None
    kind = kind_of(vectors)
    fit = (name for name, about in _MODELS.items() if about["kind"] == kind)
    return None if vectors is None else next((name for name in fit if _is(vectors, _MODELS[name])), None)


def _is(emb: Embeddings, model: Mapping[str, Any]) -> bool:
    if emb.dim != model["dim"]:
        return False
    if "sources" in model:
        return PurePath(emb.provenance.source).name.lower() in model["sources"]
    pairs = [pair for pair in model["cosines"] if all(word in emb for word in pair[:2])]
    if len(pairs) == len(model["cosines"]):
        return all(abs(_cosine(emb, first, second) - cosine) <= _WITHIN for first, second, cosine in pairs)
    return emb.provenance.details.get("vocabulary", len(emb)) in model["vocabulary"]


def _cosine(emb: Embeddings, first: str, second: str) -> float:
    u, v = (emb[word].astype(float) for word in (first, second))
    return float(u @ v) / (float((u @ u) * (v @ v)) ** 0.5 or inf)


def _check_kind(kind: str, chosen: str | None) -> None:
    """Refuse vectors of another kind than those of the model that they are said to be of."""
    wanted = _MODELS[chosen]["kind"] if chosen else kind
    if not kind or kind == wanted:
        return
    if "images" in (kind, wanted):
        whose = "whose tests" if wanted == "images" else "none of whose tests"
        there = "no vector of an image" if wanted == "images" else "vectors of images"
        raise InputError(
            f"the model is given as {chosen}, {whose} compare images with words; there is {there}.",
            hint="crossroads reproduce ml-eat --vectors FOLDER --images IMAGES, with the folder of a CLIP "
            "and one subfolder of images per set, such as Flower and Insect.",
        )
    are = "decades" if kind == "series" else "not decades"
    raise InputError(
        f"the model is given as {chosen}; the vectors are {are}.",
        hint="HistWords is a folder of decades; the other models have one set of vectors.",
    )


def _notes(kind: str, chosen: str | None, cells: list[Cell]) -> Iterator[str]:
    if not kind:
        yield "No vectors given, so only the published numbers are shown; each says how to get its model."
    elif chosen is None:
        yield (
            "The vectors are not recognised as those of a model of the paper; Tables "
            f"{join_words(SHOWN['images' if kind == 'images' else 'words'])} are shown for comparison, and "
            "digits cannot agree. Use --model if they are of one."
        )
    if kind == "images":
        yield (
            "The paper took the images of Steed and Caliskan (2021) and neither lists nor counts them: that "
            "images given here are the same cannot be checked."
        )
    if chosen is not None:
        yield f"Measured: {chosen}. Not available: {join_words(name for name in _MODELS if name != chosen)}."
        if chosen == "HistWords":
            yield (
                "The paper measured all English, word2vec. English fiction and the SVD vectors have the same "
                "decades and dimensions and cannot be distinguished: use --model none if these are others."
            )
    if mostly_differ(counts(cells)):
        yield f"Most cells of {chosen} differ: these are probably not the vectors that the paper measured."
