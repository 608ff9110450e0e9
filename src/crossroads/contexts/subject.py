"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=3,
    lines=6000,
    uses=("words",),
    results=("measures.battery", "measures.ceat", "measures.levels"),
    audit="audit",
    commands={
        "contexts": Command(
            "commands", "From a corpus", "Find sentences with your words, and draw a sample of them."
        ),
        "embed": Command("commands", "From a corpus", "Compute the vector of every word in its sentence."),
        "ceat": Command("commands", "From a corpus", "Test associations over those sentences."),
    },
)
