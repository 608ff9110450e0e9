"""Transformers without a head, loaded only if their files hold every weight that decides a vector.

Where weights are missing ``transformers`` makes some up at random and goes on. Vectors of such a model would
look like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crossroads.errors import FormatError, join_words, require
from crossroads.sources.model_files import ModelFiles
from crossroads.sources.transformers_models import ENCODER, told_plainly

_UNUSED = ("pooler.", "logit_scale", "logit_bias")
"""Weights that no vector depends on: the head that BERT calls pooler, and the temperature of CLIP."""


def load_whole_model(files: ModelFiles, *, device: str = "cpu") -> Any:
    """A model in float32, ready to answer and not to learn.

    Parameters
    ----------
    files
        What :func:`crossroads.sources.model_files.find_model` found.
    device
        ``"cpu"``, ``"cuda"`` or ``"mps"``.

    Raises
    ------
    FormatError
        Where the weights are damaged, or some of them missing or of another shape.
    """
    torch = require("torch", extra="models", purpose="running transformer models")
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    options = files.options()
    if files.gguf is None:
        options["use_safetensors"] = True
    else:
        require("gguf", extra="gguf", purpose="reading GGUF files")
        require("accelerate", extra="gguf", purpose="reading GGUF files")
    with told_plainly(files, "weights"):
        model, info = getattr(transformers, ENCODER).from_pretrained(
            **options, dtype=torch.float32, output_loading_info=True
        )
    missing = sorted(name for name in info["missing_keys"] if not name.startswith(_UNUSED))
    missing += sorted(str(one) for one in info.get("mismatched_keys") or ())
    if missing:
        raise FormatError(
            f"as {type(model).__name__} it has no weights for {join_words(missing, most=2)}.",
            path=files.name,
            hint="the folder holds another model than its config.json says; fetch it again.",
        )
    return model.to(device=device, dtype=torch.float32).eval().requires_grad_(False)


def check_tokens(files: ModelFiles, config: Any, texts: Iterable[Sequence[int]]) -> None:
    """Whether the model has every token that its tokenizer made.

    Parameters
    ----------
    files
        The model, for the message.
    config
        Its configuration.
    texts
        Tokens of each text.
    """
    known = int(config.get_text_config().vocab_size)
    most = max(max(ids) for ids in texts)
    if most >= known:
        raise FormatError(
            f"its tokenizer makes token {most}, and its weights have {known:,}.",
            path=files.name,
            hint="tokenizer and weights are of different models; fetch the model again.",
        )
