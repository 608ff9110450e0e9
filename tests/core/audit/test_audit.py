"""Audits of every kind of model: equal to the measures called by hand, whatever was kept and who helped."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.comparison.audit import compare_finished
from crossroads.contexts.corpus import find_contexts, write_contexts
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.levels import MultilevelCeatResult
from crossroads.core.audit.audit import Session, audit_cache, run_audit
from crossroads.core.audit.engine import Settings
from crossroads.core.audit.progress import Event, ProgressTracker
from crossroads.core.errors import FormatError, InputError, MissingStimuliError, UnknownNameError
from crossroads.core.report.audit import FinishedAudit
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.catalogue.index import panel
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.audit import ROWS
from crossroads.words.checks.corrections import AnisotropyResult, CorrectionsResult
from crossroads.words.checks.placebo import PlaceboResult
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.series import SeriesResult
from crossroads.words.measures.stability import InfluenceResult
from crossroads.words.models.prompted import prompted_embeddings
from tests.core.audit.conftest import MakeVectors, made_design
from tests.fixtures.sources import Service
from tests.small_models import save_elmo


def battery_of(done: FinishedAudit) -> BatteryResult:
    found = done.audit.one(BatteryResult)
    assert found is not None
    return found


def written(done: FinishedAudit) -> str:
    """Everything that was measured, as text."""
    return json.dumps([result.to_dict() for result in done.audit.values()], allow_nan=False)


@pytest.mark.slow
def test_vectors_give_the_battery_that_the_measure_gives(make_vectors: MakeVectors) -> None:
    designs = [made_design("one"), made_design("two", 5)]
    file = make_vectors(designs)
    done = run_audit(str(file), designs, seed=3)
    emb = cr.load(file, words=[word for design in designs for word in design.words])
    again = cr.battery(emb, designs, alternative="two-sided", seed=3)
    assert done.audit.kind == "vectors"
    assert done.audit.one(BatteryResult) == again
    assert done.audit.of(InfluenceResult) == {
        f"{one.name} influence": cr.stats.influence(emb, one, missing="drop") for one in designs
    }
    assert done.designs == tuple(designs)
    assert done.vectors is not None
    np.testing.assert_array_equal(done.vectors.vectors, emb.vectors)


@pytest.mark.slow
def test_designs_with_more_divisions_than_a_float_can_hold_are_audited(
    tmp_path: Path, make_vectors: MakeVectors
) -> None:
    # 1,040! / 520!² has 311 digits
    sets: dict[str, Any] = {
        role: [f"{role}{i}" for i in range(n)] for role, n in zip("xyab", (520, 520, 3, 3), strict=True)
    }
    design = Design(name="large", **sets)
    done = run_audit(make_vectors([design]), [design], work=tmp_path / "parts")
    level = battery_of(done).tests[0].level1
    assert (level.method, level.exchange.divisions) == ("saddlepoint", None)


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(make_vectors: MakeVectors) -> None:
    designs = [made_design(f"d{number}", 6) for number in range(5)]
    file = str(make_vectors(designs))
    alone = written(run_audit(file, designs, workers=1))
    assert written(run_audit(file, designs, workers=5)) == alone


def with_others(file: Path, n: int = 1100) -> Path:
    """A file with further words, which are no stimuli."""
    rng = np.random.default_rng(n)
    letters = str.maketrans("0123456789", "abcdefghij")
    lines = [
        f"o{n}x{i}".translate(letters) + "".join(f" {x!r}" for x in rng.normal(size=6).tolist())
        for i in range(n)
    ]
    with file.open("a", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    return file


def test_placebos_are_drawn_from_other_words_of_the_file(tmp_path: Path, make_vectors: MakeVectors) -> None:
    designs = [made_design("one"), made_design("two"), made_design("large", 30)]
    file = with_others(make_vectors(designs))
    done = run_audit(file, designs, work=tmp_path / "parts")
    emb = cr.load(file, words=[word for design in designs for word in design.words], pool=20_000)
    found = done.audit.of(PlaceboResult)
    assert list(found) == ["one placebo", "two placebo"]
    assert found["one placebo"].statistics.tolist() == cr.placebo(emb, designs[0]).statistics.tolist()
    assert "120 words a test take at least 1,200" in done.audit.left_out["large placebo"]
    events: list[Event] = []
    assert written(run_audit(file, designs, work=tmp_path / "parts", progress=events.append)) == written(done)
    assert events[-1].kept == events[-1].total
    other = run_audit(with_others(file, 1200), designs, work=tmp_path / "parts")
    assert other.audit.of(PlaceboResult)["one placebo"].pool == 2300
    alone = run_audit(make_vectors([cr.catalog("weat6"), cr.catalog("weat7")])).audit
    assert not alone.of(PlaceboResult)
    assert "1,000 other words" in alone.left_out["placebo tests"]


def test_only_what_depends_on_an_option_is_measured_again(tmp_path: Path, make_vectors: MakeVectors) -> None:
    designs = [made_design("one"), made_design("two")]
    file = str(make_vectors(designs))

    def kept(**options: Any) -> tuple[int, int]:
        events: list[Event] = []
        run_audit(file, designs, work=tmp_path / "parts", progress=events.append, **options)
        assert events[-1].done == events[-1].total
        return events[-1].kept, events[-1].total

    # vectors, their space and its corrections; and of two designs every measure
    total = kept()[1]
    assert kept() == (total, total)
    on_words = [row for row in ROWS if row.on == "words" and not row.needs]
    assert total == 3 + len(designs) * len(on_words)

    def without(*names: str) -> int:
        """Measures of designs that do not depend on any of these options."""
        return len(designs) * sum(set(names).isdisjoint(row.takes) for row in on_words)

    assert kept(seed=1) == (1 + without("seed"), total)  # vectors, and what has no seed
    assert kept(seed=1, alternative="greater") == (3 + without("alternative"), total)
    assert kept(seed=1, alternative="greater", workers=1) == (total, total)
    assert kept(seed=1, alternative="greater", correct="rank") == (3, total)  # vectors and their space


def test_a_correction_changes_every_test_and_is_recorded_and_shown_before_and_after(
    make_vectors: MakeVectors,
) -> None:
    design = made_design("one")
    file = make_vectors([design, made_design("two")])
    raw, done = run_audit(file, [design]), run_audit(file, [design], correct="standardise")
    emb = cr.stats.corrected(cr.load(file, words=design.words), "standardise")
    battery = battery_of(done)
    assert battery.tests[0].level1.effect_size == pytest.approx(cr.mleat(emb, design).level1.effect_size)
    assert {one.details["correction"] for one in battery.provenance} == {"standardise"}
    assert done.vectors is not None and done.vectors.provenance.details["correction"] == "standardise"
    for kind in (AnisotropyResult, CorrectionsResult):
        assert done.audit.one(kind) == raw.audit.one(kind)  # of the space as it was read
    shown = done.audit.one(CorrectionsResult)
    assert shown is not None
    assert shown.effect_sizes["one"]["standardise"] == pytest.approx(battery.tests[0].level1.effect_size)
    with pytest.raises(UnknownNameError, match="did you mean 'standardise'"):
        run_audit(file, [design], correct="standardize")


def test_an_elmo_is_audited_as_an_encoder(tmp_path: Path) -> None:
    folder = save_elmo(tmp_path / "elmo")
    done = run_audit(folder, [made_design("one")], workers=1)
    assert done.audit.kind == "encoder" and done.audit.about.format == "elmo"
    space = done.audit.one(AnisotropyResult)
    assert space is not None and (space.over, space.dim) == ("stimuli", 32)
    with pytest.raises(FormatError, match="such as the weights of an ELMo"):
        run_audit(folder / "weights.hdf5")


@pytest.mark.slow
def test_every_test_is_a_series_over_the_layers_where_they_are_asked_for(
    tmp_path: Path, small_bert: Path
) -> None:
    designs = [made_design("one"), made_design("two")]
    asked: dict[str, Any] = {"kind": "encoder", "workers": 1, "layers": True, "work": tmp_path / "parts"}
    done = run_audit(small_bert, designs, **asked)
    models = cr.load_series(small_bert, words=designs, over="layers")
    found = done.audit.of(SeriesResult)
    options: dict[str, Any] = {"alternative": "two-sided", "seed": 0, "over": "layer"}
    assert found == {f"{one.name} over layers": cr.series(models, one, **options) for one in designs}
    events: list[Event] = []
    again = run_audit(small_bert, designs, progress=events.append, **asked)
    assert written(again) == written(done)
    assert events[-1].kept == events[-1].total
    (tmp_path / "parts" / next(one.name for one in (tmp_path / "parts").glob("*layer-1-*.vectors"))).unlink()
    assert written(run_audit(small_bert, designs, **asked)) == written(done)
    sums = run_audit(save_elmo(tmp_path / "elmo"), designs[:1], workers=1, layers=True)
    assert list(sums.audit.of(SeriesResult)["one over layers"].points) == [0, 1, 2]
    assert battery_of(sums).provenance[0].details["layer"] == "sum"  # which is none of the layers


def test_a_further_test_leaves_the_others_alone_and_changes_nothing(
    tmp_path: Path, make_vectors: MakeVectors
) -> None:
    designs = [made_design("one"), made_design("two")]
    file, work = str(make_vectors(designs)), tmp_path / "parts"
    run_audit(file, designs[:1], work=work)
    events: list[Event] = []
    both = run_audit(file, designs, work=work, progress=events.append)
    assert 0 < events[-1].kept < events[-1].total  # other words have to be read, but the first test stands
    assert written(both) == written(run_audit(file, designs))


def test_vectors_that_changed_are_read_again_though_size_and_time_are_the_same(
    tmp_path: Path, make_vectors: MakeVectors
) -> None:
    designs = [made_design("one")]
    file, work = make_vectors(designs), tmp_path / "parts"
    before = file.stat()
    first = run_audit(file, designs, work=work)
    text = file.read_text(encoding="utf-8")
    at = text.index(".") + 1
    file.write_text(text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1 :], encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    again = run_audit(file, designs, work=work)
    assert written(first) != written(again) == written(run_audit(file, designs))


def test_missing_stimuli_skip_a_test_or_stop_the_audit(make_vectors: MakeVectors) -> None:
    there, absent = made_design("there"), made_design("absent")
    file = str(make_vectors([there]))
    done = run_audit(file, [there, absent])
    assert list(done.audit.unmeasured()) == ["absent"]
    assert done.designs == (there,)
    with pytest.raises(MissingStimuliError):
        run_audit(file, [there, absent], missing="raise")
    half = Design(name="half", x=there.x, y=absent.x, a=there.a, b=there.b)
    with pytest.raises(InputError, match="none of the 1 tests"):
        run_audit(file, [half])


def test_decades_are_a_series_and_the_last_is_audited(decades: Path) -> None:
    designs = [made_design("one"), made_design("two")]
    done = run_audit(str(decades), designs)
    models = cr.load_series(decades, words=[word for design in designs for word in design.words])
    assert done.audit.kind == "series"
    found = done.audit.of(SeriesResult)
    assert found == {
        f"{one.name} over time": cr.series(models, one, alternative="two-sided", seed=0) for one in designs
    }
    assert list(found["two over time"].points) == [1910, 1920]
    battery = battery_of(done)
    assert battery == cr.battery(models[1920], designs, alternative="two-sided", seed=0)
    for file in [*decades.glob("1900*"), *decades.glob("1910*")]:
        file.unlink()
    alone = run_audit(str(decades), [made_design("one")]).audit
    assert alone.of(SeriesResult) == {}
    assert "one decade, 1920" in alone.left_out["decades"]


def test_a_store_gives_the_battery_over_contexts(tmp_path: Path, store: Path) -> None:
    design, work = made_design("mine"), tmp_path / "parts"
    done = run_audit(str(store), [design], samples=200, work=work)
    contexts = cr.Contexts.open(store, fallback="lower")  # as for vectors without capital letters
    again = cr.battery(contexts, [design], samples=200, seed=0)
    assert (done.audit.kind, done.audit.one(CeatBatteryResult)) == ("contexts", again)
    levels = cr.mleat(contexts, design, samples=200, missing="drop")
    assert done.audit.of(MultilevelCeatResult) == {"mine CEAT levels": levels}
    assert done.vectors is None
    events: list[Event] = []
    run_audit(str(store), [design], samples=300, work=work, progress=events.append)
    assert 0 < events[-1].kept < events[-1].total  # neither interval nor space draws these samples
    with pytest.raises(InputError, match="cannot be measured on this store"):
        run_audit(str(store), [made_design("other")])


def test_saved_answers_give_scores_and_agreement(tmp_path: Path, small_bert: Path) -> None:
    folder = tmp_path / "answers"
    logits = cr.probe(
        small_bert, groups=["man", "woman", "Black", "White"], templates=["singular"], store=folder, threads=1
    )
    done = run_audit(str(folder))
    assert done.audit.kind == "logits"
    assert tuple(done.audit.of(TraitScores).values()) == (
        cr.ilps(logits),
        cr.ilps(logits, star=True),
        cr.set_test(logits),
    )
    ratings = cr.catalog().ratings("abc-annotators")
    expected = cr.align(cr.ilps(logits), cr.traits.Judgements.from_ratings(ratings, "Black"), seed=0)
    assert done.audit.of(AlignmentResult)["ILPS, Black annotators alignment"] == expected
    assert len(done.audit.of(AlignmentResult)) == 12  # three measures, four kinds of annotators
    with pytest.raises(InputError, match="answers about groups and traits"):
        run_audit(str(folder), [cr.catalog("weat6")])


def test_people_of_ones_own_take_the_place_of_the_published_ones(tmp_path: Path, small_bert: Path) -> None:
    folder, lines = tmp_path / "answers", ["group,trait,score"]
    groups, traits = ["man", "woman", "Black"], ["cold-warm", "poor-wealthy", "traditional-modern"]
    cr.probe(small_bert, groups=groups, traits=traits, templates=["singular"], store=folder, threads=1)
    lines += [
        f"{g},{t},{(17 * i + 31 * j) % 100}" for i, g in enumerate(groups) for j, t in enumerate(traits)
    ]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run_audit(str(folder), human=tmp_path / "people.csv")
    assert list(done.audit.of(AlignmentResult)) == ["ILPS alignment", "ILPS* alignment", "SeT alignment"]
    # the same people in a file of another name: results say which file it was
    run_audit(str(folder), human=tmp_path / "people.csv", work=tmp_path / "parts")
    shutil.copy(tmp_path / "people.csv", tmp_path / "again.csv")
    again = run_audit(str(folder), human=tmp_path / "again.csv", work=tmp_path / "parts")
    assert written(again) == written(run_audit(str(folder), human=tmp_path / "again.csv")) != written(done)


def test_a_language_model_is_asked_for_words_and_for_traits(tmp_path: Path, small_bert: Path) -> None:
    """A whole audit by Python, whose kept parts are then asked again: both are what is tested."""
    done = run_audit(str(small_bert), work=tmp_path / "parts", workers=1)
    audit = done.audit
    assert audit.kind == "language model"
    assert {one.design for one in battery_of(done).tests} == {one.name for one in done.designs}
    assert [one.measure for one in list(audit.of(TraitScores).values())] == ["ilps", "ilps*", "set"]
    known = cr.catalog().groups("abc-groups")
    assert set(next(iter(audit.of(TraitScores).values())).groups) == set(known)
    assert "--contexts" in audit.unmeasured()["CEAT"][1]
    events: list[Event] = []
    again = run_audit(str(small_bert), work=tmp_path / "parts", progress=events.append)
    assert events[-1].kept == events[-1].total  # neither asked nor measured again
    assert written(again) == written(done)


def test_a_model_is_asked_for_a_panel_where_placebos_are_wanted(tmp_path: Path, small_bert: Path) -> None:
    designs, work = [made_design()], tmp_path / "parts"
    events: list[Event] = []
    options: dict[str, Any] = {"kind": "encoder", "workers": 1, "work": work, "progress": events.append}
    done = run_audit(small_bert, designs, placebo=True, **options)
    (found,) = done.audit.of(PlaceboResult).values()
    assert found.pool == len(panel()) == 2000
    emb = prompted_embeddings(small_bert, designs[0].words)
    others = prompted_embeddings(small_bert, panel())
    again = cr.placebo(emb.with_pool(others), designs[0])
    assert found.statistics == pytest.approx(again.statistics, rel=1e-4)
    asked = next(one.doing for one in events if "placebo tests from" in one.doing)
    assert re.search(r"for 2,000 words to draw placebo tests from, about \d+ s", asked)
    more = [*designs, made_design("further")]
    run_audit(small_bert, more, placebo=True, **options)
    assert 1 < events[-1].kept < events[-1].total  # the panel, and everything of the first design
    assert not run_audit(small_bert, designs, kind="encoder", workers=1).audit.of(PlaceboResult)


def test_an_encoder_reads_words_in_prompts_and_contexts_where_there_are_some(
    tmp_path: Path, small_bert: Path
) -> None:
    design = made_design("mine", 3)
    corpus, folder = tmp_path / "corpus.txt", tmp_path / "contexts"
    lines = [f"{other} {word} is" for word in design.words for other in ("the", "a", "poor", "warm")]
    corpus.write_text("\n".join(lines), encoding="utf-8")
    write_contexts(find_contexts(str(corpus), design.words, minimum=1), folder)
    done = run_audit(str(small_bert), [design], kind="encoder", contexts=folder, samples=50, workers=1)
    expected = cr.weat(prompted_embeddings(small_bert, design.words), design).effect_size
    assert battery_of(done).tests[0].level1.effect_size == pytest.approx(expected, abs=1e-5)
    found = done.audit.one(CeatBatteryResult)
    assert found is not None
    assert [one.design for one in found.tests] == ["mine"]
    assert found.tests[0].contexts[design.words[0]] == 4


@pytest.mark.slow
def test_a_model_of_images_has_words_and_pictures_in_one_battery(tmp_path: Path, small_clip: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="extra 'vision'")
    design, rng = made_design("mine"), np.random.default_rng(8)
    for name in ("red", "blue"):
        (tmp_path / "images" / name).mkdir(parents=True)
        for number in range(4):
            pixels = rng.integers(0, 255, (40, 40, 3)).astype(np.uint8)
            image.fromarray(pixels).save(tmp_path / "images" / name / f"{number}.png")
    named = Design(
        name="mine",
        x=cr.sources.StimulusSet("red", tuple(design.sets["x"])),
        y=cr.sources.StimulusSet("blue", tuple(design.sets["y"])),
        a=design.a,
        b=design.b,
    )
    done = run_audit(str(small_clip), [named], images=tmp_path / "images")
    assert done.audit.kind == "vision-language"
    assert [one.design for one in battery_of(done).tests] == ["mine", "mine-images"]
    pictures = battery_of(done).tests[1].level1.sets["x"]
    assert pictures == ("red/0.png", "red/1.png", "red/2.png", "red/3.png")
    with pytest.raises(InputError, match=r"no subfolder of .* is named like a set"):
        run_audit(str(small_clip), [design], images=tmp_path / "images")


def test_a_service_is_asked_once(tmp_path: Path, service: Service) -> None:
    url, design, work = f"{service.url}/v1/embeddings", made_design("mine"), tmp_path / "parts"
    done = run_audit(url, [design], work=work)
    assert done.audit.kind == "endpoint"
    assert set(service.texts) >= set(design.words)
    number = len(service.asked)
    again = run_audit(url, [design], work=work, seed=5)
    assert len(service.asked) == number
    assert battery_of(again) != battery_of(done)  # the seed is a convention


def test_what_a_model_cannot_use_is_refused(tmp_path: Path, make_vectors: MakeVectors, store: Path) -> None:
    design = made_design()
    file = str(make_vectors([design]))
    for name in ("contexts", "images", "human", "layers", "prompt", "served"):
        extra: dict[str, Any] = {name: tmp_path}
        with pytest.raises(InputError, match=f"^{name}= was given, but .* is static word vectors"):
            run_audit(file, [design], **extra)
    with pytest.raises(InputError, match=r"correct= was given, but .* is saved context vectors"):
        run_audit(store, correct="rank")
    with pytest.raises(InputError, match=r"there is no .*nowhere"):
        run_audit(file, [design], kind="encoder", contexts=tmp_path / "nowhere")
    with pytest.raises(InputError, match="two parts of the audit are called"):
        run_audit(file, [design, design])
    with pytest.raises(InputError, match="workers=0"):
        run_audit(file, [design], workers=0)


def test_a_file_given_in_another_way_is_called_what_it_was_given_as(
    tmp_path: Path, make_vectors: MakeVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    designs = [made_design("one")]
    file, work = make_vectors(designs), tmp_path / "parts"
    monkeypatch.chdir(tmp_path)
    run_audit(str(file), designs, work=work)
    again = run_audit(file.name, designs, work=work).audit
    assert (again.model, again["battery"].provenance[0].source) == (file.stem, file.name)


def test_models_are_compared_with_missing_words_as_they_were_audited(
    tmp_path: Path, make_vectors: MakeVectors
) -> None:
    # the second model lacks one word of x: dropped, 4 words of y stand against 3 of x; balanced, 3 against 3
    design, models = made_design("mine"), {}
    for seed, (name, lines) in enumerate({"whole": slice(None), "lacking": slice(1, None)}.items()):
        file = make_vectors([design], f"{name}.txt", seed)
        file.write_text("\n".join(file.read_text(encoding="utf-8").splitlines()[lines]), encoding="utf-8")
        models[name] = cr.load(file, words=design.words)
    whole, lacks = models["whole"], models["lacking"]
    expected = cr.compare(whole, lacks, design, alternative="two-sided", missing="balance")
    settings = Settings(missing="balance")
    with audit_cache(tmp_path / "parts") as cache:
        session = Session(cache=cache, tracker=ProgressTracker())
        done = {
            name: run_audit(str(tmp_path / f"{name}.txt"), [design], missing="balance") for name in models
        }
        compared = compare_finished(done, settings, session)
    assert compared is not None
    assert compared.conventions["missing"] == "balance"
    assert compared.tests[0].effect_sizes == expected.effect_sizes


def test_stores_of_contexts_are_compared_with_paired_tests_that_are_kept(tmp_path: Path) -> None:
    designs = [made_design("one"), made_design("two")]
    rng, stores = np.random.default_rng(7), {}
    for name in ("first", "second", "third"):
        rows = {word: rng.normal(size=(4, 6)) for design in designs for word in design.words}
        cr.Contexts.from_dict(rows, provenance=name).save(tmp_path / name)
        stores[name] = cr.Contexts.open(tmp_path / name)
    settings = Settings(samples=20, alternative="greater")
    events: list[Event] = []
    with audit_cache(tmp_path / "parts") as cache:
        done = {name: run_audit(str(tmp_path / name), designs, samples=20) for name in stores}
        compared = compare_finished(done, settings, Session(cache=cache, tracker=ProgressTracker()))
        again = compare_finished(done, settings, Session(cache=cache, tracker=ProgressTracker(events.append)))
    expected = cr.compare(stores, designs, alternative="greater")
    assert compared is not None
    assert (compared.tests, compared.pairs) == (expected.tests, expected.pairs)
    assert (compared.intervals, compared.adjusted["holm"]) == (expected.intervals, expected.adjusted["holm"])
    assert len(compared.tests) == 6  # two designs, every two of three models
    assert again == compared
    assert (events[-1].kept, events[-1].done) == (6, 6)
