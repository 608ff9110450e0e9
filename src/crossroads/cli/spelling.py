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
_ELSEWHERE = {"known_sources() lists them": f"known: {', '.join(FORMATS)}"}
"""What Python can be asked for, and the answer."""
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
    """What to do about it; an argument that no option of the command sets is said to be one of Python."""
    for asked, answer in _ELSEWHERE.items():
        text = text.replace(asked, answer)
    others = [found["name"] for found in _ARGUMENT.finditer(text) if not _option(found["name"], options)]
    spelled = message_in_the_shell(text, options).replace("pass --", "use --")
    told = "".join(f" (No option sets {name}; Python does.)" for name in dict.fromkeys(others))
    return f"{spelled}{told}"


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
