"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=1,
    lines=12000,
    uses=("contexts",),
    results=(
        "checks.anisotropy",
        "checks.corrections",
        "checks.frequency",
        "checks.placebo",
        "checks.reliability",
        "measures.battery",
        "measures.mleat",
        "measures.sc_weat",
        "measures.series",
        "measures.stability",
        "measures.weat",
    ),
    audit="audit",
    formats="vectors.signatures",
    commands={
        "weat": Command("commands", "One measure", "Measure whether two groups differ in an association."),
    },
)
