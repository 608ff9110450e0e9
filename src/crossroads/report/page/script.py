"""The scripts of the page, written as JavaScript modules, joined into one script that needs no loader.

Each file becomes a function that is called once, after the files it imports, and returns its exports. Only
the forms that the page uses are supported: ``import { a, b } from "./file.js";``, ``import "./file.js";``,
and ``export`` before a function or a single constant. Anything else is an error, and so are circular imports.
Comments that begin with ``/**`` on their own line, which give types, are left out of the page.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from crossroads.errors import InputError

_IMPORT = re.compile(r'^import (?:\{\s*(\w+(?:,\s*\w+)*),?\s*\} from )?"(\.\.?/[^"\n]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*? |const )(\w+)(?:\(| = ))", re.MULTILINE)
_NOTES = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
_REST = re.compile(r"^\s*(?:import|export)\b.*|^(?!\s*(?:/?\*|//)).*\bimport\s*[(.].*", re.MULTILINE)


def joined(root: str, read: Callable[[str], str]) -> str:
    """One script from a file and all its imports, in the order of their dependencies.

    Parameters
    ----------
    root
        Path of the file that imports all others.
    read
        Returns the text of a file by its path.
    """
    exports: dict[str, list[str]] = {}
    pieces: list[str] = []

    def join(path: str, trail: tuple[str, ...]) -> None:
        if path in trail:
            circle = " → ".join((*trail[trail.index(path) :], path))
            raise InputError(
                f"scripts import each other in a circle: {circle}.",
                hint="move what they share to a third file.",
            )
        if path in exports:
            return
        text, heads = _text(path, trail, read), []
        for names, target in _IMPORT.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            join(other, (*trail, path))
            wanted = re.findall(r"\w+", names)
            if missing := [name for name in wanted if name not in exports[other]]:
                raise InputError(f"{path} imports {', '.join(missing)}, which {other} does not export.")
            if wanted:
                heads.append(f'const {{ {", ".join(wanted)} }} = $files["{other}"];\n')
        exports[path] = _EXPORT.findall(text)
        body = _NOTES.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))
        if left := _REST.search(body):
            raise InputError(
                f"{path} has an import or export of an unknown form: {left[0].strip()!r}.",
                hint='write import { a } from "./file.js"; or export before one function or one constant.',
            )
        given = ", ".join(exports[path])
        pieces.append(
            f'$files["{path}"] = (() => {{\n{"".join(heads)}{body}\nreturn {{ {given} }};\n}})();\n'
        )

    join(posixpath.normpath(root), ())
    return '"use strict";\n(() => {\nconst $files = {};\n' + "".join(pieces) + "})();\n"


def _text(path: str, trail: tuple[str, ...], read: Callable[[str], str]) -> str:
    try:
        text = read(path)
    except FileNotFoundError as error:
        asker = f", which {trail[-1]} imports" if trail else ""
        raise InputError(f"there is no script {path}{asker}.") from error
    if found := re.search(r"</?script|<!--", text, re.IGNORECASE):
        raise InputError(f"{path} contains {found[0]!r}, which is not allowed in a script of a page.")
    return text
