"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=7,
    lines=2820,
    uses=("contexts", "traits", "words"),
    results=("battery", "meta", "models"),
    several="audit",
    commands={
        "report": Command("commands", "Start here", "Put saved results on one page, or into a model card."),
        "compare": Command("commands", "Start here", "Compare the audits of two or more models."),
    },
)
