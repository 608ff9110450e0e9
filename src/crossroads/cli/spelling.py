"""What the library says, as the shell spells it: ``missing='drop'`` becomes ``--missing drop``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crossroads.errors import nearest
from crossroads.sources.formats import FORMATS

_ARGUMENT = re.compile(
    r"(?<![\w/\\.=-])(?P<name>[a-z][a-z_]*)="
    r"(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<number>-?\d+(?:\.\d+)?)|(?P<flag>True|False)"
    r"|\[(?P<list>[^]]*)\]|(?P<any>\.\.\.)|)"
    r"(?=[\s,;:)]|\.(?:\s|$)|$)"  # else it is part of something longer, such as a path
)
"""An argument as Python has it: with a value, with ``...`` for any value, or without one."""
_ALIASES = {"kind": "as", "served": "served_model"}
"""Arguments of the library that an option of another name sets."""
_ELSEWHERE = {
    "known_sources() lists them": f"known: {', '.join(FORMATS)}",
    "load_series(folder) reads every decade; load('folder/1900-w.npy') reads one": (
        "mleat and audit read every decade of a folder; a file of it, such as folder/1900-w.npy, is one"
    ),
    "remove what cache= has kept and begin again": "measure it anew: fresh=True",
    "remove what cache= has kept if the model has changed": "measure it anew if it has changed: fresh=True",
}
"""What is asked or done in Python, and what there is for it in the shell."""
_CLAUSE = re.compile(r"(; or |; |, or |\. (?=[a-zA-Z]))")
"""What parts the several things that a hint says."""
_PYTHON = re.compile(r"\bmax_work\b")
"""Names of Python that hints speak of without a value, and that no option has."""
_CHOICE = re.compile(r"'(?P<given>.*)' is not one of (?P<known>'.*)\.$")
"""A value that an option does not know, and those that it does."""
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
"""What pydantic's names for faults mean."""
_BARE = str.maketrans("", "", "'\" ")


def message_in_the_shell(text: str, options: Mapping[str, str]) -> str:
    """What is wrong, with the options of a command in the place of arguments.

    Parameters
    ----------
    text
        What the library says.
    options
        Name of each option of the command, as Python has it, to how the shell spells it.
    """
    return _ARGUMENT.sub(lambda found: _spelled(found, options), text)


def hint_in_the_shell(text: str, options: Mapping[str, str]) -> str:
    """What to do about it; empty where that can be done in Python only.

    What names an argument that no option of the command sets is left out, and the rest is kept.
    """
    for asked, answer in _ELSEWHERE.items():
        text = text.replace(asked, answer)
    return message_in_the_shell(_within_reach(text, options), options).replace("pass --", "use --")


def _within_reach(text: str, options: Mapping[str, str]) -> str:
    """The clauses of a hint that somebody at a shell can follow."""
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
    """Whether a clause names what no option of the command sets."""
    named = [found["name"] for found in _ARGUMENT.finditer(clause)]
    return _PYTHON.search(clause) is not None or any(not _option(name, options) for name in named)


def value_in_the_shell(text: str, cause: BaseException | None) -> str:
    """What is wrong with the value of an option: the value, and where there is one the nearest that is right.

    Parameters
    ----------
    text
        What the parser of the command line says.
    cause
        The error behind it; one of pydantic knows the value and what was expected.
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
