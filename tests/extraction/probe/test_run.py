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

from crossroads.evidence.logit_checks import head_suffices  # noqa: E402
from crossroads.evidence.logits import Logits, Restriction  # noqa: E402
from crossroads.extraction.language import ProbeStep  # noqa: E402
from crossroads.extraction.probe.run import probe  # noqa: E402
from crossroads.measures.traits.ilps import ilps_star  # noqa: E402
from crossroads.sources.models.files import find_model  # noqa: E402
from crossroads.sources.models.language import LanguageModel  # noqa: E402

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
def test_renormalised_log_probabilities_compare_beginnings_with_beginnings(
    kind: str, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    logits, plain = probed(kind), plain_of(kind)
    tokens = plain.tokenizer.convert_ids_to_tokens(range(logits.vocabulary))
    special = np.isin(np.arange(logits.vocabulary), plain.tokenizer.all_special_ids)
    sign = {"albert": "▁", "llama": "▁", "roberta": "Ġ", "gpt2": "Ġ"}.get(kind)
    begins = np.array([not t.startswith("##") if sign is None else t.startswith(sign) for t in tokens])
    found = logits.log_probabilities(filled=True, restricted="piece")
    for row, template, word in cells(logits):
        for number, (all_, piece) in enumerate(
            plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=True)
        ):
            among = torch.from_numpy((begins == begins[piece]) & ~special)
            expected = float(all_[piece] - all_[among].logsumexp(0))
            assert found[row, template, word, number] == pytest.approx(expected, abs=2e-5)
            assert logits.word_initial[word, number] == begins[piece]


@pytest.mark.parametrize("kind", [*MASKED, *CAUSAL])
def test_the_released_renormalisation_counts_special_tokens_where_their_sign_puts_them(
    kind: str, probed: Callable[[str], Logits], plain_of: Callable[[str], Plain]
) -> None:
    # one prompt and one piece at a time: the first piece among the tokens that begin a word, every later one
    # among those that do not, with no regard to which tokens are special
    logits, plain = probed(kind), plain_of(kind)
    tokens = plain.tokenizer.convert_ids_to_tokens(range(logits.vocabulary))
    sign = {"albert": "▁", "llama": "▁", "roberta": "Ġ", "gpt2": "Ġ"}.get(kind)
    begins = np.array([not t.startswith("##") if sign is None else t.startswith(sign) for t in tokens])
    special = np.isin(np.arange(logits.vocabulary), plain.tokenizer.all_special_ids)
    assert special.any()
    assert (begins[special] == (sign is None)).all()  # continuations in RoBERTa, beginnings in BERT
    expected = np.zeros((*logits.logit.shape[:3], 2))
    for row, template, word in cells(logits):
        for number, (all_, piece) in enumerate(
            plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=True)
        ):
            for at, left in enumerate((np.zeros_like(special), special)):
                among = torch.from_numpy((begins == (number == 0)) & ~left)
                expected[row, template, word, at] += float(all_[piece] - all_[among].logsumexp(0))
    restrictions: tuple[Restriction, ...] = ("code", "position")
    for at, restricted in enumerate(restrictions):
        found = np.nansum(logits.log_probabilities(filled=True, restricted=restricted), axis=-1)
        np.testing.assert_allclose(found, expected[..., at], atol=5e-5)
    n = len(logits.groups)
    found_scores = []
    renormalisations: tuple[bool | Literal["code"], ...] = ("code", True)
    for at, how in enumerate(renormalisations):
        scores = ilps_star(logits, renormalise=how)
        prior = logits.rows.index(scores.conventions["prior"])
        relative = expected[:n, ..., at] - expected[prior, ..., at]
        found_scores.append(np.asarray(scores.template_scores))
        np.testing.assert_allclose(found_scores[-1], relative.swapaxes(0, 1), atol=1e-4)
    assert np.abs(found_scores[0] - found_scores[1]).max() > 1e-4


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
    logits, plain = probed(kind), plain_of(kind)
    for row, template, word in cells(logits):
        for number, (all_, _) in enumerate(
            plain.each_piece(logits.rows[row], template, logits.adjectives[word], filled=True)
        ):
            cell = logits.cells(filled=True)
            head = logits.head(int(cell[1][row, template, word, number]))
            np.testing.assert_allclose(head, all_.sort(descending=True).values[: head.size], atol=1e-5)
            lowest = float(cell[0][row, template, word, number])
            assert head.size == logits.vocabulary or head_suffices(head, lowest, gamma=4.0)


def test_flat_logits_get_longer_heads_and_no_longer_than_needed(small_models: Any, tmp_path: Path) -> None:
    # A vocabulary of 1,000 with small weights: logits differ so little that hundreds are active.
    fast = small_models.language_tokenizer("gpt2")
    fast.add_tokens([f"filler{number}" for number in range(1000 - len(fast))])
    folder = small_models.save_language_model("gpt2", tmp_path / "flat", tokenizer=fast)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.lm_head.weight.mul_(0.1)
    model.save_pretrained(folder)
    for margin, least in ((0.0, 64), (30.0, 1000)):
        logits = probe(
            folder, groups=GROUPS, traits=TRAITS[1:2], templates=TEMPLATES[:1], margin=margin, **OPTIONS
        )
        sizes = np.diff(logits.head_edges)
        assert set(sizes.tolist()) <= {64, 256, 1000}
        assert sizes.max() >= least
        for at, slot in zip(logits.logit.ravel(), logits.slot.ravel(), strict=True):
            if slot >= 0 and logits.head(int(slot)).size < 1000:
                assert head_suffices(logits.head(int(slot)), float(at), gamma=margin)


def test_chain_probabilities_of_all_words_of_two_pieces_sum_to_one(small_models: Any, tmp_path: Path) -> None:
    # Three beginnings and four continuations make twelve words. Among tokens of their kind, p(first) ·
    # p(second | first) over all twelve is a distribution, whatever the weights; with both masks empty the
    # product is one too, but another: the pieces do not see each other.
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    starts, ends = ["a", "b", "c"], ["##w", "##x", "##y", "##z"]
    vocabulary = {token: at for at, token in enumerate([*special, *starts, *ends])}
    made: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=64,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    folder = small_models.save_language_model("bert", tmp_path / "toy", tokenizer=fast)
    words = [start + end[2:] for start, end in product(starts, ends)]
    table = tmp_path / "groups.csv"
    table.write_text("group,singular,plural\nthe first,a,ax\nthe second,b,bx\n")
    # "a" and "b" stand for nouns here; the article check reads "ax" as either number
    logits = probe(
        folder,
        groups=table,
        traits=list(zip(words[::2], words[1::2], strict=True)),
        templates=["c {singular} {trait}", "b {plural} a {trait} b"],
        priors=("mask",),
        **OPTIONS,
    )
    chain = np.exp(logits.log_probabilities(filled=True, restricted="piece").sum(-1))
    np.testing.assert_allclose(chain.sum(-1), 1.0, atol=1e-6)
    parallel = np.exp(logits.log_probabilities(filled=False, restricted="piece").sum(-1))
    np.testing.assert_allclose(parallel.sum(-1), 1.0, atol=1e-6)
    assert np.abs(chain - parallel).max() > 1e-3  # the second piece does see the first
    # Brute enumeration over the whole vocabulary: the unrestricted chain leaves the rest to other pairs.
    plain = Plain(folder, causal=False)
    first = plain.logits([2, 7, 5, 4, 4, 3], 3).softmax(0)  # [CLS] c a [MASK] [MASK] [SEP]
    joint = np.array(
        [(first[at] * plain.logits([2, 7, 5, at, 4, 3], 4).softmax(0)).tolist() for at in range(12)]
    )
    assert joint.sum() == pytest.approx(1.0)
    found = np.exp(logits.log_probabilities(filled=True).sum(-1))[0, 0]
    expected = [joint[vocabulary[start], vocabulary[end]] for start, end in product(starts, ends)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_batches_do_not_matter(kind: str, model_of: MakeModel, probed: Callable[[str], Logits]) -> None:
    options = {**OPTIONS, "batch_size": 1, "unit_texts": 3}
    alone = probe(model_of(kind), groups=GROUPS, traits=TRAITS, templates=TEMPLATES, **options)
    together = probed(kind)
    np.testing.assert_array_equal(alone.slot, together.slot)
    np.testing.assert_allclose(alone.logit, together.logit, atol=1e-5)
    np.testing.assert_allclose(alone.log_sum_exp, together.log_sum_exp, atol=1e-5)


def test_a_causal_model_is_told_apart_and_templates_say_what_became_of_them(model_of: MakeModel) -> None:
    trait_first, comparative = "The {trait} people are {plural}.", TEMPLATES[1]
    logits = probe(
        model_of("gpt2"),
        groups=GROUPS,
        traits=TRAITS[1:2],
        templates=[trait_first, comparative, "Why are {plural} {trait}?"],
        **OPTIONS,
    )
    details = logits.provenance.details
    assert logits.templates == (comparative, "Why are {plural} {trait}?")
    assert list(details["templates_left_out"]) == [trait_first]
    assert "after the trait" in details["templates_left_out"][trait_first]
    assert details["templates_cut"] == [comparative]
    assert details["mask_prior"] == "the blank ___"
    assert logits.chain_logit is None


def test_progress_counts_every_text_once(model_of: MakeModel) -> None:
    steps: list[ProbeStep] = []
    options = {**OPTIONS, "unit_texts": 2, "progress": steps.append}
    logits = probe(model_of("bert"), groups=GROUPS, traits=TRAITS, templates=TEMPLATES, **options)
    asked = [step for step in steps if step.stage == "asking"]
    assert [step.stage for step in steps[:2]] == ["loading", "splitting"]
    assert asked[0].done == 0
    assert asked[-1].done == asked[-1].total == logits.provenance.details["texts"]
    assert len(asked) > 5
