"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=6,
    lines=2000,
    uses=("words",),
    results=("scores",),
    commands={
        "chat": Command(
            "commands", "Language and chat models", "Ask a chat model to give words to labels, or to decide."
        )
    },
)
