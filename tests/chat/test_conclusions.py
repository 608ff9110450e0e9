"""What answers of chat models come to, in sentences."""

from __future__ import annotations

from crossroads.core.results import Result


def test_a_chat_gives_a_label_more_of_the_words_that_its_number_says(
    every_result: dict[str, Result],
) -> None:
    chats = [one for one in every_result.values() if type(one).__name__ == "ChatResult"]
    assert chats
    for chat in chats:
        for one in chat._conclusions(""):
            parts, value = one.statement, one.number("value")
            assert value is not None and parts[0] == "the model gives "
            assert parts[1:6:2] == (one.subject, *(one.poles[::-1] if value >= 0 else one.poles))
