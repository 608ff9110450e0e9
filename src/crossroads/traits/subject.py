"""What this subject brings, in names."""

from crossroads.core.subjects import Command, Subject

SUBJECT = Subject(
    place=4,
    lines=8600,
    uses=("contexts", "words"),
    results=(
        "measures.compare",
        "measures.group_ceat",
        "measures.scores",
        "measures.templates",
        "pairs.dominance",
        "pairs.emergent",
        "pairs.identities",
        "pairs.order",
        "pairs.truth",
        "people.alignment_result",
        "people.survey",
    ),
    audit="audit",
    manifests={"crossroads-logits/1": "logits"},
    commands={
        "probe": Command(
            "commands", "Language and chat models", "Ask a language model which traits it expects of groups."
        ),
    },
)
