"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=2,
    lines=3200,
    uses=("words",),
    results=("detection", "discovery", "rsa", "wefat"),
    audit="audit",
    commands={
        "ibd": Command("commands", "One measure", "Detect words that go with an intersectional group."),
        "rsa": Command("commands", "One measure", "Compare which of two groups a concept is closer to."),
    },
)
