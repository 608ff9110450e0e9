"""``crossroads probe``: traits that a language model expects of groups; ``align`` compares saved scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, ModelOption, Opt, Outcome, Written, command, passed
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.errors import InputError, OnMissing, join_words
from crossroads.core.evidence.model_names import model_name
from crossroads.core.models.language import Asked
from crossroads.core.models.opening import ProbeStep
from crossroads.core.results import describe_coverage, named
from crossroads.core.stimuli.catalogue.index import catalog
from crossroads.core.storage.cache import parts_folder
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, number, p_equals, pvalue
from crossroads.core.wording.table import Column, Interval, Table
from crossroads.traits.measures.files import read_trait_tables
from crossroads.traits.measures.ilps import ilps
from crossroads.traits.measures.least_change import Score, set_test
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.measures.templates import TemplateChoice, choose_templates
from crossroads.traits.pairs.material import paired_groups
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.traits.people.evidence import Judgements
from crossroads.traits.people.files import read_judgements
from crossroads.traits.probe.evidence import FORMAT, Logits
from crossroads.traits.probe.material import FILES
from crossroads.traits.probe.prompts import Prior
from crossroads.traits.probe.run import probe

PILOT = ("Asian", "Black", "Hispanic", "immigrant")
"""The groups on which the ABC study chose its templates."""
STRONGEST = 3
"""Number of traits per group in the table."""
_SAMPLED = "monte-carlo"
_READING = ("asked_as", "revision", "device", "threads", "batch_size")
"""Options about how a model is read."""


@dataclass(frozen=True, kw_only=True)
class Probed:
    """A language model, and what it is asked."""

    model: Annotated[
        str,
        Arg(
            "MODEL",
            "A masked or causal model (folder, .gguf, name on the hub), a folder of --answers, or a file "
            "of scores to compare with --human.",
        ),
    ]
    groups: Annotated[
        list[str] | None, Opt("A file, or names separated by commas.", "FILE|NAMES", names="--groups -g")
    ] = None
    traits: Annotated[str | None, Opt("A file, or names such as cold-warm.", "FILE|NAMES")] = None
    templates: Annotated[
        list[str] | None,
        Opt(
            "A family of the catalogue, a file, or a text with {plural} and {trait}; repeatable.",
            "NAME",
            names="--templates -t",
        ),
    ] = None
    human: Annotated[Path | None, Opt("Judgements of people: choose templates, compare.", "FILE")] = None
    pairs: Annotated[bool, Opt("Also ask about all pairs of these groups, in both orders.")] = False
    store: o.Answers = None
    missing: Annotated[
        OnMissing, Opt("Groups and traits unknown to the tokenizer: raise or drop.", "WHAT")
    ] = "raise"
    restart: o.Fresh = False
    asked_as: Annotated[Asked, ModelOption("how the model is asked")] = "auto"
    revision: o.Revision = None
    device: o.DeviceOption = "auto"
    threads: o.Threads = None
    batch_size: o.BatchSize = 64

    @property
    def saved(self) -> bool:
        """Whether the folder has answers of a model, not a model."""
        manifest = Path(self.model) / "manifest.json"
        if not manifest.is_file() or (Path(self.model) / "config.json").is_file():
            return False
        return FORMAT in manifest.read_text(encoding="utf-8", errors="replace")

    def answers(self, synonyms: bool, gamma: float) -> Logits:
        """The answers of the model, or the saved ones."""
        if self.saved:
            return self._opened()
        if self.store is not None:
            interrupting.promise(interrupting.kept_or_finished(self.store, parts_folder(self.store)))
        with watching() as watch:
            named = {"groups": self._named_groups(), "traits": names_of(self.traits), "synonyms": synonyms}
            return probe(progress=watch, **passed(probe, self) | named | {"margin": max(4.0, gamma)})

    def _opened(self) -> Logits:
        """The requested part of saved answers; options that change what a model is asked are refused."""
        changing = {
            "--traits": self.traits, "--pairs": self.pairs, "-M asked_as": self.asked_as != "auto",
            "-M revision": self.revision, "--missing": self.missing != "raise", "--fresh": self.restart,
            "--answers": self.store,
        }  # fmt: skip
        for name, value in changing.items():
            if value:
                raise InputError(
                    f"{name} was given, but {self.model} already has answers.",
                    hint="leave it out, or probe the model again.",
                )
        logits, chosen = Logits.open(self.model), None
        if self.templates is not None:
            families = catalog().templates("abc-templates")
            named = [families[name].templates if name in families else [name] for name in self.templates]
            chosen = [one if isinstance(one, str) else one.text for several in named for one in several]
        groups = names_of(self.groups)
        return logits if groups is None and chosen is None else logits.select(groups=groups, templates=chosen)

    def _named_groups(self) -> Any:
        """Names and files as arguments of the library; pairs of groups need names of the catalogue."""
        names = names_of(self.groups)
        if not self.pairs:
            return names
        if names is not None and any(name.lower().endswith(FILES) for name in names):
            raise InputError(
                "--pairs was given with a file of groups.",
                hint="name groups of the catalogue, or list the pairs themselves in the file.",
            )
        single = list(catalog().groups("abc-groups")) if names is None else names
        return [*single, *paired_groups(names)]


@dataclass(frozen=True, kw_only=True)
class Scored:
    """The measures of traits, and how they are defined."""

    measure: Annotated[Literal["ilps", "ilps-star", "set", "all"], Convention("measure to compute")] = "all"
    synonyms: Annotated[bool, Convention("average each adjective with its synonyms")] = False
    prior: Annotated[
        Prior | None, Convention("prior of the scores; by default mask, for causal models noun")
    ] = None
    renormalise: Annotated[
        bool, Convention("ILPS*: word beginnings among beginnings, without special tokens")
    ] = False
    special_tokens: Annotated[
        bool, Convention("with renormalise: include special tokens, as in the released code")
    ] = False
    gamma: Annotated[float, Convention("SeT: margin by which a trait has to lead", least=0)] = 1.0
    bias: Annotated[bool, Convention("SeT: the output bias may move too")] = False
    score: Annotated[Score, Convention("SeT: formula of the paper or of its code")] = "paper"
    pilot: Annotated[
        tuple[str, ...],
        Convention("groups on which templates are chosen with --human; none to use all templates"),
    ] = PILOT

    def of(self, logits: Logits) -> list[TraitScores]:
        """The requested measures."""
        adjectives = "synonyms" if self.synonyms else "pairs"
        special = "code" if self.renormalise and self.special_tokens else self.renormalise
        measures: dict[str, tuple[Callable[..., TraitScores], dict[str, Any]]] = {
            "ilps": (ilps, {"renormalise": False}),
            "ilps-star": (ilps, {"star": True, "renormalise": special}),
            "set": (set_test, {}),
        }
        return [
            function(logits, **passed(function, self) | {"adjectives": adjectives} | options)
            for name, (function, options) in measures.items()
            if self.measure in (name, "all")
        ]

    def pilots(self, logits: Logits, judged: Judgements) -> tuple[str, ...]:
        """The groups on which templates are chosen: those named that are both probed and judged."""
        if [name.lower() for name in self.pilot] == ["none"] or len(logits.templates) < 2:
            return ()
        there = tuple(name for name in self.pilot if name in logits.groups and name in judged.groups)
        if not there and self.pilot != PILOT:
            raise InputError(
                f"none of the pilot groups {join_words(self.pilot)} is both probed and judged.",
                hint="name others with -C pilot=NAMES, or -C pilot=none to use all templates.",
            )
        return there


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How saved scores are compared with people."""

    means: Annotated[
        str | None,
        Convention("file of means over all annotators, for columns of individual answers that are copies"),
    ] = None
    own_traits: Annotated[bool, Convention("allow traits that are not in the catalogue")] = False
    threshold: Annotated[float, Convention("threshold of human means for precision")] = 50.0
    k: Annotated[int, Convention("traits at each end for precision", least=1)] = 3
    draws: Annotated[int, Convention("number of exchanges for p; 0 for none", least=0)] = 999
    resamples: Annotated[int, Convention("number of resamples for intervals; 0 for none", least=0)] = 1000

    def refuse(self) -> None:
        """Refuse conventions that are about saved scores, where a model is asked."""
        usual = vars(Comparing())
        for name, value in vars(self).items():
            if value != usual[name]:
                raise InputError(
                    f"-C {name} is about a file of scores.",
                    hint="give the file in place of the model, with --human.",
                )


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Agreement of the scores with people."""

    choices: tuple[TemplateChoice, ...] = ()
    alignments: tuple[AlignmentResult, ...] = ()
    without_pilot: tuple[AlignmentResult, ...] = ()
    """The same without the groups on which templates were chosen."""


@command
def probe_command(probed: Probed, scored: Scored, comparing: Comparing, written: Written) -> Outcome:
    """Ask a language model which traits it expects of groups.

    ILPS, ILPS* and SeT; by default the 53 groups, 16 pairs of traits and 35 templates of the ABC study. A
    file of scores is compared with judgements of people (align).
    """
    if Path(probed.model).suffix.lower() in (".json", ".csv", ".tsv") and not Path(probed.model).is_dir():
        _refuse(probed, scored)
        return align_scores(Path(probed.model), probed.human, probed.groups, comparing, written.seed)
    comparing.refuse()
    if scored.special_tokens and not scored.renormalise:
        raise InputError("-C special_tokens is given without -C renormalise.", hint="give both or neither.")
    judged = None
    if probed.human is not None:
        judged = read_judgements(probed.human, names="catalogue" if probed.traits is None else "own")
    logits = probed.answers(scored.synonyms, scored.gamma)
    results, compared = scored.of(logits), Compared()
    if judged is not None:
        results, compared = compare(results, judged, scored.pilots(logits, judged), written.seed)
    tables = [score_table(one) for one in results]
    if compared.alignments:
        aligned = {one.measure: one for one in compared.alignments}
        aligned |= {f"{one.measure}, without pilot": one for one in compared.without_pilot}
        tables.append(AlignmentResult._tabulate(aligned))
    return Outcome(
        command="probe",
        results={one._label: one for one in results},
        more={name: [one.to_dict() for one in several] for name, several in vars(compared).items()},
        tables=tables,
        titled=True,
        files=[TraitScores._tabulate({one._label: one for one in results})],
        lines=list(_sentences(logits, results, compared)),
        covered=False,
        figure=lambda _: _drawn(results),
    )


def _refuse(probed: Probed, scored: Scored) -> None:
    """Refuse options about what a model is asked, where there is a file of scores."""
    usual = vars(Scored()) | vars(Probed(model=""))
    spelled = {"store": "--answers", "restart": "--fresh"}
    for name, value in (vars(scored) | vars(probed)).items():
        if name not in ("model", "groups", "human") and value != usual[name]:
            conventions = "-C " if name in vars(scored) else "-M " if name in _READING else "--"
            said = spelled.get(name, f"{conventions}{name}")
            hint = "leave it out, or give a model in place of the file."
            raise InputError(f"{said} was given, but {probed.model} already has scores.", hint=hint)


def names_of(given: str | Iterable[str] | None) -> list[str] | None:
    """Names that are separated by commas; None where the option is absent."""
    if given is None:
        return None
    parts = [given] if isinstance(given, str) else given
    names = [name.strip() for part in parts for name in part.split(",") if name.strip()]
    if not names:
        raise InputError("an option names nothing.", hint="separate names by commas.")
    return names


@contextmanager
def watching() -> Iterator[Callable[[ProbeStep], None]]:
    """A progress bar over all texts."""
    with waiting.counting("asking the model", 1) as (bar, task):
        kept = 0

        def watch(step: ProbeStep) -> None:
            nonlocal kept
            if step.kept > kept:  # texts answered by an earlier run do not count for the speed
                kept = step.kept
                bar.reset(task, total=step.total, completed=kept)
            stages = {"loading": "loading the model", "splitting": "writing prompts"}
            what = stages.get(step.stage, "asking the model")
            bar.update(task, description=what, completed=step.done, total=step.total or 1)

        yield watch


def compare(
    results: Sequence[TraitScores], judged: Judgements, pilot: tuple[str, ...], seed: int
) -> tuple[list[TraitScores], Compared]:
    """Choose templates on the pilot groups, if there are any, and compare their scores with people."""
    target = judged.to_dict()
    choices = [choose_templates(one, target, groups=pilot) for one in results] if pilot else []
    if choices:
        results = [one.select(templates=c.templates) for one, c in zip(results, choices, strict=True)]
    rest = [name for name in results[0].groups if name not in pilot and name in judged.groups]
    options: dict[str, Any] = {"seed": seed, "k": min(3, len(results[0].traits))}
    again = results if choices and rest else []
    return list(results), Compared(
        choices=tuple(choices),
        alignments=tuple(align(one, judged, **options) for one in results),
        without_pilot=tuple(align(one, judged, groups=rest, **options) for one in again),
    )


def _drawn(results: Sequence[TraitScores]) -> Any:
    """A map of groups and traits; one for each measure if there are several."""
    from crossroads.plots import trait_heatmap

    drawn = {one.measure.replace("*", "-star"): trait_heatmap(one) for one in results}
    return drawn if len(drawn) > 1 else next(iter(drawn.values()))


def score_table(result: TraitScores) -> Table:
    """For each group the traits with the largest scores, each with the adjective that it is closer to."""
    rows = []
    for group, scores in zip(result.groups, result.scores.tolist(), strict=True):
        known = [at for at, score in enumerate(scores) if score == score]
        furthest = sorted(known, key=lambda at: -abs(scores[at]))[:STRONGEST]
        said = [f"{result.pairs[at][scores[at] > 0]} {abs(scores[at]):.2f}" for at in furthest]
        rows.append({"group": group, "strongest": ", ".join(said) or "undefined"})
    return Table(
        name=result.measure,
        title=f"{phrases.measure(result.measure)}, relative to the prior {result.conventions.get('prior')}",
        columns=_columns(group="group", strongest="strongest associations"),
        rows=tuple(rows),
    )


def _columns(**heads: str) -> tuple[Column, ...]:
    return tuple(Column(key=key, head=head) for key, head in heads.items())


def _sentences(logits: Logits, results: Sequence[TraitScores], compared: Compared) -> Iterator[str]:
    details = logits.provenance.details
    yield (
        f"{model_name(logits.provenance)}, a {logits.kind} model: {len(logits.groups)} groups, "
        f"{len(logits.traits)} pairs of traits, {len(logits.templates)} templates."
    )
    yield "Numbers: score of the adjective shown minus that of its opposite."
    if logits.kind == "causal":
        yield "A causal model is asked for the trait as the next tokens after the text before it."
    for choice in compared.choices:
        chosen = join_words(choice.templates)
        yield f"{choice.measure}: templates chosen on {join_words(choice.groups)}: {chosen}"
    for text, reason in details.get("templates_left_out", {}).items():
        yield f"left out: {text} ({reason})"
    if details.get("templates_cut"):
        yield f"used up to the trait: {join_words(details['templates_cut'], most=3)}"
    for name in ("dropped_groups", "dropped_adjectives"):
        for word, reason in details.get(name, {}).items():
            yield f"dropped: {word} ({reason})"
    for one in results:
        if one.undefined:
            yield f"{one.measure}: {len(one.undefined)} cells are undefined, and the means they enter."
        if one.floored:
            yield f"{one.measure}: {len(one.floored)} cells already lead and get the smallest distance."


def align_scores(
    scores: Path, human: Path | None, groups: list[str] | None, comparing: Comparing, seed: int
) -> Outcome:
    """The scores of a file next to the judgements of people."""
    if human is None:
        raise InputError(f"{scores} has scores, and no judgements are named.", hint="add --human FILE.")
    own = comparing.own_traits
    judged = read_judgements(human, means=comparing.means, names="own" if own else "catalogue")
    options = passed(align, comparing) | {"groups": names_of(groups), "seed": seed}
    results: dict[str, AlignmentResult] = {}
    for at, table in enumerate(read_trait_tables(scores, own_traits=own), start=1):
        name = table.measure if table.measure not in results else f"{table.measure} {at}"
        results[name] = align(table, judged, **options)
    shown = [table for result in results.values() for table in (_overall(result), _by_group(result))]
    return Outcome(
        command="align",
        results=results,
        tables=shown,
        titled=True,
        files=[AlignmentResult._tabulate(results), *shown[1::2]],
        lines=list(dict.fromkeys(line for result in results.values() for line in _explained(result))),
        covered=False,
        figure=lambda _: _drawn_alignment(results),
    )


def _drawn_alignment(results: dict[str, AlignmentResult]) -> Any:
    """One group as a profile, several as a map of the first measure."""
    from crossroads.plots import profile, trait_heatmap

    first = next(iter(results.values()))
    return trait_heatmap(first) if len(first.by_group) > 1 else profile(results, next(iter(first.by_group)))


def _overall(result: AlignmentResult) -> Table:
    """Agreement over all groups, with chance and ceiling."""
    cells = sum(group.traits for group in result.by_group.values())
    exchanged, noise = result.exchanges.get("groups"), result.noise
    of_tau, of_precision = (each and Interval(*each) for each in (result.interval, result.precision_interval))
    chance, truth = exchanged and exchanged.expected_tau, noise and noise.truth
    of_truth = noise and noise.truth_precision
    rows = (
        ("Kendall's τ", result.kendall_tau, of_tau, chance, truth),
        (f"precision at {result.k}", result.precision_at_3, of_precision, result.precision_chance, of_truth),
    )
    head = "95 % CI" if result.conventions["level"] == 0.95 else "interval"
    columns = _columns(what="all groups", value="value", interval=head, chance="chance", ceiling="ceiling")
    title = f"{result.measure} and people: {len(result.by_group)} groups, {cells} scores"
    keyed = tuple({column.key: cell for column, cell in zip(columns, row, strict=True)} for row in rows)
    return Table(name="overall", title=title, columns=columns, rows=keyed)


def _by_group(result: AlignmentResult) -> Table:
    numbers = "tau=kendall_tau precision=precision_at_3 top=precision_top bottom=precision_bottom ceiling"
    rows = [
        {
            "group": name,
            "p": None if one.kendall_pvalue is None else P(one.kendall_pvalue),
            "people": one.annotators or None,
            **named(one, numbers),
        }
        for name, one in result.by_group.items()
    ]
    same = {name: name for name in ("top", "bottom", "people", "ceiling")}
    columns = _columns(group="group", tau="τ", p="p", precision=f"P@{result.k}", **same)
    return Table(name="by-group", title="Each group", columns=columns, rows=tuple(rows))


def _explained(result: AlignmentResult) -> Iterator[str]:
    before = f"{result.measure}: "
    yield f"{before}p = {pvalue(result.kendall_pvalue)} for τ as published, with cells as if independent."
    asks = {
        "groups": "human profiles are assigned to other groups (does the model distinguish groups?)",
        "traits": "traits are permuted in the same way in all groups (does their order agree?)",
    }
    for name, one in result.exchanges.items():
        yield f"{before}{p_equals(P.of(one.pvalue, _SAMPLED))} if {asks[name]}."
    if result.exchanges:
        yield from phrases.marks_used([("≈", _SAMPLED)])
        yield "chance: mean τ with human profiles of other groups; precision of a random order."
    if result.noise is not None:
        low, high = result.noise.split_half_interval
        yield (
            "ceiling: agreement of the mean of all people with the mean of those in the study. "
            f"Halves agree at τ = {number(result.noise.split_half)} ({number(low)} to {number(high)})."
        )
    for sentence in describe_coverage(result.coverage) if result.coverage else []:
        if not sentence.startswith("found"):  # people and models may name groups differently
            yield sentence
