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
from crossroads.sentences.material import SentenceItem  # noqa: E402
from crossroads.sentences.score import NO_BLANK, NOT_FILLED, SEVERAL_BLANKS, filled, released_words  # noqa: E402

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
def test_blanks_are_scored_as_in_a_plain_loop(kind: str, model_of: Callable[[str], Path]) -> None:
    folder = model_of(kind)
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


@pytest.mark.parametrize(
    ("kind", "alike"), [("bert", True), ("distilbert", True), ("roberta", False), ("albert", False)]
)
def test_the_reading_of_the_released_code_is_a_score_of_its_own(
    kind: str, alike: bool, model_of: Callable[[str], Path]
) -> None:
    # A word without punctuation is split by itself; its beginning and a mask are written into the context.
    # Word pieces stay what they are where a word is cut behind one: there both scores are alike.
    folder = model_of(kind)
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
    result = cr.sentence_test(scores)
    assert (result.conventions["scored by"], result.per) == ("released", "probability")
    with pytest.raises(cr.InputError, match="has no mean probability of tokens"):
        cr.score_sentences(folder, rows(), score="aul", **OPTIONS).values("probability")
    ours = cr.score_sentences(folder, rows(), score="blank", **OPTIONS)
    assert np.allclose(scores.values()[:3], ours.values()[:3], atol=1e-4) == alike


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_causal_models_are_scored_as_in_the_released_code(kind: str, model_of: Callable[[str], Path]) -> None:
    # The first token by what begins a text, the others by the sentence alone; the mean of log-probabilities.
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_of(kind))
    model = transformers.AutoModelForCausalLM.from_pretrained(model_of(kind)).eval()
    scores = cr.score_sentences(model_of(kind), rows(), score="stereoset", **OPTIONS)

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


@pytest.mark.parametrize(
    ("context", "sentence", "ours", "released"),
    [
        ("Girls are BLANK.", "Girls are self-made.", "self-made", "selfmade"),
        ("Girls are BLANK.", "Girls are very soft.", "very soft", "very"),
        ("BLANK's son", "mother's son", "mother", "mothers"),
        ("Girls are BLANK, he said", "Girls were soft, he said", "soft", "soft"),
        ("Girls are BLANK, he said", "Girls are kind he said", "kind", "kind"),
        ("Girls are BLANK", "Girls", NOT_FILLED, NOT_FILLED),
        ("Girls are BLANK.", "Girls are .", NOT_FILLED, NOT_FILLED),
        ("Girls are nice.", "Girls are nice.", NO_BLANK, NO_BLANK),
        ("BLANK are BLANK", "Girls are nice", SEVERAL_BLANKS, SEVERAL_BLANKS),
    ],
)
def test_the_words_in_a_blank_are_found(context: str, sentence: str, ours: str, released: str) -> None:
    item = SentenceItem(sentences=(sentence,), columns={"context": context})
    found = filled(item)
    assert (found if isinstance(found, str) else found[0].text[found[0].start : found[0].end]) == ours
    assert released_words(item) in (released, (released,))


def test_sentences_without_a_blank_are_refused_or_left_out(
    model_of: Callable[[str], Path], tmp_path: Path
) -> None:
    model, roles = model_of("bert"), ("stereotype", "anti-stereotype", "unrelated")
    bare = dict(zip(roles, ("That woman is warm.", "That woman is cold.", "That."), strict=True))
    with pytest.raises(cr.InputError, match="no row of sentences has a context with BLANK"):
        cr.score_sentences("not-even-a-model", [bare], score="blank", **OPTIONS)
    with pytest.raises(cr.InputError, match=r"'That woman is warm.' \(its context has no BLANK\)"):
        cr.score_sentences(model, [*rows(), bare], score="blank", **OPTIONS)
    odd = [
        bare,
        {"context": "That is BLANK", **dict.fromkeys(roles, "That is ...")},
        {"context": "so " * 70 + "BLANK", **dict.fromkeys(roles, "so " * 70 + "warm")},
    ]
    found = cr.score_sentences(model, [*odd, *rows()], score="released", missing="drop", **OPTIONS)
    assert len(found) == len(FILLED)
    reasons = list(found.left_out.values())
    assert reasons[:2] == [NO_BLANK, NOT_FILLED]
    assert "and the model takes 64" in reasons[2]
    # a table of one's own is read like the file of the study
    table, nested = tmp_path / "triples.tsv", tmp_path / "dev.json"
    cells = [[c, *(c.replace("BLANK", w) for w in words)] for c, words, _ in FILLED]
    lines = ["\t".join(one) for one in [["context", *roles], *cells]]
    table.write_text("\n".join(lines), encoding="utf-8")
    nested.write_text(json.dumps({"data": {"intrasentence": rows()}}), encoding="utf-8")
    one, other = (cr.score_sentences(model, file, score="blank", **OPTIONS) for file in (table, nested))
    np.testing.assert_array_equal(one.values(), other.values())
