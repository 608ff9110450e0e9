"""Logits of a language model for given words, with what is needed to interpret them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from operator import index
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.core.errors import CrossroadsError, EvidenceError, FormatError, InputError, in_short, one_of
from crossroads.core.evidence.embeddings import Provenance, provenance_of
from crossroads.core.results import read_only
from crossroads.core.stimuli import Trait, Traits
from crossroads.core.storage.arrays import MANIFEST, read_folder, write_folder
from crossroads.core.wording.numbers import counted

FORMAT = "crossroads-logits/1"
_CELLS = ("logit", "slot", "chain_logit", "chain_slot")
"""Arrays with one entry per cell."""
_SUMS = ("log_sum_initial", "log_sum_continuation", "log_sum_bare_initial", "log_sum_bare_continuation")
"""Optional arrays with one entry per slot: sums over some tokens, in pairs."""
_SLOTS = ("log_sum_exp", "hidden_sq_norm", *_SUMS)
"""Arrays with one entry per slot."""
_ARRAYS = (*_CELLS, "word_initial", "heads", "head_edges", *_SLOTS)
_OPTIONAL = ("chain_logit", "chain_slot", *_SUMS)
_TYPES = {"slot": np.integer, "chain_slot": np.integer, "head_edges": np.integer, "word_initial": np.bool_}
"""Types of arrays that do not hold floating-point numbers."""
_LABELS = ("groups", "priors", "templates", "adjectives")
Restriction = Literal["none", "position", "piece", "code"]
"""Tokens over which probabilities are renormalised; see :meth:`Logits.log_probabilities`."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Logits:
    """Logits of adjectives in templates filled with social groups, read-only.

    A *cell* is one piece of one adjective in one template with one row (a group or a prior). A *slot* is one
    position of one forward pass: of its logits only the largest are kept, with their log-sum-exp. Build it
    with :meth:`from_arrays`, which checks what it is given.

    Examples
    --------
    >>> import numpy as np
    >>> full = np.array([[3.0, 1.0, 0.0, -1.0], [2.0, 2.5, 0.5, 0.0]])  # of "women", then of the prior
    >>> logits = Logits.from_arrays(
    ...     groups=["women"],
    ...     priors=["mask"],
    ...     templates=["{capitalised} are {trait}."],
    ...     traits=[("cold", "warm")],  # tokens 2 and 1
    ...     logit=full[:, None, [2, 1], None],
    ...     slot=np.array([0, 1])[:, None, None, None] * np.ones((1, 1, 2, 1), dtype=int),
    ...     head=-np.sort(-full, axis=1),
    ...     log_sum_exp=np.log(np.exp(full).sum(axis=1)),
    ...     hidden_sq_norm=[9.0, 8.0],
    ...     vocabulary=4,
    ... )
    >>> logits
    <Logits: 1 group, 1 prior, 1 template, 2 adjectives, masked model, in memory>
    """

    groups: tuple[str, ...]
    """The social groups: the first rows of the cells."""
    priors: tuple[str, ...]
    """The priors, which name no group, such as ``mask`` and ``noun``: the rows after the groups."""
    templates: tuple[str, ...]
    """The templates, as the texts that were filled."""
    traits: tuple[Trait, ...]
    """The pairs of opposite adjectives."""
    adjectives: tuple[str, ...]
    """The words asked for: those of the pairs, and any synonyms."""
    kind: str
    """``masked`` or ``causal``."""
    vocabulary: int
    """Number of tokens of the model."""
    logit: NDArray[Any]
    """Logit of each piece, rows × templates × adjectives × pieces, NaN where there is no such piece.

    In a masked model, at the position of the piece when all masks of the adjective are empty; in a causal
    one, after the text before the adjective and its earlier pieces.
    """
    slot: NDArray[np.int64]
    """The slot that each logit was read from; −1 where there is no piece."""
    chain_logit: NDArray[Any] | None
    """Masked models: the logits with the earlier pieces filled in, left to right; None if not asked for."""
    chain_slot: NDArray[np.int64] | None
    """The slots of ``chain_logit``."""
    word_initial: NDArray[np.bool_]
    """Whether a piece begins a word, adjectives × pieces: all pieces of *low status* do."""
    heads: NDArray[Any]
    """The largest logits of every slot in descending order, slot after slot."""
    head_edges: NDArray[np.int64]
    """Where the head of each slot begins in ``heads``, and where the last one ends."""
    log_sum_exp: NDArray[np.float64]
    """Logarithm of the sum of the exponentials of all logits of a slot."""
    hidden_sq_norm: NDArray[np.float64]
    """Squared length of the hidden vector that the output matrix multiplied."""
    log_sum_initial: NDArray[np.float64] | None
    """The same sum over tokens that begin a word; None if it was not kept."""
    log_sum_continuation: NDArray[np.float64] | None
    """The same sum over tokens that continue a word; None if it was not kept."""
    log_sum_bare_initial: NDArray[np.float64] | None = None
    """The same sum over tokens that begin a word by their mark alone, special tokens included."""
    log_sum_bare_continuation: NDArray[np.float64] | None = None
    """The same sum over tokens that continue a word by their mark alone."""
    provenance: Provenance
    """Where the logits came from."""

    def __post_init__(self) -> None:
        _check_labels(self)
        _check_shapes(self)
        _check_numbers(self)
        for name, array in self._arrays(_ARRAYS).items():
            object.__setattr__(self, name, read_only(array.view()))

    @classmethod
    def from_arrays(
        cls,
        *,
        groups: Iterable[str],
        priors: Iterable[str],
        templates: Iterable[str],
        traits: Traits | Iterable[Trait | tuple[str, str]],
        logit: ArrayLike,
        slot: ArrayLike,
        head: ArrayLike | Sequence[ArrayLike],
        log_sum_exp: ArrayLike,
        hidden_sq_norm: ArrayLike,
        vocabulary: int,
        adjectives: Iterable[str] | None = None,
        kind: str = "masked",
        chain_logit: ArrayLike | None = None,
        chain_slot: ArrayLike | None = None,
        word_initial: ArrayLike | None = None,
        log_sum_initial: ArrayLike | None = None,
        log_sum_continuation: ArrayLike | None = None,
        log_sum_bare_initial: ArrayLike | None = None,
        log_sum_bare_continuation: ArrayLike | None = None,
        provenance: Provenance | str | None = None,
    ) -> Logits:
        """Build from arrays, filled in any order; the fields say what each holds.

        Parameters
        ----------
        groups, priors, templates, adjectives
            Labels of the cells; rows are the groups, then the priors. Without ``adjectives``, those of the
            pairs: left and right of each.
        traits
            The pairs, such as ``catalog("abc-traits")``, or tuples of left and right adjective.
        logit, slot, chain_logit, chain_slot
            NaN and −1 where an adjective has fewer pieces. The chain is needed by ILPS* and SeT if an
            adjective has several pieces; its slots are in the same table.
        head
            For each slot its largest logits in descending order, as many as are known. The longer, the larger
            the margin for which SeT is exact.
        log_sum_initial, log_sum_continuation, log_sum_bare_initial, log_sum_bare_continuation
            For renormalised ILPS*; as the other sums, one number per slot.
        word_initial
            By default the first pieces begin a word.
        provenance
            A :class:`Provenance` or a description.
        """
        given = locals()
        heads, edges = _flat(head)
        pairs = tuple(map(trait_of, listed(traits, "traits")))
        if adjectives is None:
            given["adjectives"] = dict.fromkeys(word for pair in pairs for word in (pair.left, pair.right))
        cells = np.array(logit, dtype=heads.dtype)
        if word_initial is None and cells.ndim == 4:
            word_initial = np.tile(np.arange(cells.shape[3]) == 0, (cells.shape[2], 1))
        made: dict[str, Any] = {name: tuple(listed(given[name], name)) for name in _LABELS}
        made |= {name: None if given[name] is None else np.array(given[name], float) for name in _SLOTS}
        return cls(
            **made,
            traits=pairs,
            kind=kind,
            vocabulary=vocabulary,
            logit=cells,
            slot=np.array(slot),
            chain_logit=None if chain_logit is None else np.array(chain_logit, dtype=heads.dtype),
            chain_slot=None if chain_slot is None else np.array(chain_slot),
            word_initial=np.array(word_initial, dtype=bool),
            heads=heads,
            head_edges=edges,
            provenance=provenance_of(None if provenance == "" else provenance, "in memory"),
        )

    def _arrays(self, names: Iterable[str]) -> dict[str, Any]:
        """Some of the arrays; those that are None are left out."""
        return {name: array for name in names if (array := getattr(self, name)) is not None}

    def save(self, path: str | Path) -> None:
        """Write a folder that :meth:`open` reads; it must not exist."""
        about = {
            **{name: list(getattr(self, name)) for name in _LABELS},
            "traits": [asdict(trait) for trait in self.traits],
            "kind": self.kind,
            "vocabulary": int(self.vocabulary),
            "provenance": self.provenance.to_dict(),
        }
        write_folder(path, self._arrays(_ARRAYS), about, kind=FORMAT)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True) -> Logits:
        """Open a folder that :meth:`save` wrote; the arrays stay on disk until they are used.

        ``verify`` says whether every file is compared with its checksum first.
        """
        arrays, about = read_folder(path, kind=FORMAT, made_by="`crossroads probe`", verify=verify)
        try:
            traits: list[dict[str, Any]] = [
                {key: tuple(one) if isinstance(one, list) else one for key, one in pair.items()}
                for pair in about["traits"]
            ]
            made: dict[str, Any] = {name: tuple(listed(about[name], name)) for name in _LABELS}
            made |= {name: arrays.get(name) if name in _OPTIONAL else arrays[name] for name in _ARRAYS}
            return cls(
                **made,
                traits=tuple(Trait(**one) for one in traits),
                kind=about["kind"],
                vocabulary=index(about["vocabulary"]),
                provenance=Provenance.from_dict(about["provenance"]),
            )
        except CrossroadsError as error:
            raise FormatError(error.message, path=path, hint=error.hint) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(
                f"the manifest does not describe logits ({type(error).__name__}: {error}).",
                path=Path(path) / MANIFEST,
                hint="the folder is damaged or was changed; make it again.",
            ) from error

    @property
    def rows(self) -> tuple[str, ...]:
        """The groups, then the priors: the first dimension of the cells."""
        return self.groups + self.priors

    @property
    def slots(self) -> int:
        """Number of slots."""
        return self.head_edges.size - 1

    @property
    def pieces(self) -> NDArray[np.int64]:
        """How many pieces each adjective has in each template: templates × adjectives."""
        return np.asarray(np.isfinite(self.logit[0]).sum(axis=-1))

    def head(self, slot: int) -> NDArray[Any]:
        """The largest logits of a slot, in descending order."""
        return np.asarray(self.heads[self.head_edges[slot] : self.head_edges[slot + 1]])

    def cells(self, *, filled: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Logits and slots of the pieces, with all masks empty or with the earlier pieces filled in.

        For a causal model, and for an adjective of one piece, there is no difference.
        """
        if not filled and self.kind == "causal" and self.logit.shape[-1] > 1:
            raise InputError(
                "a causal model has no masks that could stay empty.",
                hint="use the pieces left to right (filled).",
            )
        several = (self.pieces > 1).any(axis=0)
        if filled and self.kind == "masked" and self.chain_logit is not None and self.chain_slot is not None:
            return self.chain_logit, self.chain_slot
        if filled and self.kind == "masked" and several.any():
            word = self.adjectives[int(np.argmax(several))]
            raise EvidenceError(
                f"{word!r} has several pieces, and no logits with earlier pieces filled in were kept.",
                hint="probe again with chain_logit and chain_slot, or use a measure of the first piece only.",
            )
        return self.logit, self.slot

    def log_probabilities(self, *, filled: bool, restricted: Restriction = "none") -> NDArray[np.float64]:
        """Log-probability of every piece, NaN where there is none; the shape of ``logit``.

        ``filled``: with earlier pieces filled in, left to right. ``restricted``: ``"none"``, among all
        tokens; the others are those of ``renormalise`` in :func:`~crossroads.ilps`, ``"position"`` for True.
        """
        one_of("restriction", restricted, Restriction)
        logit, slot = self.cells(filled=filled)
        if restricted == "none":
            total = self.log_sum_exp[slot]
        else:
            begins = self.word_initial
            if restricted != "piece":
                begins = np.broadcast_to(np.arange(logit.shape[-1]) == 0, begins.shape)
            initial, continuation = self._sums(special=restricted == "code")
            total = np.where(begins, initial[slot], continuation[slot])
        return np.asarray(np.where(slot < 0, np.nan, logit.astype(np.float64) - total))

    def _sums(self, *, special: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sums over tokens that begin a word, and over those that continue one."""
        names = _SUMS[2:] if special else _SUMS[:2]
        initial, continuation = (getattr(self, name) for name in names)
        if initial is None or continuation is None:
            which = ", special tokens included," if special else ""
            raise EvidenceError(
                f"the sums over tokens that begin or continue a word{which} were not kept.",
                hint=f"probe again with {names[0]} and {names[1]}"
                + ("; logits of earlier versions lack them." if special else "."),
            )
        return initial, continuation

    def select(
        self, *, groups: Iterable[str] | None = None, templates: Iterable[str] | None = None
    ) -> Logits:
        """Some groups or templates, in the order given; priors are kept, slots without cells are not."""
        chosen = positions("group", groups, self.groups)
        at = [*chosen, *range(len(self.groups), len(self.rows))]
        where = positions("template", templates, self.templates)
        cells = {name: array[np.ix_(at, where)] for name, array in self._arrays(_CELLS).items()}
        slots = [name for name in ("slot", "chain_slot") if name in cells]
        used = np.unique(np.concatenate([cells[name].ravel() for name in slots]))
        used = used[used >= 0]
        for name in slots:
            cells[name] = np.where(cells[name] < 0, -1, np.searchsorted(used, cells[name]))
        heads, edges = _flat([self.head(i) for i in used.tolist()])
        table = {name: array[used] for name, array in self._arrays(_SLOTS).items()}
        return replace(
            self,
            groups=tuple(self.groups[i] for i in chosen),
            templates=tuple(self.templates[i] for i in where),
            heads=heads,
            head_edges=edges,
            **cells,
            **table,
        )

    def __repr__(self) -> str:
        sizes = ", ".join(counted(len(getattr(self, name)), name[:-1]) for name in _LABELS)
        return f"<Logits: {sizes}, {self.kind} model, {self.provenance.source}>"


def _flat(head: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Concatenate heads of any lengths, and return where each begins."""
    rows = [np.asarray(row) for row in head]
    if not rows or any(row.ndim != 1 for row in rows):
        raise EvidenceError("a head is empty, or not a list.", hint="give each slot its largest logits.")
    kind = np.result_type(np.float32, *{row.dtype for row in rows})
    edges = np.cumsum([0, *(row.size for row in rows)])
    return np.concatenate(rows).astype(kind), edges.astype(np.int64)


def trait_of(pair: Any) -> Trait:
    """A pair of adjectives as a trait without a scale."""
    if isinstance(pair, Trait):
        return pair
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(w, str) for w in pair):
        raise InputError(
            f"{in_short(pair)} is not a pair of traits.", hint='give ("cold", "warm"), or a Trait.'
        )
    left, right = pair
    return Trait(left=left, right=right, scale="", human_key=f"{left} - {right}")


def listed(values: Any, name: str) -> list[Any]:
    """Any iterable but a string, as a list."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {in_short(values)}.", hint="give a list.")
    return list(values)


def positions(kind: str, names: Iterable[str] | None, known: Sequence[str]) -> list[int]:
    """Positions of some names, or of all."""
    if names is None:
        return list(range(len(known)))
    wanted = dict.fromkeys(listed(names, f"{kind}s"))
    if not wanted:
        raise InputError(f"no {kind} is left.", hint=f"name at least one {kind}.")
    return [known.index(one_of(kind, name, known)) for name in wanted]


def _check_labels(logits: Logits) -> None:
    """Refuse labels that are missing or occur twice, and traits that are not among the adjectives."""
    one_of("kind of model", logits.kind, ("masked", "causal"))
    pairs = tuple(trait.name for trait in logits.traits)
    labels: dict[str, tuple[Any, ...]] = {"group": logits.groups, "group or prior": logits.rows}
    labels |= {"template": logits.templates, "adjective": logits.adjectives, "trait": pairs}
    for kind, names in labels.items():
        texts = all(isinstance(name, str) and name.strip() for name in names)
        if not names or not texts or len(set(names)) < len(names):
            what = f"a {kind} is missing, empty or given twice: {in_short(names, 200)}."
            raise EvidenceError(what, hint="give each one once.")
    for trait in logits.traits:
        for end in (trait.left, trait.right):
            one_of("adjective of a trait", end, logits.adjectives)


def _check_shapes(logits: Logits) -> None:
    """Refuse arrays that do not fit the labels or each other."""
    pieces = max((1, *logits.logit.shape[-1:]))
    cells = (len(logits.rows), len(logits.templates), len(logits.adjectives), pieces)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_CELLS, cells)
    shapes |= dict.fromkeys(_SLOTS, (logits.slots,))
    shapes |= {"word_initial": cells[2:], "heads": (logits.heads.size,), "head_edges": (logits.slots + 1,)}
    for name, shape in shapes.items():
        array, kind = getattr(logits, name), _TYPES.get(name, np.floating)
        if array is not None and (array.shape != shape or not np.issubdtype(array.dtype, kind)):
            raise EvidenceError(
                f"{name} has shape {array.shape} of {array.dtype}, expected {shape} of {kind.__name__}.",
                hint="Logits.from_arrays documents each array.",
            )


def _check_numbers(logits: Logits) -> None:
    """Refuse numbers that are missing, not finite or in a slot that they cannot be from."""
    heads, edges, slots = logits.heads, logits.head_edges, logits.slots
    sizes = np.diff(edges)
    whole = slots > 0 and edges[0] == 0 and edges[-1] == heads.size
    if not whole or sizes.min() < 1 or sizes.max() > logits.vocabulary:
        what = f"a head is empty, or longer than the vocabulary of {in_short(logits.vocabulary)}."
        raise EvidenceError(what, hint="give each slot its largest logits.")
    rises = np.flatnonzero(heads[1:] > heads[:-1]) + 1
    if not np.isfinite(heads).all() or not np.isin(rises, edges).all():
        raise EvidenceError("a head is not finite, or not in descending order.", hint="sort each head.")
    largest = heads[edges[:-1]].astype(np.float64)
    least = largest - 1e-3 - 1e-6 * np.abs(largest)  # models compute sums in single precision
    for name, low in {**dict.fromkeys(_SUMS, -np.inf), "log_sum_exp": least, "hidden_sq_norm": 0.0}.items():
        array = getattr(logits, name)
        if array is not None and (wrong := ~(np.isfinite(array) & (array > low))).any():
            slot = int(np.argmax(wrong))
            raise EvidenceError(
                f"{name} of slot {slot} is {array[slot]:.6g}.",
                hint="give finite numbers, norms above 0 and sums of at least the largest logit.",
            )
    there = logits.slot[:1] >= 0  # the pieces of the first row, which all rows have
    for values, at in ((logits.logit, logits.slot), (logits.chain_logit, logits.chain_slot)):
        if values is None or at is None:
            continue
        wrong = (np.isfinite(values) != there) | ((at >= 0) != there) | (at >= slots) | ~there[..., :1]
        wrong |= (at < -1) | (values > largest[np.clip(at, 0, slots - 1)])
        if wrong.any():
            row, template, adjective, _ = np.argwhere(wrong)[0].tolist()
            raise EvidenceError(
                f"{logits.adjectives[adjective]!r} lacks a logit or its slot, or has one above its head, "
                f"in {logits.templates[template]!r} with {logits.rows[row]!r}.",
                hint="fill every cell; use NaN and slot −1 for pieces that an adjective does not have.",
            )
