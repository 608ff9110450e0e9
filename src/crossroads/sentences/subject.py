"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=5,
    lines=2200,
    uses=("traits",),
    results=("pairs", "triples"),
    commands={
        "sentences": Command(
            "commands", "Language and chat models", "Say which of two or three sentences a model prefers."
        )
    },
)
