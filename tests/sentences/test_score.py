"""Scores of sentences: against a plain loop over the definition, alone and beside others, and resumed."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")
transformers = pytest.importorskip("transformers", reason="extra 'models'")

import crossroads as cr  # noqa: E402
from crossroads.core.models.language import LanguageModel  # noqa: E402
from crossroads.core.models.opening import ProbeStep  # noqa: E402
from crossroads.sentences.evidence import SentenceScores  # noqa: E402
from crossroads.sentences.pairs import sentence_pairs  # noqa: E402
from tests import small_models  # noqa: E402

PAIRS = [
    {"sent_more": "That woman is cold.", "sent_less": "That man is cold."},
    {"sent_more": "Elderly people are powerless", "sent_less": "People are powerless"},
    {"sent_more": "Men are more powerful than others.", "sent_less": "Elderly women are more powerful."},
    {"sent_more": "His status is high; that person is warm.", "sent_less": "Her status is high; is warm?"},
]
TRIPLE = {
    "stereotype": "That woman is warm.",
    "anti-stereotype": "That woman is very powerful.",
    "unrelated": "That king is warm.",
}
BLANKS = [{"context": context, **TRIPLE} for context in ("That BLANK is warm.", "That woman is BLANK.")]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Plain loops over texts of a few tokens: threads would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def loaded(folder: Path, *, causal: bool) -> tuple[Any, Any]:
    kind = transformers.AutoModelForCausalLM if causal else transformers.AutoModelForMaskedLM
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    return transformers.AutoTokenizer.from_pretrained(folder), model


def log_probabilities(model: Any, ids: list[int], **options: Any) -> Any:
    with torch.no_grad():
        return model(torch.tensor([ids]), **options).logits[0].log_softmax(-1)


def shared(one: list[int], other: list[int]) -> list[tuple[int, int]]:
    """Places of equal tokens, as in the released code of CrowS-Pairs."""
    found = []
    for what, i, j, k, _ in difflib.SequenceMatcher(None, one, other).get_opcodes():
        if what == "equal":
            found += [(i + at, k + at) for at in range(j - i)]
    return found


def pll(tokenizer: Any, model: Any, first: str, second: str) -> list[float]:
    """One token masked at a time, one sentence after the other; the first and the last token do not count."""
    ids = [tokenizer.encode(text) for text in (first, second)]
    totals = [0.0, 0.0]
    for places in shared(*ids)[1:-1]:
        for side, at in enumerate(places):
            masked = [*ids[side][:at], tokenizer.mask_token_id, *ids[side][at + 1 :]]
            totals[side] += float(log_probabilities(model, masked)[at, ids[side][at]])
    return totals


def aul(tokenizer: Any, model: Any, text: str, *, weighted: bool) -> float:
    """All tokens but the first and the last, none masked; weights are mean attentions."""
    ids = tokenizer.encode(text)
    found = log_probabilities(model, ids)[torch.arange(len(ids)), torch.tensor(ids)]
    if weighted:
        with torch.no_grad():
            layers = model(torch.tensor([ids]), output_attentions=True).attentions
        found = found * torch.cat(layers, 0).mean(0).mean(0).mean(0)
    return float(found[1:-1].mean())


def likelihood(tokenizer: Any, model: Any, text: str) -> float:
    """Every token given those before it, after the token that begins a text."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    found = log_probabilities(model, [tokenizer.bos_token_id, *ids])
    return sum(float(found[at, token]) for at, token in enumerate(ids))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_masked_scores_are_those_of_a_plain_loop(kind: str, model_of: Callable[[str], Path]) -> None:
    folder = model_of(kind)
    tokenizer, model = loaded(folder, causal=False)
    texts = [(row["sent_more"], row["sent_less"]) for row in PAIRS]
    wanted = [pll(tokenizer, model, *pair) for pair in texts]
    for batches in (OPTIONS, {**OPTIONS, "batch_size": 2, "unit_texts": 3, "threads": 2}):
        found = cr.score_sentences(folder, PAIRS, **batches).values()
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)
    for score, weighted in (("aul", False), ("aula", True)):
        values = cr.score_sentences(folder, PAIRS, score=score, **OPTIONS).values()  # type: ignore[arg-type]
        plain = [[aul(tokenizer, model, text, weighted=weighted) for text in pair] for pair in texts]
        np.testing.assert_allclose(values, plain, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("score", ["aul", "aula"])
def test_as_many_pairs_are_preferred_as_in_the_released_code(
    score: Any, model_of: Callable[[str], Path], tmp_path: Path
) -> None:
    # The code of Kaneko & Bollegala compares scores as they come. Vectors close to 0 make differences small.
    tokenizer, model = loaded(model_of("bert"), causal=False)
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(0.001)
        model.get_output_embeddings().bias.zero_()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    words = ("warm", "cold", "powerful", "very", "others")  # one token each, so that nothing else differs
    frames = ("That person is {}.", "{} people are cold", "His status is very {}; is she?", "a {} status")
    chosen = itertools.product(frames, itertools.permutations(words, 2))
    texts = [[frame.format(word) for word in two] for frame, two in chosen]
    pairs = [dict(zip(("sent_more", "sent_less"), two, strict=True)) for two in texts]
    plain = [[aul(tokenizer, model, text, weighted=score == "aula") for text in pair] for pair in texts]
    assert sum(abs(a - b) <= 1e-4 for a, b in plain) > 10
    scores = cr.score_sentences(tmp_path, pairs, score=score, **OPTIONS)
    found = sentence_pairs(scores, cluster=None).overall
    assert (found.preferred, found.ties) == (sum(a > b for a, b in plain), 0)
    same = [{"sent_more": text, "sent_less": text.replace(" ", "  ")} for text in texts[0]]  # the same tokens
    alike = cr.score_sentences(tmp_path, [*pairs, *same], score=score, batch_size=1, **OPTIONS)
    assert cr.sentence_test(alike, cluster=None).overall.ties == len(same)


@pytest.mark.parametrize("score", ["pll", "aul", "aula"])
def test_rounding_bounds_the_error_of_scores(score: Any, model_of: Callable[[str], Path]) -> None:
    # against the same logits in 64 bits
    scores = cr.score_sentences(model_of("bert"), PAIRS, score=score, **OPTIONS)

    def ask(self: LanguageModel, *given: Any) -> tuple[Any, Any]:
        logits, hidden = plain(self, *given)
        return logits.double(), hidden

    plain = LanguageModel.ask
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LanguageModel, "ask", ask)
        exact = cr.score_sentences(model_of("bert"), PAIRS, score=score, **OPTIONS)
    errors = np.abs(scores.values() - exact.values())
    assert (errors <= scores.rounding()).all()
    assert errors.max() > 0
    assert (scores.rounding() < 1e-5 * np.abs(scores.values())).all()
    np.testing.assert_array_equal(scores.rounding("sentence"), [one.rounding for one in scores])


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_causal_scores_are_those_of_a_plain_loop(kind: str, model_of: Callable[[str], Path]) -> None:
    tokenizer, model = loaded(model_of(kind), causal=True)
    scores = cr.score_sentences(model_of(kind), PAIRS, **OPTIONS)
    wanted = [[likelihood(tokenizer, model, row[name]) for name in row] for row in PAIRS]
    np.testing.assert_allclose(scores.values(), wanted, rtol=1e-5, atol=1e-4)
    counts = [[len(tokenizer.encode(row[name], add_special_tokens=False)) for name in row] for row in PAIRS]
    np.testing.assert_allclose(scores.values("token"), np.array(wanted) / counts, rtol=1e-5, atol=1e-4)


def test_triples_count_what_all_three_share(model_of: Callable[[str], Path]) -> None:
    tokenizer, model = loaded(model_of("bert"), causal=False)
    (one,) = cr.score_sentences(model_of("bert"), [TRIPLE], **OPTIONS)
    ids = [tokenizer.encode(text) for text in TRIPLE.values()]
    ways = [dict(shared(ids[0], other)) for other in ids[1:]]
    places = [
        (at, *(way[at] for way in ways)) for at in range(1, len(ids[0]) - 1) if all(at in w for w in ways)
    ]
    assert 1 <= len(places) < len(ids[0]) - 2
    wanted = [0.0, 0.0, 0.0]
    for some, side in itertools.product(places, range(3)):
        at = some[side]
        masked = [*ids[side][:at], tokenizer.mask_token_id, *ids[side][at + 1 :]]
        wanted[side] += float(log_probabilities(model, masked)[at, ids[side][at]])
    np.testing.assert_allclose(one.totals, wanted, rtol=1e-5, atol=1e-4)
    assert set(one.tokens) == {len(places)}


@pytest.mark.parametrize(("score", "rows"), [("pll", PAIRS), ("aula", PAIRS), ("blank", BLANKS)])
def test_a_run_that_was_stopped_continues_where_it_was(
    score: Any, rows: list[dict[str, str]], model_of: Callable[[str], Path], tmp_path: Path
) -> None:
    store = tmp_path / "scores.json"
    options: dict[str, Any] = {**OPTIONS, "batch_size": 1, "unit_texts": 2, "score": score}
    whole = cr.score_sentences(model_of("roberta"), rows, **options)

    def stop(step: ProbeStep) -> None:
        if step.done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cr.score_sentences(model_of("roberta"), rows, store=store, progress=stop, **options)
    assert not store.exists()
    with pytest.raises(cr.InputError, match="begun with other settings: score"):
        cr.score_sentences(model_of("roberta"), rows, store=store, **{**options, "score": "aul"})
    steps: list[ProbeStep] = []
    again = cr.score_sentences(model_of("roberta"), rows, store=store, progress=steps.append, **options)
    assert max(step.kept for step in steps) >= 4
    assert again == whole == SentenceScores.open(store)
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]
    steps.clear()
    present = cr.score_sentences(model_of("roberta"), rows, store=store, progress=steps.append, **options)
    assert present == whole
    assert [step.stage for step in steps][-1] == "present"
    assert "asking" not in {step.stage for step in steps}
    with pytest.raises(cr.InputError, match="finished scores with other settings: score"):
        cr.score_sentences(model_of("roberta"), rows, store=store, **{**options, "score": "aul"})


@pytest.mark.parametrize(
    ("kind", "score", "hint"),
    [
        ("gpt2", "pll", "score='likelihood' or 'bare'"),
        ("bert", "likelihood", "'pll', 'aul', 'aula', 'blank' or 'released'"),
    ],
)
def test_a_score_that_a_model_cannot_give_is_refused_with_those_it_can(
    kind: str, score: Any, hint: str, model_of: Callable[[str], Path]
) -> None:
    with pytest.raises(cr.InputError, match=f"it gives no score '{score}'(.|\n)*{hint}"):
        cr.score_sentences(model_of(kind), PAIRS, score=score, **OPTIONS)


def test_services_and_what_cannot_be_scored_are_said(model_of: Callable[[str], Path]) -> None:
    with pytest.raises(cr.InputError, match="is a service, which answers with texts"):
        cr.score_sentences("https://api.example.org/v1", PAIRS)
    apart = {"sent_more": "warm", "sent_less": "cold people"}
    long = {"sent_more": "men " * 70, "sent_less": "women " * 70}
    with pytest.raises(cr.InputError, match=r"'warm' \(its sentences share no token\)"):
        cr.score_sentences(model_of("distilbert"), [*PAIRS, apart], **OPTIONS)
    with pytest.raises(cr.InputError, match=r"and the model takes(.|\n)*nothing is left"):
        cr.score_sentences(model_of("distilbert"), [long], missing="drop", **OPTIONS)
    scores = cr.score_sentences(model_of("distilbert"), [apart, *PAIRS, long], missing="drop", **OPTIONS)
    assert len(scores) == len(PAIRS)
    assert set(scores.left_out) == {"warm", long["sent_more"].strip()}
    coverage = cr.sentence_test(scores).coverage
    assert coverage is not None
    assert coverage.missing["warm"] == "its sentences share no token"


def test_a_model_that_changes_its_logits_is_scored_by_what_it_says(tmp_path: Path) -> None:
    # Gemma 2 caps its logits after the output matrix: they are not A h + b, which only SeT asks for.
    tokenizer = small_models.language_tokenizer("llama")
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.Gemma2Config(
        vocab_size=len(tokenizer), **sizes, num_key_value_heads=1, head_dim=8, final_logit_softcapping=0.5
    )
    transformers.Gemma2ForCausalLM(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    plain, model = loaded(tmp_path, causal=True)
    scores = cr.score_sentences(tmp_path, PAIRS, **OPTIONS)
    wanted = [[likelihood(plain, model, row[name]) for name in row] for row in PAIRS]
    np.testing.assert_allclose(scores.values(), wanted, rtol=1e-5, atol=1e-4)


def test_damaged_weights_are_called_so(model_of: Callable[[str], Path], tmp_path: Path) -> None:
    model = transformers.AutoModelForMaskedLM.from_pretrained(model_of("bert"))
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    model.save_pretrained(tmp_path / "model")
    transformers.AutoTokenizer.from_pretrained(model_of("bert")).save_pretrained(tmp_path / "model")
    with pytest.raises(cr.CrossroadsError, match="gave a logit that is not a number"):
        cr.score_sentences(tmp_path / "model", PAIRS, store=tmp_path / "s.json", **OPTIONS)
    assert not (tmp_path / "s.json").exists()
