"""Dataclasses of options that several commands share: the model, the tests, the statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from crossroads.core.cli.runner import Arg, Convention, ModelOption, Opt
from crossroads.core.errors import InputError, Missing, UnknownNameError, join_words, nearest
from crossroads.core.inference.copies import Words
from crossroads.core.inference.permutation.test import Alternative, Method, Ties
from crossroads.core.models.kinds import KindName, Pooling
from crossroads.core.models.transformers import Device
from crossroads.core.stimuli import Design, batteries, catalog, read_designs
from crossroads.core.wording.numbers import counted

ALL = "all"
WORDS, MODELS = "Words", "Models"
SCALE = "Scale"  # panels of the help, in addition to the common options


def complete_test(incomplete: str) -> list[str]:
    """Names of designs that begin as typed, for shell completion."""
    return [
        name for name in (*batteries(), *catalog().of_kind("design")) if name.startswith(incomplete.lower())
    ]


Tests = Annotated[
    list[str] | None,
    Opt(
        "A test or battery of the catalogue, or a test in FILE; repeatable.",
        "NAME",
        names="--test -t",
        complete=complete_test,
    ),
]
WordFiles = Annotated[
    list[Path] | None,
    Opt("Your own words: CSV, TOML or JSON; repeatable.", "FILE", names="--words --design -w -d"),
]
Fallback = Annotated[
    str,
    Opt(
        "Other spellings: none, or some of lower,title,accents; auto: lower, if capitals are rare.",
        "RULES",
        names="--spelling --fallback",
        panel=WORDS,
    ),
]
MissingWords = Annotated[
    Missing, Opt("Words without a vector: raise, drop or balance.", "WHAT", names="--missing", panel=WORDS)
]
MissingByDefault = Annotated[
    Missing | None,
    Opt(
        "Words without a vector: raise, drop or balance; by default raise if tests are named, and drop "
        "otherwise.",
        "WHAT",
        names="--missing",
        panel=WORDS,
    ),
]
Names = Annotated[
    list[str] | None, Opt("What a model is called in titles; once per model.", "TEXT", names="--name")
]
Workers = Annotated[
    int | None,
    Opt("Done at a time; by default one per processor.", "N", names="--workers", panel=SCALE, least=1),
]
Fresh = Annotated[
    bool, Opt("Do again what is done, and replace what is there.", names="--fresh", panel=SCALE)
]
Answers = Annotated[
    Path | None, Opt("Keep the answers here; resumes if interrupted.", "DIR", names="--answers")
]
KindOption = Annotated[KindName | None, ModelOption("kind of MODEL; detected if left out", key="as")]
FormatOption = Annotated[str | None, ModelOption("format of a file of vectors; detected if left out")]
PromptOption = Annotated[str | None, ModelOption("text with {word} in which a model reads words")]
ServedOption = Annotated[
    str | None,
    ModelOption("model of an embedding service", key="model"),
    Opt("", names="--served-model", hidden=True),
]
Revision = Annotated[str | None, ModelOption("branch, tag or commit on the hub")]
DeviceOption = Annotated[Device, ModelOption("device on which a model runs")]
Threads = Annotated[int | None, ModelOption("number of threads; by default one per processor", least=1)]
BatchSize = Annotated[int, ModelOption("largest number of texts per batch", least=1)]


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Where work runs: in processes of this machine, or on Ray."""

    workers: Workers = None
    ray_address: Annotated[
        str | None,
        Opt(
            "Run on Ray: on the cluster at ADDRESS, or on one that is started.",
            "[ADDRESS]",
            names="--ray",
            panel=SCALE,
        ),
    ] = None
    engine: Annotated[Literal["local", "ray"], Opt("", hidden=True)] = "local"

    @property
    def options(self) -> dict[str, Any]:
        """As functions of Python take them."""
        engine = self.engine if self.ray_address is None else "ray"
        return {"workers": self.workers, "engine": engine, "ray_address": self.ray_address or None}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The tests to measure."""

    test: Tests = None
    design: WordFiles = None

    def designs(self, *default: str) -> list[Design]:
        """The requested designs, or those of the default batteries."""
        return chosen_designs(self.test, self.design, default=default)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A model, and how it is read."""

    model: Annotated[
        str,
        Arg(
            "MODEL",
            "Vectors in any format, a transformer (folder, .gguf, name on the hub), a CLIP model, a "
            "store of context vectors, or the address of an embedding service; the default vectors if left "
            "out.",
        ),
    ] = "default"
    fallback: Fallback = "auto"
    kind: KindOption = None
    format: FormatOption = None
    prompt: PromptOption = None
    layer: Annotated[
        str | None,
        ModelOption("layer of a transformer: 0 is below the first block, -1 the top; all for each"),
    ] = None
    pooling: Annotated[Pooling | None, ModelOption("tokens whose mean a transformer gives")] = None
    served: ServedOption = None
    revision: Revision = None
    device: DeviceOption = "auto"

    def __post_init__(self) -> None:
        """Check the layer, which is a number or ``all``."""
        if self.layer is not None and self.layer != ALL and not self.layer.removeprefix("-").isdecimal():
            raise InputError(
                f"{self.layer!r} is not a layer.", hint="give a whole number, such as 0 or -1, or all."
            )

    @property
    def reading(self) -> dict[str, Any]:
        """How a model reads words, as functions take it."""
        layer = None if self.layer in (None, ALL) else int(str(self.layer))
        return {
            "prompt": self.prompt, "pooling": self.pooling, "layer": layer, "revision": self.revision,
            "device": self.device, "fallback": self.fallback,
        }  # fmt: skip


WordsConvention = Annotated[Words, Convention("near copies, such as plurals, as one word or as independent")]
"""How the words of a set count."""


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """How p-values are computed, and what happens to missing stimuli."""

    missing: MissingByDefault = None
    alternative: Annotated[Alternative, Convention("which tail")] = "two-sided"
    ties: Annotated[Ties, Convention("whether divisions equal to the observed one count")] = "weak"
    method: Annotated[Method, Convention("method of p-values")] = "auto"
    ddof: Annotated[int, Convention("1: sample standard deviation, 0: population")] = 1
    words: WordsConvention = "effective"

    def options(self, chosen: Chosen) -> dict[str, Any]:
        """As measures take them."""
        return {**vars(self), "missing": missing_policy(chosen, self.missing)}


def checked_names(names: list[str] | None, models: Sequence[str]) -> list[str] | None:
    """Names given for models: one for each, all different."""
    if not names:
        return None
    if len(names) != len(models):
        raise InputError(
            f"--name was given {counted(len(names), 'time')}, for "
            f"{counted(len(models), 'model')}: {join_words(models, most=6)}.",
            hint="give one name for each model, in their order.",
        )
    plain = [" ".join(name.split()) for name in names]
    for at, name in enumerate(plain):
        if not name or not name.isprintable():
            raise InputError(f"--name is {names[at]!r}.", hint="give a name with visible characters.")
        if name in plain[:at]:
            raise InputError(f"--name {name!r} was given twice.", hint="give each model a different name.")
    return plain


def chosen_designs(
    tests: list[str] | None, files: list[Path] | None, *, default: tuple[str, ...]
) -> list[Design]:
    """The requested designs, in order, or those of the default batteries.

    Names are first looked up in the files. If one is found, only named designs are taken from the files;
    otherwise it is looked up in the catalogue, and all designs of the files are taken.
    """
    names, known = list(tests or (() if files else default)), batteries()
    _check_kinds(names, files or [], known)
    own = [design for file in files or [] for design in read_designs(file)]
    mine = {design.name.casefold(): design.name for design in own}
    chosen = {mine[name.casefold()] for name in names if name.casefold() in mine}
    designs: list[Design] = []
    for name in (name for name in names if name.casefold() not in mine):
        # a test named twice, or of two batteries, is tested once
        designs += [one for one in _of_the_catalogue(name, known, mine.values()) if one not in designs]
    designs += [design for design in own if not chosen or design.name in chosen]
    twice = {d.name for i, d in enumerate(designs) if d.name in [e.name for e in designs[:i]]}
    if twice:
        raise InputError(f"two designs are named {sorted(twice)[0]!r}.", hint="give each one a name.")
    return designs


def _of_the_catalogue(name: str, known: Mapping[str, Any], own: Collection[str]) -> Iterator[Design]:
    """The tests of a test or battery by name; errors also suggest names from the files."""
    for member in known.get(name.lower(), (name,)):
        try:
            found: Any = catalog(member)
        except UnknownNameError as error:
            if not own:
                raise
            near = nearest(name, own, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            listed = join_words(map(repr, own), most=12)
            raise UnknownNameError(
                "test", name, (*own, *error.known), hint=f"{hint}the files contain {listed}."
            ) from error
        if not isinstance(found, Design):
            hint = "crossroads catalog lists the kind of each entry."
            raise InputError(f"{name!r} is a catalogue entry, but not a test.", hint=hint)
        yield found


def _check_kinds(names: Sequence[str], files: Sequence[Path], known: Mapping[str, Any]) -> None:
    """Refuse a file given as a name, or the reverse, and name the right option."""
    entries = {entry.casefold() for entry in (*catalog().of_kind("design"), *known)}
    for name in names:
        if name.casefold() not in entries and Path(name).is_file():
            raise InputError(f"{name!r} is a file, not a test of the catalogue.", hint=f"--words {name}")
    for file in files:
        if not file.exists() and str(file).casefold() in entries:
            raise InputError(f"{str(file)!r} is of the catalogue, not a file.", hint=f"--test {file}")


def missing_policy(chosen: Chosen, missing: Missing | None) -> Missing:
    """The choice that was made; by default raise for named tests and drop for the default battery."""
    return missing or ("raise" if chosen.test or chosen.design else "drop")
