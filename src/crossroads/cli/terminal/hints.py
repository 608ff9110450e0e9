"""Messages of the library in terms of the shell: ``missing='drop'`` becomes ``--missing drop``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crossroads.errors import nearest

_ARGUMENT = re.compile(
    r"(?<![\w/\\.=-])(?P<name>[a-z][a-z_]*)="
    r"(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<number>-?\d+(?:\.\d+)?)|(?P<flag>True|False)"
    r"|\[(?P<list>[^]]*)\]|(?P<any>\.\.\.)|)"
    r"(?=[\s,;:)]|\.(?:\s|$)|$)"  # otherwise it is part of something longer, such as a path
)
"""A Python argument: with a value, with ``...`` for any value, or without one."""
_ALIASES = {"kind": "as", "served": "served_model"}
"""Arguments of the library that an option of another name sets."""
_ELSEWHERE = {
    "read some along: cr.load(path, words=..., pool=20_000)": "use a file of more vectors",
    "give them: emb.with_pool(...)": "audit, which reads them along",
    "cr.load(path, words=..., pool=20_000)": "audit, which reads some along",
    "known_sources() lists them": "known: {formats}",
    "load_series(folder) reads every decade; load('folder/1900-w.npy') reads one": (
        "mleat and audit read every decade of a folder; a file of it, such as folder/1900-w.npy, is one"
    ),
    "remove the folder of cache= and start again": "measure it again: fresh=True",
    "remove the folder of cache= if the model has changed": "measure it again if it has changed: fresh=True",
}
"""Advice for Python, and its equivalent in the shell."""
_CLAUSE = re.compile(r"(; or |; |, or |\. (?=[a-zA-Z]))")
"""Separators of the clauses of a hint."""
_PYTHON = re.compile(r"\bmax_work\b")
"""Python names in hints without a value, for which there is no option."""
_CHOICE = re.compile(r"'(?P<given>.*)' is not one of (?P<known>'.*)\.$")
"""An invalid value of an option, and the valid ones."""
_EXPECTED = {
    "int_parsing": "a whole number was expected",
    "int_from_float": "a whole number was expected",
    "int_parsing_size": "a smaller number was expected",
    "float_parsing": "a number was expected",
    "greater_than_equal": "a number of at least {ge} was expected",
    "greater_than": "a number above {gt} was expected",
    "less_than_equal": "a number of at most {le} was expected",
    "less_than": "a number below {lt} was expected",
}
"""Messages for pydantic's error types."""
_BARE = str.maketrans("", "", "'\" ")


def message_in_the_shell(text: str, options: Mapping[str, str]) -> str:
    """An error message with the options of a command in place of arguments.

    Parameters
    ----------
    text
        The message of the library.
    options
        Name of each option in Python, to its name in the shell.
    """
    return _ARGUMENT.sub(lambda found: _spelled(found, options), text)


def hint_in_the_shell(text: str, options: Mapping[str, str]) -> str:
    """The hint for the shell; empty if it applies to Python only.

    Clauses with an argument that no option of the command sets are left out.
    """
    for asked, answer in _ELSEWHERE.items():
        if asked in text:
            text = text.replace(asked, answer.format(formats=_formats()))
    return message_in_the_shell(_within_reach(text, options), options).replace("pass --", "use --")


def _formats() -> str:
    """The formats of vectors. Their readers are loaded here, because few commands need them."""
    from crossroads.sources.vectors.signatures import FORMATS

    return ", ".join(FORMATS)


def _within_reach(text: str, options: Mapping[str, str]) -> str:
    """The clauses of a hint that apply to the shell."""
    parts = _CLAUSE.split(text)
    said, joints = parts[::2], ["", *parts[1::2]]
    kept = [
        (joint, clause) for joint, clause in zip(joints, said, strict=True) if not _of_python(clause, options)
    ]
    if len(kept) == len(said) or not kept:
        return text if kept else ""
    left = kept[0][1] + "".join(joint + clause for joint, clause in kept[1:])
    return left if left.endswith((".", "?")) or not text.endswith(".") else f"{left}."


def _of_python(clause: str, options: Mapping[str, str]) -> bool:
    """Whether a clause names an argument that no option of the command sets."""
    named = [found["name"] for found in _ARGUMENT.finditer(clause)]
    return _PYTHON.search(clause) is not None or any(not _option(name, options) for name in named)


def value_in_the_shell(text: str, cause: BaseException | None) -> str:
    """The error of an option's value: the value, and the nearest valid one, if any.

    Parameters
    ----------
    text
        The message of the command-line parser.
    cause
        The underlying error; pydantic's has the value and what was expected.
    """
    text = text.removeprefix("Value error, ")
    if (refused := _CHOICE.match(text)) is not None:
        near = nearest(refused["given"], re.findall("'([^']*)'", refused["known"]), n=1)
        return f"{text} Did you mean {near[0]!r}?" if near else text
    faults: Any = getattr(cause, "errors", list)()
    if not faults:
        return text
    given, limits = faults[0]["input"], faults[0].get("ctx", {})
    expected = _EXPECTED.get(faults[0]["type"])
    said = text.rstrip(".").lower() if expected is None else expected.format(**limits)
    return f"{given!r}: {said}."


def _option(name: str, options: Mapping[str, str]) -> str | None:
    return options.get(name) or options.get(_ALIASES.get(name, ""))


def _spelled(found: re.Match[str], options: Mapping[str, str]) -> str:
    option = _option(found["name"], options)
    if option is None:
        return found[0]
    if found["flag"] == "False":
        return f"no {option}"
    if found["list"] is not None:
        return f"{option} {found['list'].translate(_BARE)}"
    value = next(
        (one for one in (found["single"], found["double"], found["number"]) if one is not None), None
    )
    if value is None or set(value) == {"."}:
        return option
    return f"{option} {value}" if re.fullmatch(r"[\w.,+-]+", value) else f"{option} '{value}'"
