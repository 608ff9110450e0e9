"""Stimuli, designs, and a catalogue of published ones."""

from crossroads.stimuli.catalogue.index import Entry
from crossroads.stimuli.catalogue.lookup import Catalogue, batteries, catalog
from crossroads.stimuli.design import Design
from crossroads.stimuli.files.designs import read_design, read_designs
from crossroads.stimuli.files.lists import Sheet, read_sheet, read_trait_lists
from crossroads.stimuli.grammar import check_agreement
from crossroads.stimuli.identities.files import read_identities
from crossroads.stimuli.identities.pairs import PairedGroup, excluded_pairs, paired_groups
from crossroads.stimuli.material import (
    Comparison,
    Family,
    Group,
    Groups,
    Ratings,
    Sentence,
    Sentences,
    Template,
    Templates,
    Trait,
    Traits,
    WordLists,
)
from crossroads.stimuli.sets import About, Citation, StimulusSet

__all__ = [
    "About",
    "Catalogue",
    "Citation",
    "Comparison",
    "Design",
    "Entry",
    "Family",
    "Group",
    "Groups",
    "PairedGroup",
    "Ratings",
    "Sentence",
    "Sentences",
    "Sheet",
    "StimulusSet",
    "Template",
    "Templates",
    "Trait",
    "Traits",
    "WordLists",
    "batteries",
    "catalog",
    "check_agreement",
    "excluded_pairs",
    "paired_groups",
    "read_design",
    "read_designs",
    "read_identities",
    "read_sheet",
    "read_trait_lists",
]
