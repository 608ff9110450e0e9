"""Worlds in which the truth is known: text in which each group has a trait profile, and models that read it.

In the text an adjective follows a group with probability proportional to exp(base + profile / 2) for the
right adjective of a pair and exp(base − profile / 2) for the left one. The base differs between adjectives
and is all there is for *person* and *people*. Hence log p(right | group) − log p(left | group), less the same
for *person*, is the profile. A pair of groups has the mean profile of its two, but for one adjective of one
pair, which belongs to neither of the two: it emerges. Half of the sentences end with a word that is no trait.

Equal sentences are counted and read once with their count as weight, which is the same as reading all of them
in one batch: a small BERT and a small GPT-2 learn a corpus of a million sentences in seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.core.stimuli import catalog
from crossroads.traits.pairs.material import PairedGroup, paired_groups

GROUPS = ("man", "woman", "Black", "Asian", "teenager", "elderly")
TRAITS = (
    ("powerless", "powerful"), ("poor", "wealthy"), ("cold", "warm"), ("traditional", "modern"),
    ("religious", "scientific"), ("dishonest", "sincere"), ("conservative", "liberal"), ("shy", "confident"),
)  # fmt: skip
SPLIT = {"conservative": ("conserv", "##ative"), "liberal": ("liber", "##al")}
"""Adjectives of two tokens; both of a pair, so that the number of masks tells nothing about the pair."""
FILLERS = ("here", "there", "old")
"""What sentences end with every other time, whoever they are about: no trait is the likeliest word."""
TEMPLATES = ("The {singular} is {trait}.", "{capitalised} are {trait}.")
SENTENCES = 1_000_000
EMERGENT = ("Black woman", "shy")
BUMP = 2.5
STEPS, RATE = 400, 5e-3
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class World:
    """Who is spoken of, and what is true of them."""

    forms: Mapping[str, Mapping[str, str]]
    """Forms of every group, of every pair, and of person under ``noun``."""
    pairs: tuple[PairedGroup, ...]
    """The pairs of groups."""
    profiles: Mapping[str, Floats]
    """What is planted for each group and pair: one number a pair of traits."""
    probability: Mapping[str, Floats]
    """For each group, pair and ``noun`` how often each word follows: adjectives, then fillers."""

    emergent: tuple[str, str] = EMERGENT
    """The pair of groups and the adjective that belongs to neither group."""

    @property
    def words(self) -> list[str]:
        """What sentences end with."""
        return [*(word for pair in TRAITS for word in pair), *FILLERS]

    @property
    def truth(self) -> dict[str, dict[str, float]]:
        """The profiles of single groups, by name of trait."""
        names = [f"{left}-{right}" for left, right in TRAITS]
        return {g: dict(zip(names, self.profiles[g].tolist(), strict=True)) for g in GROUPS}

    def sentences(self) -> Iterator[tuple[str, str, str, int]]:
        """Distinct sentences: before the adjective, the group in it, the adjective; and how often."""
        rng = np.random.default_rng(1)
        for name, forms in self.forms.items():
            for template in TEMPLATES:
                before = template.partition("{trait}")[0]
                form = next(forms[slot] for slot in forms if f"{{{slot}}}" in before)
                times = SENTENCES // (len(self.forms) * len(TEMPLATES))
                counts = rng.multinomial(times, self.probability[name])
                for word, count in zip(self.words, counts.tolist(), strict=True):
                    if count:
                        yield before.format(**forms), form, word, count


@pytest.fixture(scope="session")
def world() -> World:
    rng = np.random.default_rng(12)
    known = catalog().groups("abc-groups")
    pairs = paired_groups(GROUPS)
    profiles = {name: rng.normal(0, 1.4, len(TRAITS)) for name in GROUPS}
    profiles |= {pair.name: (profiles[pair.first] + profiles[pair.second]) / 2 for pair in pairs}
    base = rng.normal(0, 0.5, 2 * len(TRAITS))
    adjectives = [word for pair in TRAITS for word in pair]
    probability: dict[str, Floats] = {"noun": np.exp(base)}
    for name, profile in profiles.items():
        shifts = np.stack([-profile / 2, profile / 2], axis=1).ravel()
        if name == EMERGENT[0]:
            shifts[adjectives.index(EMERGENT[1])] += BUMP
        probability[name] = np.exp(base + shifts)
    forms: dict[str, Mapping[str, str]] = {name: known[name].forms for name in GROUPS}
    forms |= {pair.name: pair.forms for pair in pairs}
    forms["noun"] = known.prior.forms if known.prior else {}
    return World(
        forms=forms,
        pairs=pairs,
        profiles=profiles,
        probability={name: _with_fillers(weights) for name, weights in probability.items()},
    )


def _with_fillers(weights: Floats) -> Floats:
    return np.concatenate([0.5 * weights / weights.sum(), np.full(len(FILLERS), 0.5 / len(FILLERS))])


@pytest.fixture(scope="session")
def masked_model(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small BERT that has read the world with masks in it."""
    pytest.importorskip("torch", reason="extra 'models'")
    import transformers

    folder = tmp_path_factory.mktemp("world") / "bert"
    tokenizer = _word_pieces(world)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=128, initializer_range=0.1, max_position_embeddings=32, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    _train(
        lambda: transformers.BertForMaskedLM(config), _masked_examples(world, tokenizer), tokenizer, folder
    )
    return folder


@pytest.fixture(scope="session")
def causal_model(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small GPT-2 that has read the world from left to right."""
    pytest.importorskip("torch", reason="extra 'models'")
    import transformers

    folder = tmp_path_factory.mktemp("world") / "gpt2"
    tokenizer = _word_pieces(world)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=64, n_layer=1, n_head=4, n_positions=32, initializer_range=0.1,
        resid_pdrop=0.0,
        embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=2, eos_token_id=3, pad_token_id=0,
    )  # fmt: skip
    _train(
        lambda: transformers.GPT2LMHeadModel(config), _causal_examples(world, tokenizer), tokenizer, folder
    )
    return folder


def _word_pieces(world: World) -> Any:
    """Whole words but for the adjectives of two pieces; small letters."""
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    text = " ".join([*TEMPLATES, *(form for forms in world.forms.values() for form in forms.values())])
    words = {word for word in text.lower().replace(".", " ").split() if "{" not in word}
    pieces = {piece for word in world.words for piece in SPLIT.get(word, (word,))}
    vocabulary = {token: at for at, token in enumerate([*special, ".", *sorted(words | pieces)])}
    made: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {f"{token[1:-1].lower()}_token": token for token in special}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=32, **names)


Examples = dict[tuple[tuple[int, ...], int], Counter[int]]
"""A text as tokens and a place in it: how often each token belongs there."""


def _masked_examples(world: World, tokenizer: Any) -> Examples:
    """Sentences with the adjective masked, all of it or all but its first piece; the group may be too."""
    mask, found = tokenizer.mask_token_id, Examples()
    for left, form, word, count in world.sentences():
        for before in (left, left.replace(form, "[MASK]", 1)):
            ids = tokenizer(f"{before}{word}.").input_ids
            start, stop = len(tokenizer(before).input_ids) - 1, len(ids) - 2
            for place in range(start, stop):
                for shown in {start, place}:
                    text = (*ids[:shown], *(mask,) * (stop - shown), *ids[stop:])
                    found.setdefault((text, place), Counter())[ids[place]] += count
    return found


def _causal_examples(world: World, tokenizer: Any) -> Examples:
    """Sentences up to each piece of the adjective."""
    found = Examples()
    for left, _, word, count in world.sentences():
        ids = tokenizer(f"{left}{word}").input_ids
        for place in range(len(tokenizer(left).input_ids) - 1, len(ids) - 1):
            found.setdefault((tuple(ids[:place]), place - 1), Counter())[ids[place]] += count
    return found


def _train(make_model: Callable[[], Any], examples: Examples, tokenizer: Any, folder: Path) -> None:
    import torch

    torch.manual_seed(3)
    model, threads = make_model().train(), torch.get_num_threads()
    torch.set_num_threads(1)
    texts = list(examples)
    width = max(len(ids) for ids, _ in texts)
    ids = torch.tensor([[*ids, *(0,) * (width - len(ids))] for ids, _ in texts])
    mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids, _ in texts])
    place = torch.tensor([place for _, place in texts])
    wanted = torch.zeros(len(texts), len(tokenizer))
    for row, counts in enumerate(examples.values()):
        for token, count in counts.items():
            wanted[row, token] = count
    weight = wanted.sum(1).sqrt()  # between each text alike and each sentence alike
    wanted = wanted / wanted.sum(1, keepdim=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=RATE, total_steps=STEPS, pct_start=0.2)
    for _ in range(STEPS):
        logits = model(input_ids=ids, attention_mask=mask).logits[torch.arange(len(texts)), place]
        loss = -(wanted * logits.log_softmax(-1)).sum(1) @ weight / weight.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    torch.set_num_threads(threads)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
