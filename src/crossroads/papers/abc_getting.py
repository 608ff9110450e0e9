"""How to get what the tables of the ABC study were measured on: sentences with commands that can be typed."""

from __future__ import annotations

from crossroads.papers.abc_tables import paired_column, templates_of

_MODELS = {"RoBERTa": "roberta-large", "BERT": "bert-large-cased or bert-large-uncased"}
_OWNERS = {"RoBERTa": "Facebook", "BERT": "Google (the paper does not say which)"}
_OPTIONS = {"ILPS": "ilps", "ILPS*": "ilps-star", "SeT": "set"}
_HUMAN = "data_full.json of the study's released data as HUMAN"


def model_of(column: str) -> str:
    """What the paper measured in a column: ``"roberta-large"``."""
    return _MODELS[column.split()[1]]


def how(column: str) -> str:
    """How to get the cells of a column that come from single groups and people."""
    measure, model = column.split()
    compare = f"crossroads reproduce abc --human HUMAN --scores '{column}=scores.json'"
    if measure == "CEAT":
        return (
            f"get {_HUMAN}, and sentences of Reddit comments of 2014 with their vectors by "
            f"{model_of(column)} (guide: context vectors); in Python, write the JSON of "
            f"crossroads.group_ceat(contexts, groups, traits) to scores.json, then: {compare}"
        )
    steps = f"crossroads probe FOLDER --measure {_OPTIONS[measure]} --json > scores.json"
    return f"{_download(model)} and {_HUMAN}, then: {steps}, and {compare}"


def how_pairs(*, truth: bool = False) -> str:
    """How to get the cells about pairs of groups.

    Parameters
    ----------
    truth
        Whether the cell also needs what people say of pairs.
    """
    (template,) = templates_of(paired_column())
    probe = f"crossroads probe FOLDER --pairs --measure set --templates '{template}' --json > pairs.json"
    first = f"{_download('RoBERTa')}; {how_truth()}" if truth else _download("RoBERTa")
    more = " --truth TRUTH.csv" if truth else ""
    return f"{first}, then: {probe}, and crossroads reproduce abc --pair-scores pairs.json{more}"


def how_truth() -> str:
    """What the list must hold that emergent traits are compared with."""
    return (
        "list in TRUTH.csv, with the columns pair and trait, what people said of pairs of race and gender in "
        "Ghavami and Peplau (2013), as ends of the scales such as 'low Communion' (how the paper sorted them "
        "is not printed)"
    )


def _download(model: str) -> str:
    return f"download {_MODELS[model]} of {_OWNERS[model]} from Hugging Face into FOLDER"
