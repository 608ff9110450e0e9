"""The published schema: in step with the code, and true of every result."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads.papers  # noqa: F401  (the types of its results are part of the schema)
from crossroads.report import Audit, Rule, judge, results_schema, write_schema
from crossroads.report import schema as module
from crossroads.report.schema import sentences_under_fields
from crossroads.results import Result, result_kinds
from tests.results import aliases

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="schemas are checked in the full test environment")
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def of_type(validator: Any, name: str) -> Any:
    return validator.evolve(schema={"$ref": f"#/$defs/{name}", "$defs": validator.schema["$defs"]})


@pytest.mark.slow
def test_the_published_schema_is_that_of_the_code(tmp_path: Path) -> None:
    write_schema(tmp_path / "schema.json")
    assert (tmp_path / "schema.json").read_text(encoding="utf-8") == PUBLISHED.read_text(encoding="utf-8"), (
        'write it again: python -c "import crossroads.papers.cells; '
        "from crossroads.report import write_schema; write_schema('docs/reference/results.schema.json')\""
    )
    assert [path.name for path in tmp_path.iterdir()] == ["schema.json"]


def test_every_result_is_valid_under_its_own_type(validator: Any, every_result: dict[str, Result]) -> None:
    assert {type(result).__name__ for result in every_result.values()} == {
        kind.__name__ for kind in result_kinds()
    }
    for name, result in every_result.items():
        data = json.loads(result.to_json())
        faults = [error.message for error in of_type(validator, type(result).__name__).iter_errors(data)]
        assert faults == [], name


def test_arrays_have_one_schema_under_any_alias() -> None:
    array, floats = aliases()
    found: list[dict[str, Any]] = [{}, {}, {}]
    kinds = (NDArray[np.float64], array[np.float64], floats)
    assert {module._shape(kind, made)["$ref"] for kind, made in zip(kinds, found, strict=True)} == {
        "#/$defs/array-of-number"
    }
    assert found[0] == found[1] == found[2]


def test_a_document_with_a_fault_is_not_valid(validator: Any, every_result: dict[str, Result]) -> None:
    good = json.loads(every_result["weat"].to_json())
    faults: list[dict[str, Any]] = [
        {"effect_size": "large"},
        {"effect_size": None},
        {"divisions": 1.5},
        {"schema": 2},
        {"type": "MleatResult"},
        {"colour": "red"},
        {"tails": {"greater": [0.1]}},
        {"tails": {"greater": [0.1, 0.1, 0.1, 0.1]}},
        {"coverage": "all"},
        {"provenance": [{"source": "x"}]},
    ]
    check = of_type(validator, "WeatResult")
    assert check.is_valid(good)
    assert check.is_valid({**good, "ties": None})
    for fault in faults:
        assert not check.is_valid({**good, **fault}), fault
    short = copy.deepcopy(good)
    del short["pvalue"]
    assert not check.is_valid(short)
    series = json.loads(every_result["series"].to_json())
    assert not of_type(validator, "SeriesResult").is_valid({**series, "skipped": {"early": 3}})


@pytest.mark.slow
def test_every_field_is_described_by_the_sentence_under_it() -> None:
    schema = results_schema()
    for kind in result_kinds():
        said = sentences_under_fields(kind)
        properties = schema["$defs"][kind.__name__]["properties"]
        for name, shape in properties.items():
            if name not in ("type", "schema"):
                assert shape["description"] == said[name], f"{kind.__name__}.{name}"


def test_the_verdicts_of_rules_are_valid(validator: Any, audit: Audit) -> None:
    rules = [
        Rule(name="one", test="plain", statistic="effect_size", above=0.0, absolute=True),
        Rule(name="two", test="*", statistic="pattern", values=("AB-Divergent",)),
    ]
    document = json.loads(json.dumps(judge(audit, rules).to_dict()))
    assert document["verdicts"]
    of_type(validator, "Gate").validate(document)


def test_what_commands_print_is_valid(validator: Any, every_result: dict[str, Result]) -> None:
    results = [json.loads(one.to_json()) for one in every_result.values()]
    document = {"crossroads": "0.1.0", "command": "weat", "results": results, "bh": [0.5]}
    command = of_type(validator, "Command")
    command.validate(document)
    assert not command.is_valid({**document, "results": [{"type": "WheatResult"}]})
