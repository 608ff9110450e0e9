"""The words in a blank: which they are, and their score against a plain loop, as in the code of StereoSet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")
transformers = pytest.importorskip("transformers", reason="extra 'models'")

import crossroads as cr  # noqa: E402
from crossroads.evidence.sentences import SentenceScores  # noqa: E402
from crossroads.extraction.language import ProbeStep  # noqa: E402
from crossroads.extraction.sentences.blanks import (  # noqa: E402
    NO_BLANK,
    NOT_FILLED,
    SEVERAL_BLANKS,
    filled,
    released_words,
)
from crossroads.stimuli.files.sentences import SentenceItem  # noqa: E402
from tests import small_models  # noqa: E402

OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1}
FILLED = [
    ("That woman is BLANK.", ("warm", "powerful", "status"), "woman"),
    ("BLANK people are cold", ("Elderly", "Powerless", "High"), "people"),
    ("His status is BLANK; that person is warm.", ("high", "competent", "others"), "status"),
    ("People are more BLANK than others.", ("very powerless", "self-sufficient", "é"), "people"),
]


def rows() -> list[dict[str, Any]]:
    """Items in the nesting of StereoSet's file."""
    labels = ("stereotype", "anti-stereotype", "unrelated")
    return [
        {
            "id": str(i),
            "target": target,
            "bias_type": "gender",
            "context": context,
            "sentences": [
                {"sentence": context.replace("BLANK", word), "gold_label": label, "id": f"{i}{label}"}
                for word, label in zip(words, labels, strict=True)
            ],
        }
        for i, (context, words, target) in enumerate(FILLED)
    ]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``models(kind)``: a small random model, made once."""
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = small_models.save_language_model(kind, tmp_path_factory.mktemp("models") / kind)
        return made[kind]

    return make


def probabilities(tokenizer: Any, model: Any, context: str, word: str) -> list[float]:
    """Probability of each token of a word: the mask stands behind those before it, as in the released code.

    A word after a space is split into tokens with that space.
    """
    before, _, after = context.partition("BLANK")
    spaced = " " if before.endswith(" ") else ""
    pieces = tokenizer.convert_ids_to_tokens(tokenizer.encode(spaced + word, add_special_tokens=False))
    ids = tokenizer.convert_tokens_to_ids(pieces)
    whole = tokenizer.encode(f"{before}{word}{after}")
    start = next(at for at in range(len(whole)) if whole[at : at + len(ids)] == ids)
    found = []
    for at, token in enumerate(ids):
        text = [*whole[: start + at], tokenizer.mask_token_id, *whole[start + len(ids) :]]
        with torch.no_grad():
            logits = model(torch.tensor([text])).logits[0, start + at]
        found.append(float(logits.softmax(-1)[token]))
    return found


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "albert"])
def test_blanks_are_scored_as_in_a_plain_loop(kind: str, models: Callable[[str], Path]) -> None:
    folder = models(kind)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    scores = cr.score_sentences(folder, rows(), score="stereoset", **OPTIONS)
    wanted = [[probabilities(tokenizer, model, context, w) for w in words] for context, words, _ in FILLED]
    assert max(len(one) for some in wanted for one in some) > 2  # words of several tokens are among them
    assert [one.tokens for one in scores] == [tuple(map(len, some)) for some in wanted]
    means = [[math.log(np.mean(one)) for one in some] for some in wanted]
    np.testing.assert_allclose(scores.values(), means, rtol=1e-4, atol=1e-4)
    logs = [[np.mean(np.log(one)) for one in some] for some in wanted]
    np.testing.assert_allclose(scores.values("token"), logs, rtol=1e-4, atol=1e-4)
    assert (scores.score, scores.resolved("auto")) == ("blank", "probability")


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_texts_are_those_of_the_strings_of_the_released_code(
    kind: str, models: Callable[[str], Path]
) -> None:
    # Word pieces stay what they are where a word is cut behind one, so that strings can be split anew.
    folder = models(kind)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    scores = cr.score_sentences(folder, rows()[:3], score="blank", **OPTIONS)
    for one, (context, words, _) in zip(scores, FILLED[:3], strict=True):
        for word, found in zip(words, one.averages, strict=True):
            tokens = tokenizer.tokenize(word)
            each = []
            for at, token in enumerate(tokens):
                begun = "".join(piece.removeprefix("##") for piece in tokens[:at])
                ids = tokenizer.encode(context.replace("BLANK", begun + tokenizer.mask_token))
                with torch.no_grad():
                    logits = model(torch.tensor([ids])).logits[0, ids.index(tokenizer.mask_token_id)]
                each.append(float(logits.softmax(-1)[tokenizer.convert_tokens_to_ids(token)]))
            assert found == pytest.approx(math.log(np.mean(each)), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("kind", "alike"), [("bert", True), ("roberta", False), ("albert", False)])
def test_the_reading_of_the_released_code_is_a_score_of_its_own(
    kind: str, alike: bool, models: Callable[[str], Path]
) -> None:
    # A word without punctuation is split by itself; its beginning and a mask are written into the context.
    folder = models(kind)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    scores = cr.score_sentences(folder, rows(), score="released", **OPTIONS)
    assert released_words(scores[3].item) == ("very", "selfsufficient", "é")
    for one, (context, _, _) in zip(scores, FILLED, strict=True):
        for word, found, count in zip(released_words(one.item), one.averages, one.tokens, strict=True):
            tokens = tokenizer.encode(word, add_special_tokens=False)
            each = []
            for at, token in enumerate(tokens):
                ids = tokenizer.encode(
                    context.replace("BLANK", tokenizer.decode(tokens[:at]) + tokenizer.mask_token)
                )
                with torch.no_grad():
                    logits = model(torch.tensor([ids])).logits[0, ids.index(tokenizer.mask_token_id)]
                each.append(float(logits.softmax(-1)[token]))
            assert found == pytest.approx(math.log(np.mean(each)), rel=1e-4, abs=1e-4)
            assert count == len(tokens)
    result = cr.sentence_triples(scores)
    assert (result.conventions["scored by"], result.per) == ("released", "probability")
    ours = cr.score_sentences(folder, rows(), score="blank", **OPTIONS)
    assert np.allclose(scores.values()[:3], ours.values()[:3], atol=1e-4) == alike
    with pytest.raises(cr.InputError, match="it gives no score 'released'"):
        cr.score_sentences(models("gpt2"), rows(), score="released", **OPTIONS)


def test_words_that_the_released_code_does_not_find_are_left_out(models: Callable[[str], Path]) -> None:
    def words(context: str, *sentences: str) -> Any:
        return released_words(SentenceItem(sentences=sentences, columns={"context": context}))

    assert words("Girls are BLANK", "Girls") == NOT_FILLED
    assert words("Girls are BLANK.", "Girls are ...") == NOT_FILLED
    assert words("Girls are nice.", "Girls are nice.") == NO_BLANK
    assert words("BLANK are BLANK", "Girls are nice") == SEVERAL_BLANKS
    roles = ("stereotype", "anti-stereotype", "unrelated")
    odd = [
        {"context": "That is BLANK", **dict.fromkeys(roles, "That is ...")},
        {"context": "so " * 70 + "BLANK", **dict.fromkeys(roles, "so " * 70 + "warm")},
    ]
    found = cr.score_sentences(models("bert"), [*odd, *rows()], score="released", missing="drop", **OPTIONS)
    assert len(found) == len(FILLED)
    why = list(found.left_out.values())
    assert why[0] == NOT_FILLED
    assert "and the model takes 64" in why[1]


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_causal_models_are_scored_as_in_the_released_code(kind: str, models: Callable[[str], Path]) -> None:
    # The first token by what begins a text, the others by the sentence alone; the mean of log-probabilities.
    tokenizer = transformers.AutoTokenizer.from_pretrained(models(kind))
    model = transformers.AutoModelForCausalLM.from_pretrained(models(kind)).eval()
    scores = cr.score_sentences(models(kind), rows(), score="stereoset", **OPTIONS)

    def score(text: str) -> float:
        ids = tokenizer.encode(text, add_special_tokens=False)
        with torch.no_grad():
            first = model(torch.tensor([[tokenizer.bos_token_id]])).logits[0, 0].log_softmax(-1)
            rest = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        logs = [float(first[ids[0]]), *(float(rest[at - 1, ids[at]]) for at in range(1, len(ids)))]
        return float(np.mean(logs))

    wanted = [[score(context.replace("BLANK", word)) for word in words] for context, words, _ in FILLED]
    np.testing.assert_allclose(scores.values(), wanted, rtol=1e-5, atol=1e-4)
    assert scores.score == "bare"
    whole = cr.score_sentences(models(kind), rows(), **OPTIONS).values("token")
    assert not np.allclose(whole, wanted, atol=1e-3)
    short = [{"stereotype": "a", "anti-stereotype": "b", "unrelated": "c"}]
    assert min(cr.score_sentences(models(kind), short, score="bare", **OPTIONS)[0].tokens) >= 1


def test_numbers_are_those_of_the_published_formulas(models: Callable[[str], Path]) -> None:
    # ss, lms: shares of the triples of each target, then means over targets; icat of the two means.
    scores = cr.score_sentences(models("bert"), rows(), score="blank", **OPTIONS)
    pro: dict[str, list[float]] = {}
    related: dict[str, list[float]] = {}
    for one, (_, _, target) in zip(scores, FILLED, strict=True):
        first, second, other = one.averages
        pro.setdefault(target, []).append(first > second)
        related.setdefault(target, []).append(((first > other) + (second > other)) / 2)
    ss, lms = (100 * np.mean([np.mean(some) for some in found.values()]) for found in (pro, related))
    result = cr.sentence_triples(scores)
    assert [result.overall.ss, result.overall.lms] == pytest.approx([ss, lms])
    assert result.overall.icat == pytest.approx(lms * min(ss, 100 - ss) / 50)
    assert (result.score, result.per) == ("blank", "probability")
    assert result.conventions["score"].startswith("logarithm of the mean of probabilities of the tokens that")


def test_batches_do_not_matter_and_a_stopped_run_continues(
    models: Callable[[str], Path], tmp_path: Path
) -> None:
    store, options = tmp_path / "scores.json", {**OPTIONS, "batch_size": 2, "unit_texts": 2}
    whole = cr.score_sentences(models("roberta"), rows(), score="blank", **OPTIONS)

    def stop(step: ProbeStep) -> None:
        if step.done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cr.score_sentences(models("roberta"), rows(), score="blank", store=store, progress=stop, **options)
    assert not store.exists()
    steps: list[ProbeStep] = []
    again = cr.score_sentences(
        models("roberta"), rows(), score="blank", store=store, progress=steps.append, **options
    )
    assert max(step.kept for step in steps) >= 6
    np.testing.assert_allclose(again.values(), whole.values(), rtol=1e-6, atol=2e-5)
    assert again == SentenceScores.open(store)
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


def test_the_words_in_a_blank_are_found_as_in_the_released_code() -> None:
    def words(context: str, *sentences: str) -> Any:
        found = filled(SentenceItem(sentences=sentences, columns={"context": context}))
        return found if isinstance(found, str) else [one.text[one.start : one.end] for one in found]

    assert words("Girls are BLANK.", "Girls are self-made.", "Girls are very soft.") == [
        "self-made",
        "very soft",
    ]
    assert words("BLANK's son", "mother's son") == ["mother"]
    assert words("Girls are BLANK, he said", "Girls were soft, he said", "Girls are kind he said") == [
        "soft",
        "kind",
    ]
    assert words("Girls are BLANK", "Girls") == NOT_FILLED
    assert words("Girls are BLANK.", "Girls are .") == NOT_FILLED
    assert words("Girls are nice.", "Girls are nice.") == NO_BLANK
    assert words("BLANK are BLANK", "Girls are nice") == SEVERAL_BLANKS


def test_sentences_without_a_blank_are_refused_with_what_to_do(
    models: Callable[[str], Path], tmp_path: Path
) -> None:
    bare = {
        "stereotype": "That woman is warm.",
        "anti-stereotype": "That woman is cold.",
        "unrelated": "That.",
    }
    with pytest.raises(cr.InputError, match="no row of sentences has a context with BLANK") as caught:
        cr.score_sentences("not-even-a-model", [bare], score="blank", **OPTIONS)
    assert "add a column 'context'" in str(caught.value.hint)
    with pytest.raises(cr.InputError, match="no row of sentences has a context with BLANK"):
        cr.score_sentences(models("bert"), [bare], score="stereoset", **OPTIONS)
    with pytest.raises(cr.InputError, match=r"'That woman is warm.' \(its context has no BLANK\)"):
        cr.score_sentences(models("bert"), [*rows(), bare], score="blank", **OPTIONS)
    found = cr.score_sentences(models("bert"), [bare, *rows()], score="blank", missing="drop", **OPTIONS)
    assert len(found) == len(FILLED)
    assert found.left_out == {"That woman is warm.": NO_BLANK}
    table = tmp_path / "triples.tsv"
    heads = ("context", "stereotype", "anti-stereotype", "unrelated")
    cells = [[c, *(c.replace("BLANK", w) for w in words)] for c, words, _ in FILLED]
    table.write_text("\n".join("\t".join(one) for one in [heads, *cells]), encoding="utf-8")
    nested = tmp_path / "dev.json"
    nested.write_text(json.dumps({"data": {"intrasentence": rows()}}), encoding="utf-8")
    values = [
        cr.score_sentences(models("bert"), one, score="blank", **OPTIONS).values() for one in (table, nested)
    ]
    np.testing.assert_array_equal(values[0], values[1])


def test_mean_probabilities_are_of_blanks_only(models: Callable[[str], Path]) -> None:
    scores = cr.score_sentences(models("bert"), rows(), score="aul", **OPTIONS)
    with pytest.raises(cr.InputError, match="has no mean probability of tokens"):
        cr.sentence_triples(scores, per="probability")
    with pytest.raises(cr.InputError, match="it gives no score 'blank'"):
        cr.score_sentences(models("gpt2"), rows(), score="blank", **OPTIONS)
