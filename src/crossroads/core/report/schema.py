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

from crossroads.core.errors import InputError
from crossroads.core.evidence.model_names import KINDS
from crossroads.core.report.documents.records import ARRAYS, REPEATED
from crossroads.core.report.gate import Gate
from crossroads.core.results import SCHEMA, Result, result_kinds
from crossroads.core.results.plain import resolved
from crossroads.core.storage.files import write_file

Schema = dict[str, Any]
_PLAIN: Mapping[Any, str] = {float: "number", int: "integer", str: "string", bool: "boolean"}
_CELLS = {"bool": "boolean", "int": "integer", "uint": "integer", "float": "number", "str": "string"}
_PLACE_SAID = "Place in shared, of the same key; in results.json."
_TEXTS = {"type": "array", "items": {"type": "string"}}
_HEAD: Schema = {
    "crossroads": {"type": "string", "description": "Version of the software."},
    "results": {"type": "array", "items": {"$ref": "#/$defs/Result"}},
}
_COMMAND: Schema = {**_HEAD, "command": {"type": "string", "description": "The command."}}
_AUDIT: Schema = {
    **_HEAD,
    "schema": {"const": SCHEMA, "description": "Version of the written form."},
    "kind": {"enum": list(KINDS), "description": "What the model is."},
    "model": {"type": "string", "description": "What the model is called."},
    "designs": {"type": "array", "items": {"type": "object", "required": ["name", "x", "a", "b"]}},
    "skipped": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "What could not be measured, and why.",
    },
    "names": {**_TEXTS, "description": "What each result is called, in the order of the results."},
    "shared": {
        "type": "object",
        "additionalProperties": {**_TEXTS, "items": {"anyOf": [{"type": "array"}, {"type": "object"}]}},
        "description": "Entries of results, by key; results have their places. An entry with a shape is "
        "an array of 64-bit floats, little-endian, in base64.",
    },
}
_GATE: Schema = {
    "passed": {"type": "boolean", "description": "Whether no rule was broken."},
    "verdicts": {"type": "array", "items": {"$ref": "#/$defs/Verdict"}},
    "unmatched": _TEXTS,
}


def results_schema(kinds: Iterable[type[Result]] | None = None) -> Schema:
    """A JSON Schema (draft 2020-12) of everything that is written as JSON.

    That is single results, the ``results.json`` and ``gate.json`` of an audit, and the output of ``--json``.
    ``kinds`` are types of results, all if left out.
    """
    definitions: Schema = {"Place": {"type": "integer", "minimum": 0, "description": _PLACE_SAID}}
    for kind in sorted(result_kinds() if kinds is None else kinds, key=lambda one: one.__name__):
        _define(kind, definitions)
    results = [name for name, one in definitions.items() if "type" in one.get("properties", {})]
    definitions["Result"] = {"anyOf": [_reference(name) for name in results]}
    _define(typing.get_args(typing.get_type_hints(Gate)["verdicts"])[0], definitions)
    definitions["Audit"] = _object("The results.json of an audit.", _AUDIT)
    definitions["Gate"] = _object("The gate.json of an audit.", _GATE)
    definitions["Command"] = _object("What a command prints with --json.", _COMMAND)
    definitions["Command"].pop("additionalProperties")  # each command adds its own keys
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:crossroads:results:{SCHEMA}",
        "title": "Results of crossroads",
        "description": "A result as to_json() writes it, the results.json or gate.json of an audit, or what "
        "a command prints with --json.",
        "anyOf": [_reference(name) for name in ("Audit", "Command", "Gate", "Result")],
        "$defs": dict(sorted(definitions.items())),
    }


def write_schema(path: str | Path, kinds: Iterable[type[Result]] | None = None) -> None:
    """Write the schema to a file atomically."""
    write_file(Path(path), json.dumps(results_schema(kinds), indent=1, ensure_ascii=False) + "\n")


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _object(description: str, properties: Schema) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _define(kind: type[Any], definitions: Schema) -> Schema:
    """Add a dataclass and its fields to the definitions; returns a reference to it."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # a type may contain itself
        is_result = issubclass(kind, Result)
        properties: Schema = {"type": {"const": name}, "schema": {"const": SCHEMA}} if is_result else {}
        hints, sentences = typing.get_type_hints(kind), _sentences_under_fields(kind)
        for field in dataclasses.fields(kind):
            shape, written = _shape(hints[field.name], definitions), field.name.removeprefix("_")
            if is_result and written in REPEATED | ARRAYS:
                shape = {"anyOf": [shape, _reference("Place")]}
            properties[written] = {**shape, "description": sentences[field.name]}
        summary = (inspect.getdoc(kind) or name).split("\n\n")[0].replace("\n", " ")
        definitions[name] = _object(summary, properties)
    return _reference(name)


def _shape(hint: Any, definitions: Schema) -> Schema:
    hint = resolved(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint is type(None):
        return {"type": "null"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _define(hint, definitions)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if getattr(origin, "__name__", "") == "ndarray":
        return _array(typing.get_args(arguments[1])[0], definitions)
    shapes = [_shape(one, definitions) for one in arguments if one is not Ellipsis]
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": shapes}
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return {"type": "array", "items": shapes[0]}
    if origin is tuple:
        return {"type": "array", "prefixItems": shapes, "items": False, "minItems": len(shapes)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values = {"type": "object", "additionalProperties": shapes[1]}
        return {**values, "propertyNames": {"pattern": "^-?[0-9]+$"}} if arguments[0] is int else values
    raise InputError(f"the schema does not support the type {hint}.", hint="please report this.")


def _array(cell: Any, definitions: Schema) -> Schema:
    """Nested lists of one type, to any depth, because types do not give the number of axes of an array."""
    kind = _CELLS[cell.__name__.rstrip("_0123456789")]
    name = f"array-of-{kind}"
    definitions[name] = {"type": "array", "items": {"anyOf": [{"type": kind}, _reference(name)]}}
    return _reference(name)


def _sentences_under_fields(kind: type[Any]) -> Mapping[str, str]:
    """The docstring of each field of a dataclass and its base classes."""
    sentences: dict[str, str] = {}
    for base in filter(dataclasses.is_dataclass, reversed(kind.__mro__)):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        for line, below in itertools.pairwise(tree.body if isinstance(tree, ast.ClassDef) else []):
            match line, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    sentences[name] = " ".join(text.split())
    return sentences
