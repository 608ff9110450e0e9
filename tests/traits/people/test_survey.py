"""The test questions of a survey: who attended, and who did not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crossroads.core.errors import InputError
from crossroads.traits.people.survey import Answers, screen

PAGE = {"cold-warm": 80.0, "poor-wealthy": 30.0, "powerless-powerful": 50.0, "dishonest-sincere": 60.0}
GOOD = Answers(
    annotator="p",
    ratings={"women": PAGE, "veterans": PAGE},
    named_group="Women",
    named_high="warm",
    named_low="poor - wealthy",
    repeated="women",
    repetition=PAGE,
)


def reasons(**changes: Any) -> tuple[str, ...]:
    return screen([replace(GOOD, **changes)]).failed.get("p", ())


def test_questions_ask_for_the_first_group_and_for_high_and_low_traits_of_the_second_page() -> None:
    assert reasons(named_group="woman") == ()
    assert reasons(named_group="veterans") == ("named 'veterans' for the first group, 'women'",)
    assert reasons(named_high="sincere", named_low="poor") == ()
    assert reasons(named_high="poor") == ()  # rated 30: on the side of poor
    assert reasons(named_high="wealthy") == ("'wealthy' was not marked high",)
    assert reasons(named_high="cold-warm", named_low="warm") == ("'warm' was not marked low",)
    assert reasons(named_high="powerful") == ("'powerful' was not marked high",)  # 50 is neither
    assert reasons(named_high="tall", named_low="short") == (
        "'tall' was not marked high and 'short' was not marked low",
    )


def test_the_repeated_group_is_compared_by_the_rule_that_was_chosen() -> None:
    # 80 → 95 and 60 → 55 keep their side; 30 → 55 changes it; 50 → 51 leaves the middle
    second = {"cold-warm": 95.0, "poor-wealthy": 55.0, "powerless-powerful": 51.0, "dishonest-sincere": 55.0}
    one = replace(GOOD, repetition=second)
    assert screen([one]).agreement["p"] == pytest.approx(2 / 4)
    assert screen([one]).failed["p"] == ("self-agreement is 50%, below 80%",)
    # 15, 25, 1 and 5 points apart
    assert screen([one], agreement="near").agreement["p"] == pytest.approx(3 / 4)
    assert screen([one], agreement="near", tolerance=25).agreement["p"] == 1.0
    # of the six pairs, poor/powerless and poor/dishonest change: 30 < 50 → 55 > 51, 30 < 60 → 55 = 55
    assert screen([one], agreement="order").agreement["p"] == pytest.approx(4 / 6)
    assert screen([one], self_agreement=0.5).passed == ("p",)


def test_tests_can_be_left_out() -> None:
    careless = replace(GOOD, annotator="q", named_group="", repetition=None)
    assert screen([GOOD, careless], tests=["traits"]).passed == ("p", "q")
    result = screen([GOOD, careless])
    assert result.passed == ("p",)
    assert len(result.failed["q"]) == 2
    assert reasons(repeated="men") == reasons(repetition=None) == ("no group was rated twice",)
    nothing = reasons(ratings={}, repetition=None)
    assert nothing[:2] == ("no group was rated", "fewer than two groups were rated")


def test_bad_options_are_refused() -> None:
    bad: list[tuple[list[Answers], dict[str, Any], str]] = [
        ([GOOD], {"self_agreement": 80}, "self_agreement is 80"),
        ([GOOD, GOOD], {}, "twice"),
        ([], {}, "no answers"),
    ]
    for answers, options, said in bad:
        with pytest.raises(InputError, match=said):
            screen(answers, **options)
