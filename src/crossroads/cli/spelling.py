"""What the library says, as the shell spells it: ``missing='drop'`` becomes ``--missing drop``."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
