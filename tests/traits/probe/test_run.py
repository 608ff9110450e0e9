"""Probes of masked and causal models, against the same models asked one prompt at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")
transformers = pytest.importorskip("transformers", reason="extra 'models'")

from crossroads.core.models.files import find_model  # noqa: E402
from crossroads.core.models.language import LanguageModel  # noqa: E402
from crossroads.traits.measures.ilps import ilps_star  # noqa: E402
from crossroads.traits.measures.least_change import changes_from_head  # noqa: E402
from crossroads.traits.probe.evidence import Logits, Restriction  # noqa: E402
from crossroads.traits.probe.run import probe  # noqa: E402

MakeModel = Callable[[str], Path]
GROUPS = ["woman", "elderly"]
TRAITS = [("powerless", "powerful"), ("cold", "warm"), ("low status", "high status")]
TEMPLATES = ["That {singular} is {trait}.", "{capitalised} are more {trait} than others."]
FORMS = {
    "woman": ("woman", "Women"),
    "elderly": ("elderly person", "Elderly people"),
    "noun": ("person", "People"),
}
MASKED = ("bert", "distilbert", "albert", "roberta")
CAUSAL = ("gpt2", "llama")
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1, "batch_size": 8}


@pytest.fixture(scope="module")
def probed(model_of: MakeModel) -> Callable[[str], Logits]:
    made: dict[str, Logits] = {}

    def make(kind: str) -> Logits:
        if kind not in made:
            made[kind] = probe(model_of(kind), groups=GROUPS, traits=TRAITS, templates=TEMPLATES, **OPTIONS)
        return made[kind]

    return make


class Plain:
    """The model of a folder, asked one prompt at a time and without any of our code."""

    def __init__(self, folder: Path, *, causal: bool) -> None:
        auto = transformers.AutoModelForCausalLM if causal else transformers.AutoModelForMaskedLM
        self.model = auto.from_pretrained(folder).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.causal = causal

    def text(self, row: str, template: int) -> tuple[str, str]:
        blank = "___" if self.causal else self.tokenizer.mask_token
        singular, capitalised = FORMS.get(row, (blank, blank))
        if template == 0:
            return f"That {singular} is ", "."
        return f"{capitalised} are more ", " than others."

    def pieces(self, left: str, word: str, right: str) -> tuple[list[int], list[int], list[int]]:
        """Tokens before, of and behind a word, by counting those of its neighbours."""

        def count(text: str) -> int:
            return len(self.tokenizer(text, add_special_tokens=False).input_ids)

        counted = count(left.rstrip()), count(f"is{right}") - count("is")
        ids = self.tokenizer(left + word + right).input_ids
        bare = self.tokenizer(left + word + right, add_special_tokens=False).input_ids
        start = 0 if ids == bare else 1
        stop = start + len(bare) - counted[1]
        return ids[: start + counted[0]], ids[start + counted[0] : stop], ids[stop:]

    def logits(self, ids: list[int], place: int) -> Any:
        with torch.no_grad():
            return self.model(input_ids=torch.tensor([ids])).logits[0, place].double()

    def each_piece(self, row: str, template: int, word: str, *, filled: bool) -> list[tuple[Any, int]]:
        """For each piece of a word all logits at its place, and its token."""
        left, right = self.text(row, template)
        before, pieces, after = self.pieces(left, word, "" if self.causal else right)
        found = []
        for number, piece in enumerate(pieces):
            if self.causal:
                seen = before + pieces[:number]
                found.append((self.logits(seen, len(seen) - 1), piece))
                continue
            done = pieces[:number] if filled else []
            masks = [self.tokenizer.mask_token_id] * (len(pieces) - len(done))
            found.append((self.logits(before + done + masks + after, len(before) + number), piece))
        return found


@pytest.fixture(scope="module")
def plain_of(model_of: MakeModel) -> Callable[[str], Plain]:
    made: dict[str, Plain] = {}

    def make(kind: str) -> Plain:
        if kind not in made:
            made[kind] = Plain(model_of(kind), causal=kind in CAUSAL)
        return made[kind]

    return make


def cells(logits: Logits) -> list[tuple[int, int, int]]:
    rows, templates, words = logits.logit.shape[:3]
    return list(product(range(rows), range(templates), range(words)))


@pytest.mark.parametrize("kind", [*MASKED, *CAUSAL])
def test_log_probabilities_are_those_of_one_prompt_at_a_time(
    kind: str, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    logits, plain = probed(kind), plain_of(kind)
    assert (logits.kind == "causal") == (kind in CAUSAL)
    assert logits.pieces.max() >= 2, "no trait of several pieces is tested"
    for filled in (True,) if kind in CAUSAL else (False, True):
        found = logits.log_probabilities(filled=filled)
        for row, template, word in cells(logits):
            asked = plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=filled)
            expected = [float(all_[piece] - all_.logsumexp(0)) for all_, piece in asked]
            np.testing.assert_allclose(found[row, template, word, : len(expected)], expected, atol=2e-5)
            assert np.isnan(found[row, template, word, len(expected) :]).all()


@pytest.mark.parametrize("kind", [*MASKED, *CAUSAL])
def test_renormalised_log_probabilities_compare_pieces_with_tokens_of_their_kind(
    kind: str, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    """A plain loop asks the model for one piece of one prompt at a time, as the definition says."""
    # One prompt and one piece at a time. "piece": compared with the tokens that begin a word if it begins
    # one, otherwise with those that do not; "position": if it is the first of its trait; "code": the same, as
    # released, with no regard to which tokens are special. These are continuations in RoBERTa, not in BERT.
    logits, plain = probed(kind), plain_of(kind)
    tokens = plain.tokenizer.convert_ids_to_tokens(range(logits.vocabulary))
    sign = {"albert": "▁", "llama": "▁", "roberta": "Ġ", "gpt2": "Ġ"}.get(kind)
    begins = np.array([not t.startswith("##") if sign is None else t.startswith(sign) for t in tokens])
    special = np.isin(np.arange(logits.vocabulary), plain.tokenizer.all_special_ids)
    assert special.any()
    assert (begins[special] == (sign is None)).all()
    ways: tuple[Restriction, ...] = ("piece", "position", "code")
    for filled in (True,) if kind in CAUSAL else (False, True):
        expected = {way: np.full(logits.logit.shape, np.nan) for way in ways}
        for row, template, word in cells(logits):
            asked = plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=filled)
            for number, (all_, piece) in enumerate(asked):
                place = begins == (number == 0)
                kinds = ((begins == begins[piece]) & ~special, place & ~special, place)
                for way, among in zip(ways, kinds, strict=True):
                    value = float(all_[piece] - all_[torch.from_numpy(among)].logsumexp(0))
                    expected[way][row, template, word, number] = value
                assert logits.word_initial[word, number] == begins[piece]
        for way, values in expected.items():
            found = logits.log_probabilities(filled=filled, restricted=way)
            np.testing.assert_allclose(found, values, atol=2e-5, err_msg=way)
    renormalisations: dict[Restriction, bool | Literal["code"]] = {"code": "code", "position": True}
    by_way = {}
    for way, how in renormalisations.items():
        scores = ilps_star(logits, renormalise=how)
        sums = np.nansum(expected[way], axis=-1)
        relative = sums[: len(logits.groups)] - sums[logits.rows.index(scores.conventions["prior"])]
        by_way[way] = np.asarray(scores.template_scores)
        np.testing.assert_allclose(by_way[way], relative.swapaxes(0, 1), atol=1e-4)
    assert np.abs(by_way["code"] - by_way["position"]).max() > 1e-4


@pytest.mark.parametrize("kind", [*MASKED, *CAUSAL])
def test_h_is_what_the_output_matrix_multiplies(
    kind: str, model_of: MakeModel, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    model, plain, logits = LanguageModel(find_model(model_of(kind))), plain_of(kind), probed(kind)
    matrix, bias = model.output_layer()
    assert np.any(bias) == (kind in MASKED) == model.has_bias
    assert model.is_tied == (kind != "llama")
    left, right = plain.text("woman", 0)
    before, pieces, after = plain.pieces(left, "cold", "" if kind in CAUSAL else right)
    masks = [] if kind in CAUSAL else [plain.tokenizer.mask_token_id] * len(pieces)
    ids, place = before + masks + ([] if kind in CAUSAL else after), len(before) - (kind in CAUSAL)
    answer, hidden = model.ask(np.array([ids]), np.array([0]), np.array([place]))
    expected = plain.logits(ids, place)
    np.testing.assert_allclose(answer[0].double(), expected, atol=1e-5)
    np.testing.assert_allclose(matrix @ hidden[0].numpy() + bias, expected, atol=1e-5)
    if kind == "bert":  # behind the transform of the head, not what leaves the encoder
        with torch.no_grad():
            states = plain.model.bert(input_ids=torch.tensor([ids])).last_hidden_state[0, place]
            np.testing.assert_allclose(hidden[0], plain.model.cls.predictions.transform(states), atol=1e-5)
    word = logits.adjectives.index("cold")
    kept = logits.hidden_sq_norm[logits.slot[0, 0, word, 0]]
    assert kept == pytest.approx(float((hidden.double() ** 2).sum()), rel=1e-5)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_heads_are_the_largest_logits_and_enough_for_the_margin(
    kind: str, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    """A plain loop asks the model for one piece of one prompt at a time, as the definition says."""
    logits, plain = probed(kind), plain_of(kind)
    cell = logits.cells(filled=True)
    for row, template, word in cells(logits):
        asked = plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=True)
        for number, (all_, _) in enumerate(asked):
            head = logits.head(int(cell[1][row, template, word, number]))
            np.testing.assert_allclose(head, all_.sort(descending=True).values[: head.size], atol=1e-5)
            lowest = float(cell[0][row, template, word, number])
            assert changes_from_head(head, [lowest], gamma=4.0, vocabulary=logits.vocabulary).certain.all()
