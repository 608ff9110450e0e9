"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=8,
    lines=2900,
    uses=("contexts", "intersections", "traits", "words"),
    results=("cells",),
    published="findings",
    commands={
        "reproduce": Command("commands", "Start here", "Print published numbers next to ours, cell by cell."),
    },
)
