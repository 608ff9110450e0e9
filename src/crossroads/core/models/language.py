"""Language models that give logits at a few positions of a text.

The logits of a masked or causal model are ``A h + b``: the output matrix ``A`` and its bias ``b`` belong to
the module that ``get_output_embeddings()`` names, and ``h`` is its input, whatever comes before (the
transform of a BERT head, the last norm of a Llama). A hook before it keeps only the rows that are asked for,
so that no other logits are computed. In models built like BERT the other rows are dropped earlier: after the
attention of the last layer every position is computed by itself.
"""

from __future__ import annotations

import threading
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, InputError, join_words, one_of, require
from crossroads.core.models.files import ModelFiles
from crossroads.core.models.transformers import load_config, load_reported, load_tokenizer, longest_input

MASKED: Final = "masked"
CAUSAL: Final = "causal"
Asked = Literal["auto", "masked", "causal"]
"""A masked model fills in positions of a text; a causal one continues it."""
AUTO_CLASSES = {MASKED: "AutoModelForMaskedLM", CAUSAL: "AutoModelForCausalLM"}

_ALIKE = 1e-4
"""Largest relative difference allowed between logits of positions computed alone and with others."""

Integers = NDArray[np.int64]


class _Request(threading.local):
    """The positions that a thread asks for, and the input and output of the output matrix."""

    rows: tuple[Any, Any] | None = None  # row and column of each position
    early: bool = False  # whether other positions are dropped in the last layer already
    hidden: Any = None  # the input of the output matrix
    given: Any = None  # its output


class LanguageModel:
    """A loaded language model with its tokenizer; several threads may use it at once.

    With ``linear``, logits have to be ``A h + b``; otherwise a model may change them afterwards.
    """

    def __init__(
        self, files: ModelFiles, *, asked_as: Asked = "auto", device: str = "cpu", linear: bool = True
    ) -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self.files, self.device, self._linear = files, device, linear
        self.config, self.tokenizer = load_config(files), load_tokenizer(files)
        self.kind = find_kind(self.config, self.tokenizer, asked_as, name=files.name)
        self._model, weights = load_reported(files, AUTO_CLASSES[self.kind], device)
        if weights["missing_keys"] or weights.get("mismatched_keys"):
            raise _no_head(files, self.architecture, sorted(weights["missing_keys"]))
        self._decoder = self._model.get_output_embeddings()
        if self._decoder is None or getattr(self._decoder, "weight", None) is None:
            raise _no_head(files, self.architecture)
        self._asked, self._first, self._compared = _Request(), threading.Lock(), False
        module = _after_attention(self._model)
        self._early = module is not None
        if module is not None:
            module.register_forward_pre_hook(self._thin_out)
        self._decoder.register_forward_pre_hook(self._enter)
        self._decoder.register_forward_hook(self._leave)

    @property
    def architecture(self) -> str:
        """Class of the model, such as ``"BertForMaskedLM"``."""
        return type(self._model).__name__

    @property
    def vocabulary(self) -> int:
        """Number of logits per position."""
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
        """Logits and the input of the output matrix, at some positions of some texts."""
        torch, device = self._torch, self.device
        self._asked.rows = (torch.from_numpy(text).to(device), torch.from_numpy(place).to(device))
        batch = torch.from_numpy(np.ascontiguousarray(ids, np.int64)).to(device)
        try:
            if not self._compared:
                self._compare(batch)
            return self._run(batch, early=self._early)
        finally:
            self._asked.rows = None

    def show_attention(self) -> None:
        """Prepare the model for :meth:`attention`, once and before other threads use it."""
        try:
            self._model.set_attn_implementation("eager")
        except (AttributeError, ValueError, RuntimeError) as error:
            message = f"{self.files.name} ({self.architecture}) does not show its attention."
            raise InputError(message, hint="use a score without weights of attention.") from error

    def attention(self, ids: Integers) -> Any:
        """How much attention each token gets: the mean over layers, heads and the tokens of its text."""
        torch = self._torch
        batch = torch.from_numpy(np.ascontiguousarray(ids, np.int64)).to(self.device)
        with torch.inference_mode():
            found = self._model.base_model(
                input_ids=batch, attention_mask=torch.ones_like(batch), output_attentions=True
            ).attentions
            return torch.stack(found).mean(dim=(0, 2, 3))

    def _compare(self, batch: Any) -> None:
        """Check once that the model can be used, and in which way; other threads wait meanwhile."""
        with self._first:
            if self._compared:
                return
            plain, _ = self._run(batch, early=False, check=True)
            self._early = self._early and self._is_alike(batch, plain)
            self._compared = True

    def _is_alike(self, batch: Any, plain: Any) -> bool:
        """Whether positions may be dropped early: logits agree up to rounding."""
        try:
            early, _ = self._run(batch, early=True)
        except (RuntimeError, ValueError, IndexError, TypeError):  # not built like BERT after all
            return False
        most = _ALIKE * max(1.0, float(plain.abs().max()))
        return early.shape == plain.shape and float((early - plain).abs().max()) <= most

    def _run(self, batch: Any, *, early: bool, check: bool = False) -> tuple[Any, Any]:
        torch, asked = self._torch, self._asked
        asked.early, asked.hidden, asked.given = early, None, None
        options = {"use_cache": False} if self.kind == CAUSAL else {}
        with torch.inference_mode():
            answer = self._model(input_ids=batch, attention_mask=torch.ones_like(batch), **options).logits
        hidden, given = asked.hidden, asked.given
        asked.hidden = asked.given = None
        fault = ""
        if hidden is None:
            fault = "its output matrix is not used as a separate module"
        elif check and torch.isnan(answer).any():
            hint = "its weights are damaged, or it does not work in float32 on this device."
            raise CrossroadsError(f"{self.files.name} gave a logit that is not a number.", hint=hint)
        elif check and (answer.shape != given.shape or (self._linear and not torch.equal(answer, given))):
            fault = "it changes its logits after the output matrix"
        if fault:
            message = f"the logits of {self.files.name} ({self.architecture}) are not A h + b: {fault}."
            hint = "such models cannot be probed, because SeT is defined by changes of the output matrix."
            raise CrossroadsError(message, hint=hint)
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


def _after_attention(model: Any) -> Any:
    """The module after the last attention in models like BERT, where positions are independent; or None."""
    layers: Any = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    if not layers or len({id(one) for one in layers}) != len(layers):
        return None
    last = layers[-1]
    module = getattr(getattr(last, "attention", None), "output", None)
    plain = getattr(last, "chunk_size_feed_forward", None) == 0 and not getattr(last, "is_decoder", True)
    return module if plain and type(module).__name__.endswith("SelfOutput") else None


def find_kind(config: Any, tokenizer: Any, asked_as: str, *, name: str) -> str:
    """Whether a model is masked or causal: as asked, or as its configuration implies."""
    one_of("kind of language model", asked_as, Asked)
    found = _kind_of(config) if asked_as == "auto" else asked_as
    if found is None:
        shown = join_words(config.architectures or [str(config.model_type)])
        message = f"{name} is not a language model: its configuration names {shown}."
        head = "a model with a head is needed, such as BertForMaskedLM or GPT2LMHeadModel"
        hint = f"{head}; asked_as='masked' or asked_as='causal' says which to load."
        raise InputError(message, hint=hint, option="asked_as")
    if found == MASKED and tokenizer.mask_token_id is None:
        message = f"the tokenizer of {name} has no mask token, so it cannot be used as a masked model."
        hint = "use the tokenizer that the model was trained with, or asked_as='causal'."
        raise InputError(message, hint=hint, option="asked_as")
    return found


def _kind_of(config: Any) -> str | None:
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


def _no_head(files: ModelFiles, architecture: str, missing: list[str] | None = None) -> InputError:
    said = f" for {join_words(missing, most=2)}" if missing else ""
    message = f"{files.name} has no head for language modelling: as {architecture} it has no weights{said}."
    hint = "give a model that was saved with its head, such as BertForMaskedLM or GPT2LMHeadModel."
    return InputError(message, hint=hint)
