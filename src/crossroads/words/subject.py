"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=1,
    lines=10900,
    results=(
        "checks.corrections",
        "checks.frequency",
        "checks.placebo",
        "measures.battery",
        "measures.mleat",
        "measures.plan",
        "measures.projection",
        "measures.sc_weat",
        "measures.series",
        "measures.stability",
        "measures.weat",
    ),
    audit="audit",
    formats="vectors.load",
    commands={
        "weat": Command("commands", "One measure", "Measure whether two groups differ in an association."),
        "plan": Command("commands", "One measure", "Plan how many words tests need, and register them."),
    },
)
