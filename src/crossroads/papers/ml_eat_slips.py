"""What the tables of the ML-EAT paper say of each other, of their captions and of their text."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from crossroads.errors import join_words
from crossroads.papers.ml_eat_tables import LEVELS, Number, numbers, row_pattern, variant_of
from crossroads.papers.published import table
from crossroads.stimuli import catalog

_ONE_SIDED = 1.645
Row = dict[str, Number]


def consistency() -> tuple[str, ...]:
    """What the printed numbers contradict or confirm in each other, each a sentence."""
    rows = _rows()
    return (
        _repeated(rows),
        _starred(rows),
        _captioned(rows),
        _prompted(rows),
        *_impossible(rows),
        "The text on Figure 3 speaks of Science/Arts; figure, caption and words are those of Math/Arts.",
        "The text shades an EAT-Map where the p-value is above 0.05; the tables do where it is below.",
    )


def _rows() -> dict[tuple[str, str, str | None, str], Row]:
    """Every row of the tables: table, model, prompt and test to its cells."""
    found: dict[tuple[str, str, str | None, str], Row] = {}
    for one in numbers():
        found.setdefault((one.table, one.model, one.prompt, one.test), {})[one.column] = one
    return found


def _repeated(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Tables 2 (without prompt) and 3 hold rows that stand in Tables 5, 8 and 12 again."""
    early = {key: row for key, row in rows.items() if key[0] in ("2", "3") and key[2] in (None, "{word}")}
    late = {(model, test): row for (number, model, _, test), row in rows.items() if int(number) >= 5}
    again = [(key, row, late[key[1], key[3]]) for key, row in early.items()]
    differing = [
        f"{key[3]} in Table {key[0]}"
        for key, row, other in again
        if any(one.text != other[column].text for column, one in row.items())
    ]
    ending = f"which differ in {join_words(differing)}" if differing else "which agree in every cell"
    return f"{len(again)} rows of Tables 2 and 3 are printed again in Tables 5, 8 and 12, {ending}."


def _starred(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Whether stars follow from the numbers: z = |d|·√(n/2) above 1.645, for two sets of n words."""
    right, doubtful = 0, []
    for (number, _, _, test), row in rows.items():
        if not test.startswith("weat"):
            continue
        design = catalog().design(test, variant_of(number))
        for name in LEVELS:
            n = len(design.x if name == "level1" else design.a)
            # the printed number stands for all that round or cut to it
            low, high = (sqrt(n / 2) * (abs(row[name].value) + off) for off in (-0.005, 0.01))
            starred = row[f"{name} star"].value > 0
            if (starred and high > _ONE_SIDED) or (not starred and low <= _ONE_SIDED):
                right += 1
            else:
                doubtful.append(f"{test}, {name} in Table {number}")
    ending = f"; not so {join_words(doubtful)}" if doubtful else ""
    return (
        f"{right} of {right + len(doubtful)} stars of the word tests are there or not as a normal curve "
        f"in the observed direction has it: |d|·√(n/2) above {_ONE_SIDED}{ending}."
    )


def _captioned(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    named = table("ml-eat")["caption"]
    wrong = [
        f"{test} ({row_pattern(row)}, not {named[test]})"
        for (number, _, _, test), row in rows.items()
        if number == "1" and row_pattern(row) != named[test]
    ]
    ending = f"except {join_words(wrong)}" if wrong else "without exception"
    return f"The patterns in the caption of Table 1 follow from its Level 2 and stars, {ending}."


def _prompted(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Table 2: the same tests without and with a prompt."""
    pairs = [
        (row, rows["2", model, other, test])
        for (number, model, prompt, test), row in rows.items()
        if number == "2" and prompt == "{word}"
        for other in {key[2] for key in rows if key[0] == "2"} - {"{word}"}
    ]
    kept = sum(row_pattern(bare) == row_pattern(prompted) for bare, prompted in pairs)
    turned = sum(bare["level1"].value * prompted["level1"].value < 0 for bare, prompted in pairs)
    return (
        f"Table 2: with the prompt, {kept} of {len(pairs)} tests keep their pattern and {turned} changes "
        "the sign of Level 1."
    )


def _impossible(rows: dict[tuple[str, str, str | None, str], Row]) -> Iterator[str]:
    """Rows whose Level 3 has the other sign than Level 2 by more than rounding allows."""
    for (number, _, _, test), row in rows.items():
        for target in "xy":
            d = row[f"level2_{target}"].value
            first, second = (row[f"{attribute}{target} mean"] for attribute in "ab")
            gap = first.value - second.value
            if d * gap < 0 and abs(gap) > 0.01 + 1e-9:
                yield (
                    f"Table {number}, {test}: means of {first.text} and {second.text} contradict the Level 2 "
                    f"effect size of {row[f'level2_{target}'].text}."
                )
