"""Probe a language model about groups and traits; resumable at any moment.

Kept for each slot are the logits of the tokens that are read, five log-sum-exps (all tokens, those that begin
words, those that continue them, and both of these with special tokens), the squared length of ``h``, and the
largest logits: as many as SeT needs for an exact answer, found slot by slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, InputError, OnMissing, require
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.models.language import CAUSAL, Asked, LanguageModel
from crossroads.core.models.opening import (
    Batch,
    Integers,
    ProbeStep,
    Progress,
    RunOptions,
    TextPlan,
    Tokens,
    is_finished,
    plan_texts,
    run_provenance,
)
from crossroads.core.models.transformers import Device
from crossroads.core.storage.cache import record_fingerprint
from crossroads.core.storage.staging import usable_place
from crossroads.core.workers import processors
from crossroads.traits.probe.evidence import Logits
from crossroads.traits.probe.material import selected_material
from crossroads.traits.probe.prompts import (
    BLANK,
    Prior,
    UsableTemplates,
    chosen_templates,
    group_rows,
    prior_rows,
)
from crossroads.traits.probe.tokens import Cell, Marks, Material, Split, find_marks, make_material

SCHEME = "crossroads-probe/2"
"""Name of the procedure; changes when the same input would give other bytes."""
Reading = tuple[Tokens, int, int]
"""A text, a position in it, and the token that is read there."""
FIRST_HEAD, GROWTH = 64, 4
"""How many of the largest logits are kept, and the factor for further attempts if these do not suffice."""

Floats = NDArray[np.float64]
PER_SLOT = (
    *("log_sum_exp", "log_sum_initial", "log_sum_continuation"),
    *("log_sum_bare_initial", "log_sum_bare_continuation", "hidden_sq_norm"),
)
"""Fields with one number for each slot."""


def probe(
    model: str | Path,
    *,
    groups: Any = None,
    traits: Any = None,
    templates: Any = None,
    priors: Sequence[Prior] = get_args(Prior),
    synonyms: bool = False,
    asked_as: Asked = "auto",
    margin: float = 4.0,
    missing: OnMissing = "raise",
    revision: str | None = None,
    store: str | Path | None = None,
    device: Device = "auto",
    threads: int | None = None,
    batch_size: int = 64,
    unit_texts: int = 512,
    restart: bool = False,
    progress: Progress | None = None,
) -> Logits:
    """Ask a masked or causal language model for every trait of every group.

    Parameters
    ----------
    model
        A folder, a ``.gguf`` file, or a name on the Hugging Face hub.
    groups, traits, templates
        The material: by default the 53 groups, 16 pairs and 35 templates of the ABC study.
        Otherwise a file (see :mod:`crossroads.traits.probe.material`), entries of the catalogue, or
        lists: of names of the study's groups, groups and paired groups; of pairs of adjectives; of texts with
        ``{trait}`` and one of ``{singular}``, ``{plural}``, ``{capitalised}``, or names of template families.
    priors
        What replaces the group for comparison. ``"mask"``: one mask in the place of the group's words, for
        causal models a blank (``___``). ``"noun"``: person, people, People.
    synonyms, asked_as
        Whether the synonyms of the adjectives are asked for as well; and ``"masked"``, ``"causal"``, or
        ``"auto"``, to take it from the model.
    margin
        Largest margin γ for which SeT has to be exact; determines how many of the largest logits are kept.
    missing
        ``"raise"`` an error that names groups, traits and templates which the tokenizer does not know, or
        ``"drop"`` them. A pair of which one adjective is dropped is dropped as a whole.
    revision
        Branch, tag or commit on the hub.
    store
        Folder for the answers, in which a run that was killed continues; without it they are in memory only.
    device, threads
        ``"cpu"``, ``"cuda"``, ``"mps"`` or ``"auto"``; and threads of the model, by default one for each
        processor: part of the settings, because their number may change last bits.
    batch_size, unit_texts
        Most texts of a batch, and of a work unit, which is the most that is lost when a run is killed.
    restart
        Whether to discard an unfinished store that was made with other settings.
    progress
        Called with a :class:`~crossroads.core.models.opening.ProbeStep` now and then.

    Returns
    -------
    Logits
        What ILPS, ILPS* and SeT need; ``provenance.details`` lists what was cut, left out or dropped.

    Notes
    -----
    A trait of k pieces takes up k masks. It is read with all of them empty (ILPS), and with the pieces
    before filled in from left to right (ILPS*, SeT). A causal model is read for the trait as the next
    tokens after the text before it; templates in which the group follows the trait are left out.

    Examples
    --------
    ``folder`` holds a masked model:

    >>> import crossroads as cr
    >>> logits = cr.probe(
    ...     folder, groups=["woman"], traits=[("cold", "warm")], templates=["{capitalised} are {trait}."]
    ... )
    >>> logits.groups, logits.priors, logits.adjectives
    (('woman',), ('mask', 'noun'), ('cold', 'warm'))
    """
    options = RunOptions.of(locals())
    if not (np.isfinite(margin) and margin >= 0):
        raise InputError(f"margin={margin} is not a margin.", hint="give a number from 0 up.")
    place = None if store is None else usable_place(store)
    asked = selected_material(groups, traits, templates)
    rows = group_rows(asked.groups)
    instead = "probe a masked or causal language model; crossroads audit measures an ELMo's vectors."
    loaded = options.load(model, instead=instead)
    causal = loaded.kind == CAUSAL
    sheet = chosen_templates(asked.templates, causal=causal)
    material = make_material(
        loaded.tokenizer,
        groups=rows,
        priors=prior_rows(priors, asked.noun, None if causal else loaded.tokenizer.mask_token),
        templates=sheet.templates,
        traits=asked.traits,
        synonyms=synonyms,
        causal=causal,
        missing=missing,
    )
    used = threads or processors()
    record = options.record(loaded, SCHEME, _asked(material), margin=margin, threads=used)
    unverified = partial(Logits.open, verify=False)
    if place is not None and is_finished(place, record, unverified, what="probe"):
        options.report(ProbeStep(stage="present"))
        return Logits.open(place)
    marks = find_marks(loaded.tokenizer, loaded.vocabulary)
    plan = make_probe_plan(
        material.splits,
        material.shape,
        mask=None if causal else int(loaded.tokenizer.mask_token_id),
        vocabulary=loaded.vocabulary,
        longest=loaded.longest,
        **options.limits,
    )
    about = run_provenance(loaded, plan.work, record, _details(loaded, material, sheet, marks))
    found = options.run(
        plan.work,
        Prober(loaded, marks, margin),
        lambda answers: joined(answers).packed(),
        lambda units: _logits(loaded, material, marks, plan, joined([unpacked(one) for one in units]), about),
        device=loaded.device,
        store=place,
        record=record,
    )
    return found if place is None else unverified(place)


def _logits(
    model: LanguageModel,
    material: Material,
    marks: Marks,
    plan: ProbePlan,
    answers: Answers,
    about: Provenance,
) -> Logits:
    """The answers, labelled by groups, templates and adjectives."""
    slots = plan.work.asked_slot
    logit, slot = _cells(plan.cells, slots, answers)
    chain = (None, None) if plan.chain is None else _cells(plan.chain, slots, answers)
    return Logits.from_arrays(
        groups=[row.name for row in material.groups],
        priors=[row.name for row in material.priors],
        templates=material.templates,
        traits=material.traits,
        adjectives=material.adjectives,
        kind=model.kind,
        vocabulary=model.vocabulary,
        logit=logit,
        slot=slot,
        chain_logit=chain[0],
        chain_slot=chain[1],
        word_initial=material.word_initial(marks),
        head=np.split(answers.heads, np.cumsum(answers.sizes)[:-1]),
        **dict(zip(PER_SLOT, answers.sums, strict=True)),
        provenance=about,
    )


def _cells(readings: Integers, slots: Integers, answers: Answers) -> tuple[NDArray[np.float32], Integers]:
    there = readings >= 0
    logit = np.where(there, answers.read[readings], np.float32(np.nan))
    return logit, np.where(there, slots[readings], -1)


def _details(
    model: LanguageModel, material: Material, sheet: UsableTemplates, marks: Marks
) -> dict[str, Any]:
    """What the provenance says of the model and of what was left out."""
    return {
        "output_bias": model.has_bias,
        "output_tied": model.is_tied,
        "word_sign": marks.sign,
        "mask_prior": f"the blank {BLANK}" if model.kind == CAUSAL else model.tokenizer.mask_token,
        "templates_left_out": {**sheet.left_out, **material.dropped["templates"]},
        "templates_cut": list(sheet.cut),
        **{f"dropped_{kind}": dict(material.dropped[kind]) for kind in ("groups", "adjectives")},
    }


def _asked(material: Material) -> dict[str, Any]:
    # scores depend on which adjectives are at which end, not on the name of the pair alone
    traits = [[t.left, t.right, t.scale, [*t.left_synonyms], [*t.right_synonyms]] for t in material.traits]
    asked = {
        "rows": {row.name: dict(row.forms) for row in (*material.groups, *material.priors)},
        "templates": list(material.templates),
        "adjectives": list(material.adjectives),
        "traits": traits,
    }
    return {
        **{name: len(getattr(material, name)) for name in ("groups", "templates", "adjectives")},
        "asked sha256": record_fingerprint(asked),
        "heads": f"{FIRST_HEAD} × {GROWTH}",
    }


@dataclass(frozen=True, kw_only=True)
class ProbePlan:
    """All the work, and where its answers belong."""

    work: TextPlan
    cells: Integers
    """Rows × templates × adjectives × pieces: what is read with all masks empty; −1 for no piece."""
    chain: Integers | None
    """The same with earlier pieces filled in; None for causal models, which have no other way."""


def make_probe_plan(
    splits: Mapping[Cell, Split], shape: Cell, *, mask: int | None, longest: int, **limits: int
) -> ProbePlan:
    """Plan the work; ``mask`` is None for causal models, and ``limits`` are those of ``plan_texts``."""
    deepest = max(len(split.pieces) for split in splits.values())
    cells = np.full((*shape, deepest), -1, np.int64)
    chain = None if mask is None else cells.copy()
    readings: dict[Reading, int] = {}

    def number_of(*reading: *Reading) -> int:
        return readings.setdefault(reading, len(readings))

    for at, split in splits.items():
        for number, piece in enumerate(split.pieces):
            seen = (*split.before, *split.pieces[:number])
            if mask is None or chain is None:
                cells[(*at, number)] = number_of(seen, len(seen) - 1, piece)
                continue
            text = (*split.before, *(mask,) * len(split.pieces), *split.after)
            cells[(*at, number)] = number_of(text, len(seen), piece)
            filled = (*seen, *(mask,) * (len(split.pieces) - number), *split.after)
            chain[(*at, number)] = number_of(filled, len(seen), piece)
    if mask is None:
        readings = _joined_prefixes(readings)
    texts = {text: at for at, text in enumerate(dict.fromkeys(text for text, _, _ in readings))}
    too_long = max(map(len, texts), default=0)
    if too_long > longest:
        raise InputError(
            f"a prompt has {too_long} tokens; the model takes {longest}.", hint="use shorter templates."
        )
    table = [(texts[text], place, token) for text, place, token in readings]
    work = plan_texts(list(texts), table, mask=mask, **limits)
    numbers = np.empty(len(table), np.int64)
    numbers[list(readings.values())] = work.reading_of
    for places in (cells,) if chain is None else (cells, chain):
        places[:] = np.where(places < 0, -1, numbers[np.maximum(places, 0)])
    return ProbePlan(work=work, cells=cells, chain=chain)


def _joined_prefixes(readings: dict[Reading, int]) -> dict[Reading, int]:
    """Read a text that is the beginning of a longer one in the longer one: one pass serves both."""
    seen = dict.fromkeys(text for text, _, _ in readings)
    holder: dict[Tokens, Tokens] = {}
    for text in sorted(seen, key=len, reverse=True):
        if text not in holder:
            for length in range(1, len(text) + 1):
                if text[:length] in seen:
                    holder.setdefault(text[:length], text)
    return {(holder[text], place, token): number for (text, place, token), number in readings.items()}


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The numbers kept for some slots, in the order of the plan."""

    sizes: NDArray[np.int64]
    """Length of the head of each slot."""
    sums: Floats
    """Log-sum-exps and squared lengths: one row for each of :data:`PER_SLOT`."""
    read: NDArray[np.float32]
    """Logits of the tokens that are read."""
    heads: NDArray[np.float32]
    """The largest logits in descending order, slot after slot."""

    def packed(self) -> Floats:
        """Everything in one array; single-precision numbers are unchanged."""
        return np.concatenate([[self.sizes.size], self.sizes, self.sums.ravel(), self.read, self.heads])


def unpacked(array: Floats) -> Answers:
    """Rebuild from :meth:`Answers.packed`."""
    slots = int(array[0])
    sizes, sums, rest = np.split(array[1:], [slots, (1 + len(PER_SLOT)) * slots])
    kept = int(sizes.sum())
    return Answers(
        sizes=sizes.astype(np.int64),
        sums=sums.reshape(len(PER_SLOT), slots),
        read=rest[: rest.size - kept].astype(np.float32),
        heads=rest[rest.size - kept :].astype(np.float32),
    )


def joined(parts: Sequence[Answers]) -> Answers:
    """Concatenate answers."""
    names = Answers.__dataclass_fields__
    return Answers(**{n: np.concatenate([getattr(part, n) for part in parts], axis=-1) for n in names})


class Prober:
    """A loaded model that answers batches, for SeT with margins up to ``margin``."""

    def __init__(self, model: LanguageModel, marks: Marks, margin: float) -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self._model, self._margin = model, margin
        kinds = [np.ones_like(marks.initial), marks.initial, marks.continuation]
        kinds += [marks.bare_initial, marks.bare_continuation]
        table = np.stack(kinds, axis=1).astype(np.float32)
        self._kinds = self._torch.from_numpy(table).to(model.device)

    def __call__(self, batch: Batch) -> Answers:
        """The answers to a batch; several threads may call it at once."""
        with self._torch.inference_mode():
            return self._answer(batch)

    def _answer(self, batch: Batch) -> Answers:
        torch, device = self._torch, self._model.device
        logits, hidden = self._model.ask(batch.ids, batch.text, batch.place)
        slot = torch.from_numpy(batch.asked_slot).to(device)
        read = logits[slot, torch.from_numpy(batch.asked_token).to(device)]
        lowest = torch.full((len(logits),), torch.inf, device=device)
        lowest = lowest.scatter_reduce(0, slot, read, "amin")
        heads = self._heads(logits, lowest)
        top = torch.stack([head[0] for head in heads])
        # Sums of numbers from 0 to 1, one of which is 1: their error is below that of the logits.
        sums = logits.sub_(top[:, None]).exp_() @ self._kinds
        logs = top.cpu().double().numpy()[:, None] + np.log(sums.cpu().double().numpy())
        answers = Answers(
            sizes=np.array([len(head) for head in heads], np.int64),
            sums=np.stack([*logs.T, (hidden.cpu().double() ** 2).sum(1).numpy()]),
            read=read.float().cpu().numpy(),
            heads=torch.cat(heads).float().cpu().numpy(),
        )
        if not all(np.isfinite(getattr(answers, name)).all() for name in Answers.__dataclass_fields__):
            raise CrossroadsError(
                f"{self._model.files.name} gave a logit that is not finite.",
                hint="its weights are damaged, or it does not work in float32 on this device.",
            )
        return answers

    def _heads(self, logits: Any, lowest: Any) -> list[Any]:
        """The largest logits of each slot, enough for the smallest that is read there."""
        vocabulary = logits.shape[1]
        heads: list[Any] = [None] * len(logits)
        left, size = list(range(len(logits))), min(FIRST_HEAD, vocabulary)
        while left:
            rows = logits if len(left) == len(logits) else logits[left]
            found = rows.topk(size, dim=1).values
            enough = self._suffice(found, lowest[left]) if size < vocabulary else [True] * len(left)
            for at, head, done in zip(left, found, enough, strict=True):
                if done:
                    heads[at] = head
            left = [at for at in left if heads[at] is None]
            size = min(GROWTH * size, vocabulary)
        return heads

    def _suffice(self, heads: Any, lowest: Any) -> list[bool]:
        """Whether the logits below each head stay unchanged for every token that is read.

        They do if K·l_K − (l_1 + … + l_(K−1)) + γ ≤ l_t, with the head l_1 … l_K in descending order, for a
        token t below the head; and for a token in it, with one fewer l_K.
        """
        heads, lowest = heads.cpu().double(), lowest.cpu().double()
        below = heads[:, :1] - heads
        outside = lowest < heads[:, -1]
        size = heads.shape[1] - (~outside).double()
        slack = below[:, :-1].sum(1) - size * below[:, -1] + self._margin
        room = self._torch.where(outside, lowest - heads[:, 0], self._torch.zeros_like(lowest))
        enough: list[bool] = (slack <= room).tolist()
        return enough
