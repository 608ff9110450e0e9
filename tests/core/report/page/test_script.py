"""The joiner of scripts: what comes out, and what it refuses."""

from __future__ import annotations

import re

import pytest

from crossroads.core.errors import InputError
from crossroads.core.report.page.page import joined


def join(**files: str) -> str:
    """Scripts named without ``.js``; the first one imports the others."""
    known = {f"{name.replace('__', '/')}.js": text for name, text in files.items()}

    def read(path: str) -> str:
        if path not in known:
            raise FileNotFoundError(path)
        return known[path]

    return joined(next(iter(known)), read)


def test_each_file_is_a_function_after_those_it_imports() -> None:
    text = join(
        page='import { one } from "./parts/one.js";\nimport "./parts/two.js";\n\none();\n',
        parts__one="/** @type {Row} */\nconst hidden = 1;\nexport function one() {\n  return hidden;\n}\n",
        parts__two='import {\n  one,\n} from "./one.js";\nexport const two = one();\n',
    )
    assert text == (
        '"use strict";\n(() => {\nconst $files = {};\n'
        '$files["parts/one.js"] = (() => {\n'
        "const hidden = 1;\nfunction one() {\n  return hidden;\n}\n"
        "\nreturn { one };\n})();\n"
        '$files["parts/two.js"] = (() => {\n'
        'const { one } = $files["parts/one.js"];\n'
        "const two = one();\n"
        "\nreturn { two };\n})();\n"
        '$files["page.js"] = (() => {\n'
        'const { one } = $files["parts/one.js"];\n'
        "\none();\n"
        "\nreturn {  };\n})();\n"
        "})();\n"
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {name: f'import "./{other}.js";\n' for name, other in ("ab", "bc", "cb")},
            "in a circle: b.js → c.js → b.js.",
        ),
        ({"a": 'import "./b.js";\n'}, "no script b.js, which a.js imports"),
        ({"a": 'import * as x from "./b.js";\n'}, "a.js has an import or export of an unknown form"),
        ({"a": 'const x = "</SCRIPT ";\n'}, "is not allowed in a script"),
    ],
)
def test_what_cannot_be_joined_is_refused(files: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        join(**files)
