"""Language models that are asked for logits at a few places of a text.

The logits of a masked or causal model are ``A h + b``: the output matrix ``A`` and its bias ``b`` belong to
the module that ``get_output_embeddings()`` names, and ``h`` is what enters it, whatever lies before (the
transform of a BERT head, the last norm of a Llama). A hook at its door keeps the rows that are asked for and
lets the others go, so that no logits are computed where nobody looks. In models built like BERT they are let
go earlier: behind the attention of the last layer every place is computed by itself.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, InputError, join_words, one_of, require
from crossroads.sources.model_files import ModelFiles
from crossroads.sources.transformers_models import load_config, load_tokenizer, longest_input, told_plainly

MASKED, CAUSAL = "masked", "causal"
KINDS = (MASKED, CAUSAL)
"""A masked model fills in places of a text; a causal one goes on from its beginning."""
AUTO_CLASSES = {MASKED: "AutoModelForMaskedLM", CAUSAL: "AutoModelForCausalLM"}

_ALIKE = 1e-4
"""Most that logits may differ between places computed by themselves and beside others, by their size."""

Integers = NDArray[np.int64]


class _Asked(threading.local):
    """What a thread is asking for, and what came by at the output matrix."""

    rows: tuple[Any, Any] | None = None
    """Row and column of each place."""
    early: bool = False
    """Whether other places are let go in the last layer already."""
    hidden: Any = None
    """What entered the output matrix."""
    given: Any = None
    """What left it."""


class LanguageModel:
    """A loaded language model with its tokenizer; several threads may ask it at a time.

    Parameters
    ----------
    files
        What :func:`crossroads.sources.model_files.find_model` found.
    kind
        ``"masked"``, ``"causal"``, or ``"auto"`` to find out from the configuration.
    device
        ``"cpu"``, ``"cuda"`` or ``"mps"``.

    Raises
    ------
    InputError
        Where the model has no head for language modelling, or is masked and has no mask token.
    """

    def __init__(self, files: ModelFiles, *, kind: str = "auto", device: str = "cpu") -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self.files, self.device = files, device
        self.config, self.tokenizer = load_config(files), load_tokenizer(files)
        self.kind = find_kind(self.config, self.tokenizer, kind, name=files.name)
        self._model = _load_with_head(files, self.kind, device)
        self._decoder = self._model.get_output_embeddings()
        if self._decoder is None or getattr(self._decoder, "weight", None) is None:
            raise _no_head(files, type(self._model).__name__)
        self._asked, self._first, self._compared = _Asked(), threading.Lock(), False
        door = _last_door(self._model)
        self._early = door is not None
        if door is not None:
            door.register_forward_pre_hook(self._thin_out)
        self._decoder.register_forward_pre_hook(self._enter)
        self._decoder.register_forward_hook(self._leave)

    @property
    def architecture(self) -> str:
        """Class of the model, such as ``"BertForMaskedLM"``."""
        return type(self._model).__name__

    @property
    def vocabulary(self) -> int:
        """Number of logits at a place."""
        return int(self._decoder.weight.shape[0])

    @property
    def longest(self) -> int:
        """Most tokens of a text, special ones included."""
        return longest_input(self.config, self.tokenizer)

    @property
    def has_bias(self) -> bool:
        """Whether something is added after the output matrix."""
        return getattr(self._decoder, "bias", None) is not None

    @property
    def is_tied(self) -> bool:
        """Whether the output matrix is the table of input vectors."""
        table = self._model.get_input_embeddings()
        return table is not None and table.weight.data_ptr() == self._decoder.weight.data_ptr()

    def output_layer(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The output matrix and its bias (zeros where it has none)."""
        matrix = self._decoder.weight.detach().float().cpu().numpy()
        if not self.has_bias:
            return matrix, np.zeros(len(matrix), np.float32)
        return matrix, self._decoder.bias.detach().float().cpu().numpy()

    def ask(self, ids: Integers, text: Integers, place: Integers) -> tuple[Any, Any]:
        """Logits and what entered the output matrix, at some places of some texts.

        Parameters
        ----------
        ids
            Tokens, one text a row, all of one length.
        text, place
            Row and column of each place.

        Returns
        -------
        tuple
            Two tensors with one row a place: logits, and the vectors ``h``.
        """
        torch, device = self._torch, self.device
        self._asked.rows = (torch.from_numpy(text).to(device), torch.from_numpy(place).to(device))
        batch = torch.from_numpy(np.ascontiguousarray(ids, np.int64)).to(device)
        try:
            if not self._compared:
                self._compare(batch)
            return self._run(batch, early=self._early)
        finally:
            self._asked.rows = None

    def _compare(self, batch: Any) -> None:
        """See once that the model is one that can be asked, and in which way; others wait meanwhile."""
        with self._first:
            if self._compared:
                return
            plain, _ = self._run(batch, early=False, check=True)
            self._early = self._early and self._is_alike(batch, plain)
            self._compared = True

    def _is_alike(self, batch: Any, plain: Any) -> bool:
        """Whether places may be let go early: logits are the same but for rounding."""
        try:
            early, _ = self._run(batch, early=True)
        except (RuntimeError, ValueError, IndexError, TypeError):  # built otherwise than it looks
            return False
        room = _ALIKE * max(1.0, float(plain.abs().max()))
        return early.shape == plain.shape and float((early - plain).abs().max()) <= room

    def _run(self, batch: Any, *, early: bool, check: bool = False) -> tuple[Any, Any]:
        torch, asked = self._torch, self._asked
        asked.early, asked.hidden, asked.given = early, None, None
        options = {"use_cache": False} if self.kind == CAUSAL else {}
        with torch.inference_mode():
            answer = self._model(input_ids=batch, attention_mask=torch.ones_like(batch), **options).logits
        hidden, given = asked.hidden, asked.given
        asked.hidden = asked.given = None
        if hidden is None:
            raise _unlike(self, "its output matrix is not used as a module of its own")
        if check and (answer.shape != given.shape or not torch.equal(answer, given)):
            raise _unlike(self, "it changes its logits after the output matrix")
        return answer, hidden

    def _thin_out(self, _: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Keep the rows that are asked for, as if they were one text."""
        if not self._asked.early or self._asked.rows is None:
            return None
        return tuple(one[self._asked.rows][None] for one in inputs)

    def _enter(self, _: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Keep the rows that are asked for."""
        asked = self._asked
        if asked.rows is None or inputs[0].dim() != 3:
            return None
        asked.hidden = inputs[0][0] if asked.early else inputs[0][asked.rows]
        return (asked.hidden, *inputs[1:])

    def _leave(self, _: Any, inputs: tuple[Any, ...], output: Any) -> None:
        del inputs
        self._asked.given = output


def _last_door(model: Any) -> Any:
    """What follows the attention of the last layer in models built like BERT; None for others.

    It takes what was attended to and what entered the layer, and from there on no place hangs on another.
    """
    layers: Any = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    if not layers or len({id(one) for one in layers}) != len(layers):
        return None
    last = layers[-1]
    door = getattr(getattr(last, "attention", None), "output", None)
    plain = getattr(last, "chunk_size_feed_forward", None) == 0 and not getattr(last, "is_decoder", True)
    return door if plain and type(door).__name__.endswith("SelfOutput") else None


def find_kind(config: Any, tokenizer: Any, kind: str, *, name: str) -> str:
    """Whether a model is masked or causal: as asked, or as its configuration says.

    Parameters
    ----------
    config, tokenizer
        Those of the model.
    kind
        ``"masked"``, ``"causal"`` or ``"auto"``.
    name
        What to call the model in errors.
    """
    one_of("kind of language model", kind, ("auto", *KINDS))
    found = _kind_of(config) if kind == "auto" else kind
    if found is None:
        shown = join_words(config.architectures or [str(config.model_type)])
        raise InputError(
            f"{name} is no language model: its configuration names {shown}.",
            hint="a model with a head is needed, such as BertForMaskedLM or GPT2LMHeadModel; "
            "kind='masked' or kind='causal' says which to load.",
        )
    if found == MASKED and tokenizer.mask_token_id is None:
        raise InputError(
            f"the tokenizer of {name} has no mask token, so it cannot be asked as a masked model.",
            hint="use the tokenizer that the model was trained with, or kind='causal'.",
        )
    return found


def _kind_of(config: Any) -> str | None:
    """Masked, causal or neither, by the architectures that the configuration names."""
    tables = require("transformers.models.auto.modeling_auto", extra="models", purpose="loading models")
    for architecture in config.architectures or ():
        if architecture.endswith(("ForMaskedLM", "WithLMHeadModel")):
            return MASKED
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return CAUSAL
        if architecture.endswith("ForPreTraining"):  # BERT and ALBERT keep the masked head there
            known = config.model_type in tables.MODEL_FOR_MASKED_LM_MAPPING_NAMES
            return MASKED if known else None
    if not config.architectures and config.model_type in tables.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return CAUSAL  # GGUF files name no architecture
    return None


def _load_with_head(files: ModelFiles, kind: str, device: str) -> Any:
    """The model in float32; a head that would be made up is an error."""
    torch = require("torch", extra="models", purpose="running transformer models")
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    options = files.options()
    if files.gguf is None:
        options["use_safetensors"] = True
    else:
        require("gguf", extra="gguf", purpose="reading GGUF files")
    with told_plainly(files, "weights"):
        model, info = getattr(transformers, AUTO_CLASSES[kind]).from_pretrained(
            **options, dtype=torch.float32, output_loading_info=True
        )
    if info["missing_keys"] or info.get("mismatched_keys"):
        raise _no_head(files, type(model).__name__, sorted(info["missing_keys"]))
    return model.to(device=device, dtype=torch.float32).eval().requires_grad_(False)


def _no_head(files: ModelFiles, architecture: str, missing: list[str] | None = None) -> InputError:
    said = f" for {join_words(missing, most=2)}" if missing else ""
    return InputError(
        f"{files.name} has no head for language modelling: as {architecture} it has no weights{said}.",
        hint="give a model that was saved with its head, such as BertForMaskedLM or GPT2LMHeadModel.",
    )


def _unlike(model: LanguageModel, why: str) -> CrossroadsError:
    return CrossroadsError(
        f"the logits of {model.files.name} ({model.architecture}) are not A h + b: {why}.",
        hint="such models cannot be probed, because SeT asks what the output matrix would have to become.",
    )
