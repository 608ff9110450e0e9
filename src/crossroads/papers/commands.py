"""``crossroads reproduce``: published numbers next to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from crossroads.core.cli import options as o
from crossroads.core.cli.runner import FIGURES, Arg, Convention, ModelOption, Opt, Outcome, Written, command
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.errors import InputError, UnknownNameError, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.stimuli import catalog
from crossroads.intersections.audit import intersectional_words
from crossroads.papers import printing
from crossroads.papers.abc.reproduction import reproduce_abc
from crossroads.papers.abc.tables import COLUMNS, MEASURES, PAIRED
from crossroads.papers.ceat import reproduce_ceat
from crossroads.papers.cells import Reproduction
from crossroads.papers.ml_eat import (
    clip_texts_of_ml_eat,
    folder_names,
    image_sets_of_ml_eat,
    plain_name,
    reproduce_ml_eat,
)
from crossroads.papers.published import KNOWN, NO_MODEL
from crossroads.papers.vectors import PAPERS, reproduce
from crossroads.traits.measures.files import read_scores
from crossroads.traits.measures.scores import TraitScores
from crossroads.words.models.ask import load, load_series
from crossroads.words.models.clip import clip_embeddings, image_sets
from crossroads.words.models.settings import is_clip
from crossroads.words.vectors.load import sniff

CEAT, ABC, ML_EAT = "ceat", "abc", "ml-eat"
_ON_VECTORS = (*PAPERS, ML_EAT)
_TAKEN_BY: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "vectors": ("--vectors", _ON_VECTORS),
    "images": ("--images", (ML_EAT,)),
    "store": ("--store", (CEAT,)),
    "samples": ("-C samples", (CEAT,)),
    "human": ("--human", (ABC,)),
    "scores": ("--scores", (ABC,)),
    "pair_scores": ("--pair-scores", (ABC,)),
    "truth": ("--truth", (ABC,)),
    "model": ("--model", (CEAT, ABC, ML_EAT)),
    "fallback": ("--spelling", (*_ON_VECTORS, CEAT)),
    "format": ("-M format", _ON_VECTORS),
    "seed": ("--seed", (*PAPERS, CEAT, ABC)),
}
"""Options by name, with their spelling and the papers that take them."""


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """A paper, and what is measured in place of what it measured."""

    paper: Annotated[
        str | None,
        Arg(
            "PAPER",
            "What to reproduce: ml-eat, ceat, ceat-ibd, rsa or abc; all, in brief, if left out.",
            complete=lambda incomplete: [name for name in KNOWN if name.startswith(incomplete.lower())],
        ),
    ] = None
    vectors: Annotated[
        str,
        Opt(
            "Vectors to measure, for ml-eat, ceat-ibd and rsa; for ml-eat also a HistWords folder, or, "
            "with --images, the folder of a CLIP model.",
            "FILE",
        ),
    ] = "default"
    images: Annotated[
        Path | None,
        Opt(
            "Images for the CLIP tables of ml-eat: one subfolder per set, such as Flower and Insect, or "
            "data/experiments of the repository ieat.",
            "DIR",
        ),
    ] = None
    store: Annotated[Path | None, Opt("Context vectors to measure, for ceat.", "STORE")] = None
    human: Annotated[Path | None, Opt("Human judgements, for abc.", "FILE")] = None
    scores: Annotated[
        list[str] | None,
        Opt("Scores of a model, for abc, as 'SeT BERT=scores.json'; repeatable.", "COLUMN=FILE"),
    ] = None
    pair_scores: Annotated[
        Path | None,
        Opt("SeT scores of pairs of groups, for abc: output of crossroads probe --pairs --json.", "FILE"),
    ] = None
    truth: Annotated[
        Path | None, Opt("Traits that people named for pairs, for abc: a CSV file pair,trait.", "FILE")
    ] = None
    model: Annotated[
        str | None,
        Opt(
            "Which model of the paper this is: elmo, bert, gpt, gpt-2 for ceat; glove-840b, google-news, "
            "histwords, gpt-2-base … gpt-2-xl, clip-vit-b32 … clip-vit-l14-336 for ml-eat; or none, which is "
            "shown without a verdict. By default it is recognised; for abc it is given by the column.",
            "MODEL",
        ),
    ] = None
    badges: Annotated[
        bool, Opt("Show the source of the formula of each measure instead.", names="--fidelity")
    ] = False
    fallback: o.Fallback = "auto"
    format: Annotated[str | None, ModelOption("format of the vectors; detected if left out")] = None
    samples: Annotated[int, Convention("samples of contexts, for ceat; the appendix says 1,000", least=3)] = (
        1000
    )


@command
def reproduce_command(reproduced: Reproduced, written: Written) -> Outcome:
    """Print published numbers next to ours, cell by cell."""
    paper = reproduced.paper
    if paper is not None:
        one_of("paper", paper, KNOWN)
    _check_options(reproduced, written)
    if reproduced.badges:
        return printing.shown_fidelity()
    results: list[Reproduction] = []
    if paper in (None, *_ON_VECTORS):
        results = _on_vectors(reproduced, written.seed)
    if paper in (None, CEAT):
        results.append(_on_store(reproduced, written.seed))
    if paper in (None, ABC):
        results.append(_abc(reproduced, written.seed))
    return printing.Reproduced.of(results, brief=paper is None)


def _check_options(reproduced: Reproduced, written: Written) -> None:
    """Refuse options that would be ignored, and name the papers that take them."""
    paper, typed = reproduced.paper, {**vars(reproduced), **vars(written)}
    for path in written.output or ():
        if path.suffix.lower() in FIGURES:
            raise InputError(f"reproduce has no figure for {path}.", hint="write .csv, .tex or .json.")
    usual = {**vars(Reproduced()), **vars(Written())}
    given = [name for name in _TAKEN_BY if typed[name] != usual[name]]
    if reproduced.badges and (given or paper):
        what = _TAKEN_BY[given[0]][0] if given else paper
        raise InputError(
            f"{what} was given with --fidelity, which shows all measures and measures nothing.",
            hint="leave out one of the two.",
        )
    for name in given:
        option, takers = _TAKEN_BY[name]
        if paper is None and name in ("images", "model"):
            raise InputError(
                f"{option} was given without a paper.",
                hint=f"name one that takes it: {join_words(takers, last='or')}.",
            )
        if paper is not None and paper not in takers:
            own = [spelled for spelled, papers in _TAKEN_BY.values() if paper in papers]
            raise InputError(
                f"{option} was given, and {paper!r} does not take it.",
                hint=f"{join_words(takers)} {'take' if len(takers) > 1 else 'takes'} it; {paper} takes "
                f"{join_words(own)}.",
            )
        if paper in (None, CEAT) and name in ("samples", "model") and reproduced.store is None:
            raise InputError(f"{option} was given without a store.", hint="give --store as well.")
    if "truth" in given and "pair_scores" not in given:
        raise InputError("--truth was given without scores of pairs.", hint="give --pair-scores as well.")


def _abc(reproduced: Reproduced, seed: int) -> Reproduction:
    """The tables of the ABC study next to the given data."""
    model, pairs = reproduced.model, reproduced.pair_scores
    if model is not None and model.lower() != NO_MODEL:
        raise UnknownNameError(
            "model",
            model,
            (NO_MODEL,),
            hint="in abc the column gives the model: --scores 'SeT BERT=scores.json'; --model none shows the "
            "scores of other models without a verdict.",
        )
    return reproduce_abc(
        named_scores(reproduced.scores or ()),
        reproduced.human,
        pairs=None if pairs is None else scores_of(PAIRED, str(pairs)),
        truth=reproduced.truth,
        same_models=model is None,
        seed=seed,
    )


def _on_vectors(reproduced: Reproduced, seed: int) -> list[Reproduction]:
    """Reproductions from static vectors, a series of them, or a vision–language model."""
    paper, vectors, model, form = reproduced.paper, reproduced.vectors, reproduced.model, reproduced.format
    folder, images = Path(vectors), reproduced.images
    if paper == ML_EAT:
        _check_clip(vectors, images)
    if images is not None:
        return [reproduce_ml_eat(_words_and_images(vectors, images), model=model)]
    if folder.is_dir() and form in (None, "histwords") and sniff(folder) == "histwords":
        if paper != ML_EAT:
            raise InputError(
                f"{vectors} has the vectors of several decades, which only one paper measured.",
                hint=f"crossroads reproduce ml-eat --vectors {vectors}",
            )
        words = catalog().design("weat7", "histwords").words
        with waiting.reading(vectors) as progress:
            decades = load_series(folder, words=words, fallback=reproduced.fallback, progress=progress)
        return [reproduce_ml_eat(decades, model=model)]
    known = dict.fromkeys([*(() if paper == ML_EAT else intersectional_words()), *ml_eat_words()])
    with waiting.reading(vectors) as progress:
        emb = load(vectors, words=[*known], progress=progress, format=form, fallback=reproduced.fallback)
    results = [reproduce(one, emb, seed=seed) for one in PAPERS if paper in (None, one)]
    if paper in (None, ML_EAT):
        results.append(reproduce_ml_eat(emb, model=model))
    return results


def _on_store(reproduced: Reproduced, seed: int) -> Reproduction:
    """The published CEATs next to those of a store, with a progress bar."""
    if reproduced.store is None:
        return reproduce_ceat(seed=seed)
    contexts = open_contexts(reproduced.store, reproduced.fallback)
    with waiting.counting("drawing contexts", 74) as (bar, task):
        return reproduce_ceat(
            contexts,
            model=reproduced.model,
            samples=reproduced.samples,
            seed=seed,
            progress=lambda _: bar.update(task, advance=1),
        )


def ml_eat_words() -> list[str]:
    """Every word of the ten tests in all variants."""
    tests = [(f"weat{i}", variant) for i in range(1, 11) for variant in (None, "ml-eat", "google-news")]
    words = [word for test, variant in tests for word in catalog().design(test, variant).words]
    return list(dict.fromkeys(words))


def _check_clip(vectors: str, images: Path | None) -> None:
    """Refuse images without a model for them, and such a model without images."""
    if images is None and Path(vectors).is_dir() and is_clip(vectors):
        raise InputError(
            f"{vectors} is a model of words and images, and the tests of the paper need images.",
            hint="add --images DIR, with one subfolder per set, such as Flower and Insect.",
        )
    if images is not None and (vectors == "default" or Path(vectors).is_file()):
        said = "without a model" if vectors == "default" else f"with {vectors}, which is not a model folder"
        raise InputError(f"--images was given {said}.", hint="name a CLIP model: --vectors FOLDER.")


def _words_and_images(model: str, folder: Path) -> Embeddings:
    """The words and images of the tests of CLIP as vectors of one space, with a progress bar."""
    texts, images = clip_texts_of_ml_eat(), found_images(folder)
    total = len(texts) + sum(map(len, images.values()))
    with waiting.counting("asking the model", total) as (bar, task):
        return clip_embeddings(
            model, texts, images, progress=lambda done, _: bar.update(task, completed=done)
        )


def found_images(folder: Path) -> dict[str, list[Path]]:
    """Images by set of the published tables, from one subfolder per set or from the folders of ieat."""
    known = image_sets_of_ml_eat()
    nested = {name: folder / places[-1] for name, places in known.items() if (folder / places[-1]).is_dir()}
    if nested:
        return {name: image_sets(place.parent)[place.name] for name, place in nested.items()}
    sets: dict[str, list[Path]] = {}
    for subfolder, files in image_sets(folder).items():
        name = folder_names().get(plain_name(subfolder))
        if name in sets:
            raise InputError(f"{folder} has two subfolders for {name}.", hint="keep one of them.")
        if name is not None:
            sets[name] = files
    if not sets:
        raise InputError(
            f"no subfolder of {folder} is named like a set of images of the tables.",
            hint=f"they are {join_words(known)}.",
        )
    return sets


def named_scores(given: Iterable[str]) -> dict[str, TraitScores]:
    """Scores by column of the published tables, from ``COLUMN=FILE``."""
    found: dict[str, TraitScores] = {}
    for text in given:
        column, _, path = (part.strip() for part in text.partition("="))
        if not path:
            raise InputError(f"--scores {text!r} names no file.", hint="give it as 'SeT BERT=scores.json'.")
        one_of("column of the tables", column, COLUMNS)
        if column in found:
            raise InputError(f"--scores was given twice for {column}.", hint="give one file per column.")
        found[column] = scores_of(column, path)
    return found


def scores_of(column: str, path: str) -> TraitScores:
    """The scores of a column in a file: if it has several measures, that of the column."""
    wanted, every = MEASURES[column.split()[0]], read_scores(path)
    held = join_words(dict.fromkeys(scores.measure for scores in every))
    tables = [scores for scores in every if len(every) == 1 or scores.measure == wanted]
    if len(tables) != 1:
        raise InputError(
            f"{path} has several tables of scores ({held}), of which {len(tables)} are for {column}.",
            hint="write one measure per file.",
        )
    if tables[0].measure in MEASURES.values() and tables[0].measure != wanted:
        raise InputError(
            f"{path} has scores of {held}; the column is {column}.",
            hint="give the column of that measure, or another file.",
        )
    return tables[0]
