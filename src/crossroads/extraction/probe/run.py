"""Probe a language model about groups and traits; resumable at any moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from crossroads.errors import InputError, OnMissing
from crossroads.evidence.logits import Logits
from crossroads.evidence.provenance import Provenance
from crossroads.extraction.embed.store import usable_place
from crossroads.extraction.language import (
    ProbeStep,
    Progress,
    batches_at_once,
    check_run,
    ignore,
    load_language_model,
    model_threads,
)
from crossroads.extraction.probe.answers import Answers, Prober, joined, units_in_order, unpacked
from crossroads.extraction.probe.material import selected_material
from crossroads.extraction.probe.pieces import Marks, find_marks
from crossroads.extraction.probe.plan import ProbePlan, make_probe_plan
from crossroads.extraction.probe.prompts import Prior, chosen_templates, group_rows, prior_rows
from crossroads.extraction.probe.results import answered, provenance_of, record_of
from crossroads.extraction.probe.tokens import Material, make_material
from crossroads.sources.models.language import CAUSAL, Asked, LanguageModel
from crossroads.sources.models.transformers import Device
from crossroads.storage.cache import Parts, check_settings, remove_leftovers
from crossroads.storage.disks import disk_errors
from crossroads.workers.processes import processors


def probe(
    model: str | Path,
    *,
    groups: Any = None,
    traits: Any = None,
    templates: Any = None,
    priors: Sequence[Prior] = get_args(Prior),
    synonyms: bool = False,
    kind: Asked = "auto",
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
        Otherwise a file (see :mod:`crossroads.extraction.probe.files`), entries of the catalogue, or lists:
        of names of the study's groups, groups and paired groups; of pairs of adjectives; of texts with
        ``{trait}`` and one of ``{singular}``, ``{plural}``, ``{capitalised}``, or names of template families.
    priors
        What replaces the group for comparison. ``"mask"``: one mask in the place of the group's words, for
        causal models a blank (``___``). ``"noun"``: person, people, People.
    synonyms
        Whether the synonyms of the adjectives are asked for as well.
    kind
        ``"masked"``, ``"causal"``, or ``"auto"``, to take it from the model.
    margin
        Largest margin γ for which SeT has to be exact; determines how many of the largest logits are kept.
    missing
        ``"raise"`` an error that names groups, traits and templates which the tokenizer does not know, or
        ``"drop"`` them. A pair of which one adjective is dropped is dropped as a whole.
    revision
        Branch, tag or commit on the hub.
    store
        Folder for the answers. With it, finished work is kept on disk: a run that was killed continues where
        it stopped, and the folder has the same bytes in the end. Without it the answers are in memory only.
    device
        ``"cpu"``, ``"cuda"``, ``"mps"`` or ``"auto"``.
    threads
        Threads of the model; by default one for each processor. Each has its own batch; several share one
        only if there are more threads than batches, or than
        :data:`~crossroads.extraction.language.AT_ONCE`. Part of the settings, because that may change last
        bits.
    batch_size
        Most texts of a batch.
    unit_texts
        Texts after which a work unit ends, which is the most that is lost when a run is killed.
    restart
        Whether to discard an unfinished store that was made with other settings.
    progress
        Called with a :class:`~crossroads.extraction.language.ProbeStep` now and then.

    Returns
    -------
    Logits
        What ILPS, ILPS* and SeT need; never all logits. ``provenance.details`` lists the templates that were
        cut or left out for a causal model, and what was dropped.

    Notes
    -----
    A trait of k pieces takes up k masks. It is read with all of them empty (ILPS), and with the pieces
    before filled in from left to right (ILPS*, SeT). A causal model is read for the trait as the next
    tokens after the text before it; templates in which the group follows the trait are left out. The logits
    are ``A h + b``, where ``h`` is the input of the output matrix.

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
    _check(missing, margin, batch_size=batch_size, unit_texts=unit_texts, threads=threads or 1)
    report = progress or ignore
    place = None if store is None else usable_place(store)
    asked = selected_material(groups, traits, templates)
    rows = group_rows(asked.groups)
    report(ProbeStep(stage="loading"))
    loaded = load_language_model(
        model,
        revision=revision,
        kind=kind,
        device=device,
        instead="probe a masked or causal language model; crossroads audit measures an ELMo's vectors.",
    )
    causal = loaded.kind == CAUSAL
    sheet = chosen_templates(asked.templates, causal=causal)
    report(ProbeStep(stage="splitting"))
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
    limits = {"batch_size": batch_size, "unit_texts": unit_texts}
    threads = threads or processors()
    record = record_of(loaded, material, margin=margin, threads=threads, **limits)
    marks = find_marks(loaded.tokenizer, loaded.vocabulary)
    plan = make_probe_plan(
        material.splits,
        material.shape,
        mask=None if causal else int(loaded.tokenizer.mask_token_id),
        vocabulary=loaded.vocabulary,
        longest=loaded.longest,
        **limits,
    )
    about = provenance_of(loaded, material, sheet, marks, plan, record)
    workers = batches_at_once(loaded, threads, plan.batches.size - 1)
    with model_threads(threads // workers):
        run = _Run(plan, Prober(loaded, marks, margin), workers, report)
        if place is None:
            found = joined([answers for _, answers in run(range(plan.sizes.size))])
            return answered(loaded, material, marks, plan, found, about)
        return _stored(place, record, restart, loaded, material, marks, run, about, report)


class _Run:
    """The work, the prober, and the callback of progress."""

    def __init__(self, plan: ProbePlan, prober: Prober, workers: int, report: Progress) -> None:
        self.plan, self._prober, self._workers, self._report = plan, prober, workers, report
        self._step = ProbeStep(stage="asking", total=int(plan.sizes.sum()))

    def __call__(self, units: Sequence[int]) -> Iterator[tuple[int, Answers]]:
        """The units that are left, each with its answers."""
        left = int(self.plan.sizes[list(units)].sum())
        kept = self._step.total - left
        self._step = replace(self._step, done=kept, kept=kept)
        self._report(self._step)
        yield from units_in_order(self.plan, units, self._prober, self._workers, self._report_texts)

    def _report_texts(self, texts: int) -> None:
        self._step = replace(self._step, done=self._step.done + texts)
        self._report(self._step)


def _stored(
    store: Path,
    record: dict[str, Any],
    restart: bool,
    model: LanguageModel,
    material: Material,
    marks: Marks,
    run: _Run,
    about: Provenance,
    report: Progress,
) -> Logits:
    """Continue a store, and put it together."""
    if _is_finished(store, record):
        remove_leftovers(store)
        report(ProbeStep(stage="present"))
        return Logits.open(store)
    parts = Parts(store, record, restart=restart)
    try:
        plan = run.plan
        for unit, answers in run([one for one in range(plan.sizes.size) if one not in parts.finished]):
            parts.save(unit, answers.packed())
        answers = joined(
            [unpacked(np.load(parts.finished[u], allow_pickle=False)) for u in range(plan.sizes.size)]
        )
        with disk_errors(store, parts=parts.folder):
            if store.is_dir():
                store.rmdir()  # empty, or it would have been refused
            answered(model, material, marks, plan, answers, about).save(store)
        parts.remove()
    finally:
        parts.close()
    return Logits.open(store, verify=False)


def _is_finished(store: Path, record: dict[str, Any]) -> bool:
    """Whether the store is finished already; one with other settings, or another folder, is an error."""
    if not store.exists() or (store.is_dir() and not any(store.iterdir())):
        return False
    if not (store / "manifest.json").is_file():
        raise InputError(f"{store} exists and is not a probe.", hint="name a new folder.")
    details = Logits.open(store, verify=False).provenance.details
    check_settings(store, record, details, found="is a finished probe", place="folder")
    return True


def _check(missing: str, margin: float, **counts: int) -> None:
    check_run(missing, **counts)
    if not (np.isfinite(margin) and margin >= 0):
        raise InputError(f"margin={margin} is not a margin.", hint="give a number from 0 up.")
