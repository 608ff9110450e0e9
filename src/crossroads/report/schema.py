"""The JSON Schema of results, generated from the types of their fields."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import json
import textwrap
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads.errors import InputError
from crossroads.report.audit import KINDS
from crossroads.report.gate.rules import Verdict
from crossroads.results import SCHEMA, Result, result_kinds
from crossroads.results.plain import resolved
from crossroads.storage.files import write_file

Schema = dict[str, Any]
_PLAIN: Mapping[Any, str] = {float: "number", int: "integer", str: "string", bool: "boolean"}
_CELLS = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "U": "string"}


def results_schema(kinds: Iterable[type[Result]] | None = None) -> Schema:
    """A JSON Schema (draft 2020-12) of everything that is written as JSON.

    That is single results, the ``results.json`` and ``gate.json`` of an audit, and the output of ``--json``.

    Parameters
    ----------
    kinds
        Types of results; all imported types if left out.
    """
    chosen = sorted(result_kinds() if kinds is None else kinds, key=lambda one: one.__name__)
    definitions: Schema = {}
    for kind in chosen:
        _define(kind, definitions)
    names = [kind.__name__ for kind in chosen]
    definitions["Audit"], definitions["Command"] = _audit(names), _command(names)
    definitions["Gate"] = _gate(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:crossroads:results:{SCHEMA}",
        "title": "Results of crossroads",
        "description": "A result as to_json() writes it, the results.json or gate.json of an audit, or what "
        "a command prints with --json.",
        "anyOf": [_reference(name) for name in ("Audit", "Command", "Gate", *names)],
        "$defs": dict(sorted(definitions.items())),
    }


def write_schema(path: str | Path, kinds: Iterable[type[Result]] | None = None) -> None:
    """Write the schema to a file atomically."""
    write_file(Path(path), json.dumps(results_schema(kinds), indent=1, ensure_ascii=False) + "\n")


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _audit(names: list[str]) -> Schema:
    """Schema of ``results.json``; designs are checked when they are read."""
    return {
        "type": "object",
        "description": "The results.json of an audit.",
        "properties": {
            "crossroads": {"type": "string", "description": "Version of the software."},
            "schema": {"const": SCHEMA, "description": "Version of the written form."},
            "kind": {"enum": list(KINDS), "description": "What the model is."},
            "model": {"type": "string", "description": "What the model is called."},
            "designs": {"type": "array", "items": {"type": "object", "required": ["name", "x", "a", "b"]}},
            "skipped": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "What could not be measured, and why.",
            },
            "names": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What each result is called, in the order of the results.",
            },
            "results": {"type": "array", "items": {"anyOf": [_reference(name) for name in names]}},
        },
        "required": [
            *("crossroads", "schema", "kind", "model", "designs", "skipped", "names"),
            "results",
        ],
        "additionalProperties": False,
    }


def _command(names: list[str]) -> Schema:
    """Schema of the output of ``--json``; each command adds its own keys."""
    return {
        "type": "object",
        "description": "What a command prints with --json.",
        "properties": {
            "crossroads": {"type": "string", "description": "Version of the software."},
            "command": {"type": "string", "description": "The command."},
            "results": {"type": "array", "items": {"anyOf": [_reference(name) for name in names]}},
        },
        "required": ["crossroads", "command", "results"],
    }


def _gate(definitions: Schema) -> Schema:
    """Schema of ``gate.json``, the verdicts of rules."""
    verdict = _define(Verdict, definitions)
    value = {"type": ["number", "string", "null"], "description": sentences_under_fields(Verdict)["value"]}
    definitions["Verdict"]["properties"]["value"] = value  # a number or a word
    return {
        "type": "object",
        "description": "The gate.json of an audit.",
        "properties": {
            "passed": {"type": "boolean", "description": "Whether no rule was broken."},
            "verdicts": {"type": "array", "items": verdict},
            "unmatched": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["passed", "verdicts", "unmatched"],
        "additionalProperties": False,
    }


def _define(kind: type[Any], definitions: Schema) -> Schema:
    """Add a dataclass and its fields to the definitions; returns a reference to it."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # a type may contain itself
        hints, said = typing.get_type_hints(kind), sentences_under_fields(kind)
        properties: Schema = {}
        if issubclass(kind, Result):
            properties = {"type": {"const": name}, "schema": {"const": SCHEMA}}
        for one in dataclasses.fields(kind):
            shape = _shape(hints[one.name], definitions)
            properties[one.name] = {**shape, "description": said[one.name]} if one.name in said else shape
        definitions[name] = {
            "type": "object",
            "description": (inspect.getdoc(kind) or name).split("\n\n")[0].replace("\n", " "),
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return _reference(name)


def _shape(hint: Any, definitions: Schema) -> Schema:
    """The schema of a type."""
    hint = resolved(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint is type(None):
        return {"type": "null"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_shape(one, definitions) for one in arguments]}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _define(hint, definitions)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return _tuple(arguments, definitions)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values = {"type": "object", "additionalProperties": _shape(arguments[1], definitions)}
        return {**values, "propertyNames": {"pattern": "^-?[0-9]+$"}} if arguments[0] is int else values
    if getattr(origin, "__name__", "") == "ndarray":
        return _array(typing.get_args(arguments[1])[0], definitions)
    raise InputError(f"the schema does not support the type {hint}.", hint="please report this.")


def _tuple(arguments: tuple[Any, ...], definitions: Schema) -> Schema:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": _shape(arguments[0], definitions)}
    items = [_shape(one, definitions) for one in arguments]
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


def _array(cell: Any, definitions: Schema) -> Schema:
    """Nested lists of one type, to any depth, because types do not give the number of axes of an array."""
    kind = {"bool": "b", "int": "i", "uint": "u", "float": "f", "str": "U"}[
        cell.__name__.rstrip("_0123456789")
    ]
    name = f"array of {_CELLS[kind]}"
    definitions[name.replace(" ", "-")] = {
        "type": "array",
        "items": {"anyOf": [{"type": _CELLS[kind]}, _reference(name.replace(" ", "-"))]},
    }
    return _reference(name.replace(" ", "-"))


def sentences_under_fields(kind: type[Any]) -> Mapping[str, str]:
    """The docstring of each field of a dataclass and its base classes."""
    said: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if not dataclasses.is_dataclass(one):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for line, below in itertools.pairwise(body):
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                text = below.value if isinstance(below, ast.Expr) else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    said[line.target.id] = " ".join(text.value.split())
    return said
