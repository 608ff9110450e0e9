"""Every reader of users' files, with small files that it can read.

A reader of a folder has its other files beside it. Where a file carries a checksum, the reader here writes
the right one, so that what is changed is read and not only found to be damaged.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import pickle
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.chat import models as chat_answers
from crossroads.chat.ask import REPLY
from crossroads.chat.evidence import ChatAnswers
from crossroads.contexts.corpus.search import find_contexts
from crossroads.contexts.corpus.store import read_contexts, write_contexts
from crossroads.core.audit.engine import outcome_form
from crossroads.core.models.elmo import Elmo, read_options
from crossroads.core.models.files import find_model
from crossroads.core.models.kinds import recognise
from crossroads.core.models.saved import VECTORS as SAVED
from crossroads.core.models.services import calls as embedding_answers
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.gate import read_rules
from crossroads.core.report.page.page import page_html
from crossroads.core.report.renderers.card import card_section
from crossroads.core.stimuli.files.text import read_frequencies, read_sheet, read_trait_lists
from crossroads.core.storage.cache import Cache, Form, Key, Parts, parts_folder
from crossroads.core.storage.files import read_record, with_checksum
from crossroads.sentences.evidence import SentenceScores
from crossroads.sentences.material import sentence_items
from crossroads.traits.measures.files import read_trait_tables
from crossroads.traits.pairs.material import read_identities
from crossroads.traits.people.files import read_demographics, read_judgements
from crossroads.traits.probe.evidence import Logits
from crossroads.traits.probe.material import read_groups, read_templates, read_traits
from crossroads.words.models.clip import read_image
from crossroads.words.models.endpoint import BATCH
from crossroads.words.models.settings import resolve_model
from tests import results, small_models
from tests.words.vectors import written

WORDS = ["rose", "wasp", "love", "Ünï", "x" * 30, "a b", "1", "-0.5"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype(np.float32)
AGE = cr.Design(name="age", x=["young"], y=["old"], a=["joy"], b=["evil"])
SETS: dict[str, Any] = {key: [f"{key}{i}" for i in range(3)] for key in "xyab"}


@dataclass(frozen=True, kw_only=True)
class Target:
    """A reader with files that it can read."""

    name: str
    """What it reads, the beginning of the names of its kept inputs."""
    file: str
    """The name that a file has, in its folder."""
    read: Callable[[Path], Any]
    """Reads a file."""
    seeds: tuple[bytes, ...]
    """Valid files."""
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Other files of the folder."""
    slow: bool = False
    """Whether it loads a model; such readers get fewer inputs, and none in the ordinary tests."""


def _dumped(data: Any) -> bytes:
    return json.dumps(data).encode()


def _formats(name: str, read: Callable[[Path], Any], **seeds: bytes) -> list[tuple[Any, ...]]:
    """Rows of a reader that reads several formats, which it tells apart by the ends of names."""
    return [(f"{name}-{form}", f"f.{form}", read, seed) for form, seed in seeds.items()]


def _load(form: str) -> Callable[[Path], Any]:
    return lambda path: cr.load(path, format=form, words=["rose", "wasp"], pool=5)


def _vectors() -> list[Target]:
    vectors = dict(zip(WORDS, VECTORS, strict=True))
    joined_words = {word.replace(" ", "_"): row for word, row in vectors.items()}
    glove, headed, binary = (
        write(joined_words) for write in (written.glove, written.fasttext_text, written.word2vec)
    )
    buckets = np.arange(24, dtype=np.float32).reshape(6, 4)
    fasttext = written.fasttext(["rose", "wasp"], buckets, bucket=4, ngrams=(3, 6))
    tensors, array = written.labelled(vectors), written.npy(VECTORS)
    archives = (written.npz(labels=WORDS, vectors=VECTORS), written.npz(rose=VECTORS[0], wasp=VECTORS[1]))
    table = {"word": WORDS, "vector": VECTORS.tolist()}
    return _targets(
        ("glove", "v.txt", _load("glove-text"), glove),
        ("word2vec", "v.txt", _load("word2vec-text"), headed),
        ("word2vec-binary", "v.bin", _load("word2vec-binary"), binary),
        ("fasttext", "v.bin", _load("fasttext-binary"), fasttext),
        ("npz", "v.npz", _load("npz"), *archives),
        ("npy", "v.npy", _load("npy"), array, {"v.txt": ("\n".join(WORDS) + "\n").encode()}),
        ("npy-words", "v.json", _beside("v.npy", "npy"), _dumped(WORDS), {"v.npy": array}),
        ("histwords", "1900-w.npy", _histwords, array, {"1900-vocab.pkl": pickle.dumps(WORDS)}),
        ("pickle", "v.pkl", _load("gensim"), pickle.dumps(vectors)),
        ("safetensors", "v.safetensors", _load("safetensors"), tensors),
        ("safetensors-head", "h.json", _safetensors_head, tensors[8:].partition(b"}}")[0] + b"}}"),
        ("parquet", "v.parquet", _load("parquet"), written.parquet(table)),
        ("any", "vectors", cr.load, glove, headed, binary, fasttext),
    )


def _beside(name: str, form: str) -> Callable[[Path], Any]:
    return lambda path: _load(form)(path.with_name(name))


def _histwords(path: Path) -> Any:
    return cr.load(path.parent, format="histwords")


def _safetensors_head(path: Path) -> Any:
    """A safetensors file with another header of its right length."""
    head = path.read_bytes()
    file = path.with_name("v.safetensors")
    file.write_bytes(len(head).to_bytes(8, "little") + head + VECTORS.tobytes())
    return _load("safetensors")(file)


SENTENCES = b"""sent_more,sent_less,bias_type,stereo_antistereo
She is here.,He is here.,gender,stereo
"""
STEREOSET = b"""{"data": {"intrasentence": [{"context": "The nurse is BLANK.", "target": "nurse",
"bias_type": "profession", "sentences": [{"gold_label": "stereotype", "sentence": "The nurse is kind."},
{"gold_label": "anti-stereotype", "sentence": "The nurse is mean."},
{"gold_label": "unrelated", "sentence": "The nurse is fish."}]}]}}"""
SHEET = b"""{"words": ["a0", "b0"], "truth": ["a0"], "concepts": {"A": ["a0"]},
"groups": {"Black": {"female": ["x0"], "male": ["x1"]}}}"""
GROUPS = b"""{"domains": {"age": {"the old": {"singular": "an old person", "plural": "old people"}}}}"""
TEMPLATES = b"""{"language": "en", "families": {"plain": {"templates": ["{plural} are {trait}."]}}}"""
IDENTITIES = b"""[domains.age]
teenager = { adjective = "teenage", noun = ["teenager", "teenagers"] }
elder = { adjective = "old" }
[[exclude]]
kind = "pair"
groups = [["teenager", "elder"]]
reason = "x"
"""
RULES = b"""[[rule]]
test = "mine"
statistic = "effect_size"
above = 0.5
unless_adjusted_above = 0.05
"""


def _stimuli() -> list[Target]:
    named, heads = {"name": "mine", **SETS}, SENTENCES.decode().splitlines()
    toml = "\n".join(f"{key} = {json.dumps(value)}" for key, value in named.items()).encode()
    pairs = _dumped(dict(zip(*(line.split(",") for line in heads), strict=True)))
    traits = b'{"trait": [{"left": "cold", "right": "warm", "left_synonyms": ["cool"]}]}'
    traits_toml = b'[[trait]]\nleft = "cold"\nright = "warm"\nscale = "x"\nleft_synonyms = ["cool"]\n'
    wide, rows = b"targ1,targ2,attr1,attr2\na,b,c,d\n", b"set,word,name\nx,a,X\ny,b,Y\na,c,A\nb,d,B\n"
    sheet_toml = b'words = ["a0"]\n[groups.Black]\nfemale = ["x0"]\nmale = ["x1"]\n'
    lists, lists_toml = b"pair,trait\nwomen,warm\nmen,cold\n", b'women = ["warm"]\nmen = ["cold"]\n'
    return _targets(
        *_formats("design", cr.read_designs, json=_dumped(named), jsonl=_dumped(named), toml=toml, csv=wide),
        ("design-rows", "d.csv", cr.read_designs, rows),
        *_formats("sentences", sentence_items, csv=SENTENCES, jsonl=pairs),
        ("sentences-json", "s.json", sentence_items, STEREOSET, b"[" + pairs + b"]"),
        *_formats("sheet", read_sheet, json=SHEET, toml=sheet_toml),
        *_formats("trait-lists", read_trait_lists, csv=lists, toml=lists_toml),
        ("frequencies", "f.csv", read_frequencies, b"word,count\nrose,10\nwasp,3\n", b"rose\t1e3\n"),
        *_formats("groups", read_groups, json=GROUPS, csv=b"group,singular,plural\nold,an elder,elders\n"),
        *_formats("traits", read_traits, toml=traits_toml, json=traits, csv=b"left,right\ncold,warm\n"),
        *_formats("templates", read_templates, json=TEMPLATES, txt=b"{plural} are {trait}.\n# no\n"),
        ("identities", "i.toml", read_identities, IDENTITIES),
        ("rules", "r.toml", read_rules, RULES),
    )


def _evidence() -> list[Target]:
    people = {f"annotator{i}": {"women": {"powerful-powerless": "40"}} for i in range(3)}
    means = {"women": {"cold-warm": 50.0, "wealthy-poor": 20}}
    long = b"group,trait,score,annotator\nwomen,cold-warm,40,a\nwomen,cold-warm,50,b\n"
    scores = {
        "type": "TraitScores", "measure": "set", "groups": ["women", "man"],
        "traits": ["cold-warm", "wealthy-poor"], "scores": [[0.5, 1.0], [0.25, -2.0]],
    }  # fmt: skip
    return [
        *_targets(
            ("judgements", "h.json", read_judgements, _dumped(people), _dumped(means)),
            ("judgements-csv", "h.csv", read_judgements, long, b"group,cold-warm\nwomen,40\n"),
            ("demographics", "d.csv", read_demographics, b"annotator,gender\na,woman\nb,man\n"),
            ("trait-tables", "s.json", read_trait_tables, _dumped(scores), _dumped(means)),
        ),
        *_saved(),
        *_stores(),
    ]


def _saved() -> list[Target]:
    """Answers and scores that were saved."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cr.ask_chat(lambda messages: "joy - young\nevil - old", AGE, prompts=4).save(folder / "a.json")
        answers = (folder / "a.json").read_bytes()
        results.sentences("pairs", cr.sources.Provenance(source="m")).save(folder / "s.json")
        scores = (folder / "s.json").read_bytes()
    batch = ["openai", "m", {"rose": [1.0, 2.0]}]
    saved = SAVED.write(cr.Embeddings(["rose", "wasp"], [[1.0, 2.0], [3.0, 4.0]]))
    plan = {"format": "crossroads-parts/1", "fingerprint": "0", "record": {"model": "m"}}
    return _targets(
        ("answers", "a.json", _answered, answers, _dumped(["joy - young"])),
        ("sentence-scores", "s.json", _scored, scores),
        ("kept-reply", "k.json", _cached(REPLY), _dumped(["joy", "stop", "m"])),
        ("kept-batch", "k.json", _cached(BATCH), _dumped(batch)),
        ("kept-vectors", "k.vectors", _cached(SAVED), saved),
        ("kept-part", "k.json", _cached(outcome_form(type(_made()[0]), ())), _made()[0].to_json().encode()),
        ("parts-plan", "p.json", _parts_plan, _dumped(plan)),
        ("record", "r.json", read_record, _dumped({"a": 1})),
    )


def _scored(path: Path) -> Any:
    _signed(path)
    scores = SentenceScores.open(path)
    return repr(scores), scores.values(), cr.sentence_test(scores).to_json()


def _answered(path: Path) -> Any:
    _signed(path)
    return cr.chat_test(ChatAnswers.open(path), AGE)


def _signed(path: Path) -> None:
    """Give a changed file the checksum of its content, so that what is behind the checksum is read."""
    document = _content(path)
    if isinstance(document, dict):
        with contextlib.suppress(ValueError, RecursionError):
            document.pop("sha256", None)
            path.write_text(json.dumps(with_checksum(document)), encoding="utf-8")


def _content(path: Path) -> Any:
    """A JSON file that was changed, or None."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _cached(form: Form[Any]) -> Callable[[Path], Any]:
    """A value of a cache with the right checksum."""

    def read(path: Path) -> Any:
        cache, key, data = Cache(path.parent), Key("value", "", {}), path.read_bytes()
        line = hashlib.sha256(data).hexdigest().encode() + b"\n"
        cache.place(key, form.suffix).write_bytes(line + data)
        return cache.find(key, form)

    return read


@cache
def _made() -> tuple[Any, Any]:
    """A test and a battery of it."""
    words = [word for some in SETS.values() for word in some]
    emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(12, 4)))
    design = cr.Design(name="mine", **SETS)
    return cr.weat(emb, design), cr.battery(emb, [design])


def _parts_plan(path: Path) -> Any:
    """The plan of work that was begun."""
    store = path.parent / "store"
    folder = parts_folder(store)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "plan.json")
    (folder / f"part-000000-{'0' * 16}.npy").write_bytes(b"")
    return Parts(store, {"model": "m"}).close()


def _stores() -> list[Target]:
    """Folders that hold evidence."""
    rng = np.random.default_rng(2)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cr.Contexts.from_dict({w: rng.normal(size=(2, 3)) for w in ("rose", "wasp")}).save(folder / "c")
        _logits().save(folder / "l")
        (folder / "t.txt").write_text("The rose is here.\nA wasp is there.\n", encoding="utf-8")
        write_contexts(find_contexts([folder / "t.txt"], ["rose", "wasp"], workers=1), folder / "w")
        files = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    def of(letter: str) -> dict[str, bytes]:
        return {name: data for name, data in files.items() if name.startswith(f"{letter}/")}

    shard = next(name for name in of("c") if name.endswith(".npy"))
    array = next(name for name in of("l") if name.endswith("logit.npy"))
    return _targets(
        ("contexts-manifest", "c/manifest.json", _opened(_all_contexts), files["c/manifest.json"], of("c")),
        ("contexts-shard", shard, _opened(_all_contexts), files[shard], of("c")),
        ("logits-manifest", "l/manifest.json", _opened(_all_logits), files["l/manifest.json"], of("l")),
        ("logits-array", array, _opened(_all_logits), files[array], of("l")),
        ("sample-manifest", "w/manifest.json", _opened(read_contexts), files["w/manifest.json"], of("w")),
        ("sample", "w/contexts.jsonl", _sample, files["w/contexts.jsonl"], of("w")),
    )


def _opened(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    return lambda path: read(path.parent)


def _all_contexts(folder: Path) -> Any:
    found = cr.Contexts.open(folder, verify=False)
    return found, found.provenance.to_dict(), [found[word] for word in found.words]


def _all_logits(folder: Path) -> Any:
    found = Logits.open(folder, verify=False)
    return found.rows, found.pieces, found.head(0), found.provenance.to_dict()


def _logits() -> Logits:
    arrays: dict[str, Any] = {
        "logit": np.zeros((1, 1, 2, 1)), "slot": np.array([[[[0], [1]]]]),
        "chain_logit": np.zeros((1, 1, 2, 1)), "chain_slot": np.array([[[[0], [1]]]]),
        "head": np.zeros((2, 1)), "log_sum_exp": np.ones(2),
        "hidden_sq_norm": np.ones(2), "log_sum_initial": np.ones(2), "log_sum_continuation": np.ones(2),
    }  # fmt: skip
    return Logits.from_arrays(
        groups=["women"], priors=[], templates=["{capitalised} are {trait}."], traits=[("cold", "warm")],
        vocabulary=9, **arrays,
    )  # fmt: skip


def _sample(path: Path) -> Any:
    """Contexts with the right checksum in the manifest."""
    manifest = path.with_name("manifest.json")
    document = json.loads(manifest.read_bytes()) | {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    manifest.write_text(json.dumps(document), encoding="utf-8")
    return read_contexts(path.parent)


def _documents() -> list[Target]:
    weat, battery = _made()
    both = (battery.to_json().encode(), cr.checks(battery).to_json().encode())
    gate = _dumped({"verdicts": [dict.fromkeys(("rule", "test", "outcome", "sentence"), "x")]})
    audit: dict[str, Any] = {"schema": 1, "kind": "vectors", "model": "m", "names": ["a"]}
    audit |= {"designs": [{"name": "mine", **SETS}], "results": [json.loads(both[0])]}
    beside = {"a/results.json": _dumped(audit)}
    return _targets(
        ("results", "r.json", _page, *both),
        ("audit", "a/results.json", _page, _dumped(audit)),
        ("gate", "a/gate.json", lambda path: _page(path.with_name("results.json")), gate, beside),
        ("result", "r.json", _result, weat.to_json().encode()),
    )


def _page(path: Path) -> Any:
    """The page and the card that ``crossroads report`` makes of results."""
    records = read_records(path)
    page_html(records)
    return [card_section(one) for one in records]


def _result(path: Path) -> Any:
    found = type(_made()[0]).from_json(path.read_bytes().decode("utf-8", "replace"))
    return found.to_json(), str(found), found._table()


def _corpora() -> list[Target]:
    lines = b"".join(_dumped({"body": f"the {word} is here, {word}."}) + b"\n" for word in WORDS)
    table = b'id,text\n1,the rose is here\n2,"a love, a rose"\n'
    column = written.parquet({"text": ["the rose is here", "a love"]})
    texts = {"jsonl": lines, "txt": b"the rose is here.\na love.\n", "csv": table, "parquet": column}
    return _targets(*_formats("corpus", _corpus, **texts, tsv=table.replace(b",", b"\t")))


def _corpus(path: Path) -> Any:
    return find_contexts([path], ["rose", "love"], workers=1)


def _services() -> list[Target]:
    choice = {"message": {"content": "joy", "refusal": None}, "finish_reason": "stop"}
    own = {"model": "m", "message": {"content": "joy"}, "done_reason": "stop"}
    rows = [[1.0, 2.0], [3.0, 4.0]]
    listed = {"model": "m", "data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}
    return _targets(
        ("reply-openai", "r.json", _reply("openai"), _dumped({"model": "m", "choices": [choice]})),
        ("reply-ollama", "r.json", _reply("ollama"), _dumped(own)),
        ("vectors-openai", "r.json", _embedded("openai"), _dumped(listed)),
        ("vectors-ollama", "r.json", _embedded("ollama"), _dumped({"embeddings": rows})),
        ("vectors-tei", "r.json", _embedded("tei"), _dumped(rows)),
        ("service-error", "r.json", _service_error, _dumped({"error": {"message": "no", "code": 3}})),
    )


def _service_error(path: Path) -> Any:
    return embedding_answers.error_message(path.read_bytes(), secret="sk-secret")


def _reply(protocol: str) -> Callable[[Path], Any]:
    """A reply that is kept, found again, saved and opened."""

    def read(path: Path) -> Any:
        reply = chat_answers._read(protocol, path.read_bytes(), "sk-secret")
        asked = iter([reply.text])
        answers, again = (
            cr.ask_chat(lambda messages: next(asked), AGE, prompts=1, cache=path.parent / "kept")
            for _ in range(2)
        )
        shutil.rmtree(path.parent / "kept")
        answers.save(path.parent / "saved.json")
        if not answers == again == ChatAnswers.open(path.parent / "saved.json"):
            raise AssertionError("the answer is not read back")
        return cr.chat_test(answers, AGE)

    return read


def _embedded(protocol: str) -> Callable[[Path], Any]:
    return lambda path: embedding_answers.read_answer(
        protocol, path.read_bytes(), ["rose", "wasp"], secret="s3"
    )


def _files_of_models() -> list[Target]:
    """Images, ELMo, and what is read of a model before it is loaded."""
    config = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 4}
    kind = ("kind", "config.json", lambda path: recognise(path.parent), _dumped(config))
    found = _targets(kind)
    if importlib.util.find_spec("PIL") is not None:
        images = {form: _image(form) for form in ("png", "jpeg", "gif", "bmp", "webp", "tiff")}
        found += _targets(*_formats("image", read_image, **images))
    if importlib.util.find_spec("h5py") is not None:
        with tempfile.TemporaryDirectory() as place:
            elmo = _files(small_models.save_elmo(Path(place) / "elmo"))
        found += _targets(
            ("elmo-options", "options.json", read_options, elmo["options.json"], elmo),
            ("elmo-weights", "weights.hdf5", _elmo_words, elmo["weights.hdf5"], elmo),
        )
    return found


def _elmo_words(path: Path) -> Any:
    return Elmo(path.parent).layers(["a"])


def _models() -> list[Target]:
    """Models of transformers, which are slow to load."""
    if importlib.util.find_spec("transformers") is None:
        return []
    with tempfile.TemporaryDirectory() as place:
        bert = _files(small_models.save_bert(Path(place) / "bert", ["rose"]))
    names = [name for name in bert if name.endswith(".json")]
    rows = ((f"model-{Path(name).stem}", name, _embedded_words, bert[name], bert) for name in names)
    return _targets(*rows, slow=True)


def _image(form: str) -> bytes:
    image = importlib.import_module("PIL.Image")
    file = io.BytesIO()
    image.fromarray((np.arange(300) % 256).astype(np.uint8).reshape(10, 10, 3)).save(file, form)
    return file.getvalue()


def _files(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


def _embedded_words(path: Path) -> Any:
    find_model(path.parent)
    resolve_model(path.parent, revision=None, prompt=None, pooling="auto", layer=None, device="cpu")
    return cr.sources.prompted_embeddings(path.parent, ["rose", "wasp"], device="cpu")


def _targets(*rows: tuple[Any, ...], slow: bool = False) -> list[Target]:
    """Targets of rows: name, file, reader, seeds, and the files beside."""
    found = []
    for name, file, read, *more in rows:
        seeds = tuple(one for one in more if isinstance(one, bytes))
        beside = next((one for one in more if isinstance(one, dict)), {})
        found.append(Target(name=name, file=file, read=read, seeds=seeds, beside=beside, slow=slow))
    return found


@cache
def targets(*, slow: bool = False) -> tuple[Target, ...]:
    """Every reader of users' files; with those that load a model if ``slow``."""
    made = [_vectors, _stimuli, _evidence, _documents, _corpora, _services, _files_of_models]
    return tuple(target for make in (*made, *([_models] if slow else [])) for target in make())
