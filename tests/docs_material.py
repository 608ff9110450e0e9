"""Files that the commands of the documentation name: small ones, made when a command first asks for one."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.core.stimuli import Design, catalog, read_designs
from tests import small_models
from tests.words.vectors import written

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "guides" / "designs-example.toml"
SENTENCES = (
    "They said that {} was there with the others on the day.",
    "I think {} is what we have seen at the market.",
    "Nobody there knew {} or what to make of it.",
)
RULES = '[[rule]]\nname = "not too strong"\ntest = "weat6"\nstatistic = "effect_size"\nabove = 1.9\n'
"""Rules that the vectors below keep."""
Make = Callable[[Path], Any]
Run = Callable[[str, Path], str]


def rows_of(words: Iterable[str], seed: int = 1, dim: int = 10) -> dict[str, np.ndarray]:
    """A random vector for every word."""
    drawn = np.random.default_rng(seed)
    return {word: drawn.normal(size=dim).astype(np.float32).round(4) for word in dict.fromkeys(words)}


def words_of(*names: str) -> list[str]:
    """The words of designs of the catalogue."""
    return [word for name in names for word in catalog(name).words]


def intersectional_words() -> list[str]:
    """Names and words of IBD and of RSA."""
    tables = [catalog(entry).table().values() for entry in ("ceat-groups", "rsa-names")]
    names = [word for table in tables for words in table for word in words]
    return [*names, *catalog("rsa-concepts").all_words, *catalog("ceat-validation").all_words]


def text_file(path: Path, words: Iterable[str], seed: int = 1) -> None:
    """Vectors as GloVe writes them, compressed as the name says."""
    data = written.glove(rows_of(words, seed))
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(path.stem + ".txt", data)
    else:
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def binary_file(path: Path, words: Iterable[str], seed: int = 1) -> None:
    """Vectors as word2vec writes them."""
    data = written.word2vec(rows_of(words, seed))
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def keyed_vectors(path: Path) -> None:
    """Vectors as gensim saves them."""
    from gensim.models import KeyedVectors

    rows = rows_of(words_of("weat6"))
    made = KeyedVectors(vector_size=10)
    made.add_vectors(list(rows), np.array(list(rows.values())))
    made.save(str(path))


def decades(folder: Path) -> None:
    """A folder of HistWords."""
    import pickle

    folder.mkdir()
    for seed, year in enumerate((1980, 1990)):
        rows = rows_of([word.lower() for word in words_of("weat6", "weat7")], seed)
        np.save(folder / f"{year}-w.npy", np.array(list(rows.values())))
        (folder / f"{year}-vocab.pkl").write_bytes(pickle.dumps(list(rows)))


def context_store(path: Path) -> None:
    """Context vectors of the words of C6."""
    from crossroads.contexts.embed.foreign import import_store

    drawn = np.random.default_rng(1)
    arrays: dict[str, Any] = {word: drawn.normal(size=(4, 8)) for word in words_of("c6")}
    np.savez(path.parent / f"{path.name}.npz", **arrays)
    import_store(path.parent / f"{path.name}.npz", path)


def corpus_lines() -> list[str]:
    """A few sentences with each word of C6 and I1."""
    return [text.format(word) for word in words_of("c6", "i1") for text in SENTENCES]


def json_lines(path: Path) -> None:
    """A corpus as Reddit's dumps are, compressed."""
    import zstandard

    data = "\n".join(json.dumps({"body": line}) for line in corpus_lines()).encode()
    path.parent.mkdir(exist_ok=True)
    path.with_name("RC_2014-01.zst").write_bytes(zstandard.compress(data))


def book(path: Path) -> None:
    """A corpus in paragraphs, compressed."""
    path.parent.mkdir(exist_ok=True)
    path.with_name("one.txt.gz").write_bytes(gzip.compress("\n\n".join(corpus_lines()).encode()))


def parquet(path: Path) -> None:
    """A corpus in a column."""
    path.write_bytes(written.parquet({"comment": corpus_lines()}))


def contexts(path: Path) -> None:
    """Contexts as the program writes them."""
    from crossroads.contexts.corpus import find_contexts, write_contexts

    text = path.parent / f"{path.name}.txt"
    text.write_text("\n".join(corpus_lines()), encoding="utf-8")
    write_contexts(find_contexts(str(text), ["Amy", "John", "salary"], minimum=1), path)


def pickled_vectors(path: Path) -> None:
    """Context vectors as the released code of the papers writes them."""
    import pickle

    path.write_bytes(pickle.dumps({word: [np.ones(3) * i for i in range(2)] for word in ("rose", "wasp")}))


def bert(path: Path, layers: int = 9) -> None:
    """A masked model that knows the words of the study."""
    small_models.save_bert(path, [*small_models.study_words(), "this", "is"], layers=layers)


def answers(path: Path) -> None:
    """What a masked model answered about a few groups."""
    from crossroads import probe

    bert(path.with_name("asked"), layers=1)
    probe(path.with_name("asked"), groups=list(GROUPS), templates=["singular"], store=path)


GROUPS = ("Asian", "Black", "Hispanic", "immigrant", "woman", "man")


def judgements(path: Path) -> None:
    """Answers of six people, from 0 to 100, about groups and traits of the study."""
    drawn = np.random.default_rng(2)
    keys = [trait.human_key for trait in catalog("abc-traits")]
    people = {
        f"person {number}": {group: {key: int(drawn.integers(0, 101)) for key in keys} for group in GROUPS}
        for number in range(6)
    }
    path.write_text(json.dumps(people), encoding="utf-8")


def scores(path: Path) -> None:
    """A model's scores, as ``probe --json`` writes them."""
    from crossroads.traits import TraitScores

    drawn = np.random.default_rng(3)
    names = [f"{trait.left}-{trait.right}" for trait in catalog("abc-traits")]
    table = {group: {name: float(drawn.normal()) for name in names} for group in GROUPS}
    made = {"type": "TraitScores", **TraitScores.from_table(table).to_dict()}
    path.write_text(json.dumps({"command": "probe", "results": [made]}), encoding="utf-8")


def sentences_of_the_guide(path: Path) -> None:
    """The file that the guide to models shows."""
    text = (ROOT / "docs" / "guides" / "models.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(# sentences.toml.*?)^```", text, re.MULTILINE | re.DOTALL)
    path.write_text(shown, encoding="utf-8")


def table_of_words(path: Path) -> None:
    """A design as a spreadsheet saves it."""
    design: Design = catalog("weat6")
    rows = [f"mine,{role},{words.name},{word}" for role, words in design.sets.items() for word in words]
    path.write_text("\n".join(["design,set,name,word", *rows]), encoding="utf-8")


def own_design(path: Path) -> None:
    """A design in TOML."""
    design: Design = catalog("weat6")
    sets = [f"{role} = {json.dumps(list(words))}" for role, words in design.sets.items()]
    path.write_text("\n".join(['name = "mine"', *sets]), encoding="utf-8")


def example_words() -> list[str]:
    """The words of the example beside the guide, and of the table."""
    return [*words_of("weat6"), *(word for design in read_designs(EXAMPLE) for word in design.words)]


def saved_audit(path: Path, run: Run, seed: int) -> None:
    """An audit of small vectors."""
    text_file(path.parent / f"{path.name}.txt", words_of("weat6"), seed)
    run(f"crossroads audit {path.name}.txt --no-figures -o {path.name}", path.parent)


def pairs(path: Path) -> None:
    """Pairs with the columns of CrowS-Pairs."""
    lines = ["sent_more,sent_less,stereo_antistereo,bias_type,anon_writer"]
    for number, word in enumerate(("warm", "poor", "cold", "kind", "weak", "old")):
        category = ("gender", "age")[number % 2]
        lines.append(f"The woman is {word}.,The man is {word}.,stereo,{category},a{number % 3}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def triples(path: Path) -> None:
    """Triples of sentences."""
    rows = []
    for group in ("woman", "man", "girl"):
        for one, other in (("warm", "cold"), ("poor", "rich")):
            ends = {"context": "BLANK", "stereotype": one, "anti-stereotype": other, "unrelated": "fish"}
            rows.append({"target": group, **{key: f"The {group} is {end}." for key, end in ends.items()}})
    path.write_text(json.dumps(rows), encoding="utf-8")


def made_by(run: Run) -> dict[str, Make]:
    """What makes each file, by the name that commands give it."""
    career = words_of("weat6")
    return {
        "glove.840B.300d.zip": partial(text_file, words=career),
        "GoogleNews-vectors-negative300.bin.gz": partial(binary_file, words=career),
        "vectors-2019.bin": partial(binary_file, words=career),
        "vectors-2024.bin": partial(binary_file, words=career, seed=2),
        "vectors.bin": partial(binary_file, words=career),
        "vectors.kv": keyed_vectors,
        "vectors.txt": partial(text_file, words=career, seed=3),
        "README: vectors.txt": lambda path: text_file(path, intersectional_words()),
        "vectors.txt.gz": lambda path: text_file(path, example_words()),
        "sgns": decades,
        "my-words.toml": own_design,
        "my-lists.toml": own_design,
        "words.csv": table_of_words,
        "designs-example.toml": partial(shutil.copy, EXAMPLE),
        "rules.toml": lambda path: path.write_text(RULES, encoding="utf-8"),
        "sentences.toml": sentences_of_the_guide,
        "model": decades,
        "bert-base-uncased": bert,
        "my-model": bert,
        "gpt2": partial(small_models.save_language_model, "gpt2"),
        "answers": answers,
        "elmo": small_models.save_elmo,
        "contexts": contexts,
        "store": context_store,
        "STORE": context_store,
        "RC_2014-*.zst": json_lines,
        "reddit/RC_2014-*.zst": json_lines,
        "books/*.txt.gz": book,
        "dump.parquet": parquet,
        "my-words.txt": lambda path: path.write_text("salary\nJohn\n", encoding="utf-8"),
        "vectors.npz": lambda path: np.savez(path, rose=np.eye(3), wasp=np.ones((2, 3))),
        "bert_weat.pickle": pickled_vectors,
        "Aggregated_scores.json": judgements,
        "data_full.json": judgements,
        "scores.json": scores,
        "audit-2019": partial(saved_audit, run=run, seed=1),
        "audit-2024": partial(saved_audit, run=run, seed=2),
        "audit-of-one": partial(saved_audit, run=run, seed=1),
        "audit-of-another": partial(saved_audit, run=run, seed=2),
        "other-audit": partial(saved_audit, run=run, seed=2),
        "crows_pairs_anonymized.csv": pairs,
        "stereoset-dev.json": triples,
    }


def shell(environment: dict[str, str], command: str, folder: Path) -> str:
    """Run a command in a shell; what it printed. Errors say what was run."""
    options = {"cwd": folder, "env": environment, "text": True, "encoding": "utf-8", "capture_output": True}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return str(done.stdout)
