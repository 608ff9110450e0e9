"""The published schema: in step with the code, and true of every result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crossroads.papers  # noqa: F401  (the types of its results are part of the schema)
from crossroads.core.report.audit import Audit
from crossroads.core.report.gate import Rule, judge
from crossroads.core.report.schema import write_schema
from crossroads.core.results import Result, result_kinds

PUBLISHED = Path(__file__).parents[3] / "docs" / "reference" / "results.schema.json"


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
        'write it again: python -c "from crossroads.report import write_schema; '
        "write_schema('docs/reference/results.schema.json')\""
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


def test_a_document_with_a_fault_is_not_valid(validator: Any, every_result: dict[str, Result]) -> None:
    good = json.loads(every_result["weat"].to_json())
    faults: list[dict[str, Any]] = [
        {"effect_size": "large"},
        {"effect_size": None},
        {"ties": 1.5},
        {"schema": 2},
        {"type": "MleatResult"},
        {"colour": "red"},
        {"exchange": {"tails": {"greater": [0.1, 0.1, 0.1, 0.1]}}},
        {"provenance": [{"source": "x"}]},
    ]
    check = of_type(validator, "WeatResult")
    assert check.is_valid(good)
    assert check.is_valid({**good, "ties": None})
    for fault in faults:
        assert not check.is_valid({**good, **fault}), fault
    assert not check.is_valid({name: value for name, value in good.items() if name != "pvalue"})


def test_every_field_of_a_result_is_described() -> None:
    kinds = json.loads(PUBLISHED.read_text(encoding="utf-8"))["$defs"]
    for kind in result_kinds():
        described = {
            name: shape.get("description", "")
            for name, shape in kinds[kind.__name__]["properties"].items()
            if name not in ("type", "schema")
        }
        assert [name for name, text in described.items() if not text.endswith(".")] == [], kind.__name__


def test_verdicts_of_rules_and_what_commands_print_are_valid(validator: Any, audit: Audit) -> None:
    rule = Rule(name="one", test="plain", statistic="effect_size", above=0.0, absolute=True)
    of_type(validator, "Gate").validate(json.loads(json.dumps(judge(audit, [rule]).to_dict())))
    results = [json.loads(one.to_json()) for one in audit.values()]
    document = {"crossroads": "0.1.0", "command": "weat", "results": results, "bh": [0.5]}
    command = of_type(validator, "Command")
    command.validate(document)
    assert not command.is_valid({**document, "results": [{"type": "WheatResult"}]})
