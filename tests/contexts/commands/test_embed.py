"""``crossroads embed`` as a shell sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crossroads.contexts.corpus import SAMPLE, find_contexts, write_contexts
from crossroads.core.evidence import Contexts
from tests.fixtures.commands import Command

pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

TEXTS = ("the rose is red", "a rose and a wasp", "the wasp stings", "no rose without a thorn")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A very small BERT that knows the words of :data:`TEXTS`."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    known = ["[UNK]", "[PAD]", *sorted({word for text in TEXTS for word in text.split()})]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("models") / "small-bert"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=32
    ).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.BertConfig(vocab_size=len(known), **sizes)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Contexts of three words, one of which the model does not know, in the current folder."""
    monkeypatch.chdir(tmp_path)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join([*TEXTS, "the orchid"]), encoding="utf-8")
    found = find_contexts(str(corpus), ["rose", "wasp", "orchid", "lily"], minimum=1, seed=4)
    write_contexts(found, tmp_path / "contexts")
    corpus.unlink()
    return tmp_path / "contexts"


def test_a_run_says_what_it_made_and_a_second_one_that_it_is_there(
    command: Command, model: Path, contexts: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    run = command("embed", contexts, "--model", model, "-o", store, "-M", "device=cpu", "--workers", 1)
    assert run.status == 0, run.err
    assert run.err == ""
    assert "small-bert (BertModel, layer 2, last piece)" in run.out
    assert "5 contexts of 2 words, 16 × float32" in run.out
    assert "1 contexts: the model knows the word only as unknown" in run.out
    assert "no context for orchid and lily" in run.out
    made = Contexts.open(store)
    assert made.words == ("rose", "wasp")
    assert made["rose"].shape == (3, 16)
    details = made.provenance.details
    assert details["record"]["sample"] == details["sample"]["sample"] == SAMPLE
    assert details["sample"]["seed"] == 4
    again = command("embed", contexts, "--model", model, "-o", store, "-M", "device=cpu", "--json")
    assert again.status == 0
    document = json.loads(again.out)
    assert document["command"] == "embed"
    found = document["results"][0]
    assert (found["present"], found["words"], found["contexts"], found["dim"]) == (True, 2, 5, 16)
    assert found["provenance"]["details"]["dropped"] == 1
    other = command("embed", contexts, "--model", model, "-o", store, "-M", "device=cpu", "-M", "layer=1")
    assert other.status == 2
    assert "layer (2 there, 1 now)" in other.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-M", "layer=summ"), "did you mean 'sum'"),
        (("-M", "layer=7"), "layers 0 (embeddings) to 2 (top)"),
        (("-M", "max_length=99"), "give a number from 1 to 32"),
        (("--import", "x.npz"), "give one or the other"),
        (("--model", "contexts"), "no config.json"),
        (("-o", "."), "current folder"),
        (("-o", "contexts/manifest.json/store"), "is not a folder"),
    ],
)
def test_options_that_cannot_be_used_are_sentences(
    command: Command, model: Path, contexts: Path, tmp_path: Path, arguments: tuple[str, str], said: str
) -> None:
    run = command("embed", "contexts", "--model", model, "-o", "store", *arguments)
    assert (run.status, run.out) == (2, "")
    assert said in run.err
    assert "Traceback" not in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["contexts"]


def test_damaged_and_missing_contexts_are_sentences(
    command: Command, model: Path, contexts: Path, tmp_path: Path
) -> None:
    with (contexts / "contexts.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    for given, said in (
        ([tmp_path / "nowhere"], "does not exist"),
        ([contexts], "SHA-256"),
        ([], "a folder of contexts is missing"),
    ):
        run = command("embed", *given, "--model", model, "-o", tmp_path / "store")
        assert (run.status, said in run.err) == (2, True)
    assert not (tmp_path / "store").exists()


def test_vectors_of_others_are_imported(command: Command, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    np.savez(tmp_path / "mine.npz", rose=rows, wasp=rows[:2])
    arguments = ("embed", "--import", tmp_path / "mine.npz", "-o", tmp_path / "store")
    run = command(*arguments, "-M", "layer=3", "--workers", 2)
    assert run.status == 2
    assert "-M layer and --workers cannot be used with --import" in run.err
    assert not (tmp_path / "store").exists()
    run = command(*arguments, "-M", "dtype=float32")
    assert run.status == 0
    assert "6 contexts of 2 words, 3 × float32" in run.out
    assert np.array_equal(Contexts.open(tmp_path / "store")["rose"], rows)


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way")
@pytest.mark.parametrize(
    ("event", "what", "said", "left"),
    [
        # when the only part is about to get its name
        ("os.rename", "/part-", "nothing is kept", []),
        # when the store is put together, and when it is about to take its place
        ("open", "vectors-00000.npy", "are kept; the same command resumes from them", ["store.part"]),
        ("os.rename", "store.part/store'", "are kept; the same command resumes from them", ["store.part"]),
        # when it is there, and its parts are removed
        ("shutil.rmtree", "store.part'", "the work was already finished", ["store", "store.part"]),
    ],
)
def test_an_interrupted_run_says_what_is_kept(
    model: Path, contexts: Path, tmp_path: Path, event: str, what: str, said: str, left: list[str]
) -> None:
    moment = [str(Path(__file__).parents[2] / "moments.py"), event, what, "1", "SIGINT:self"]
    program = [sys.executable, *moment, "from crossroads.core.cli.app import main; main()"]
    arguments = ["embed", contexts, "--model", model, "-o", tmp_path / "store", "--workers", "1"]
    run = subprocess.run(
        [*program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode not in (0, 2)
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert sorted(one.name for one in tmp_path.glob("store*")) == left
