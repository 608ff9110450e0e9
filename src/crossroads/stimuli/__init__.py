"""Stimuli, designs, and a catalogue of published ones."""

from crossroads.stimuli.about import About, Citation
from crossroads.stimuli.catalogue.index import Entry
from crossroads.stimuli.catalogue.lookup import Catalogue, batteries, catalog
from crossroads.stimuli.design import Design
from crossroads.stimuli.files.designs import read_design, read_designs
from crossroads.stimuli.files.lists import Sheet, read_sheet, read_trait_lists
from crossroads.stimuli.grammar import check_agreement
from crossroads.stimuli.groups import Comparison, Group, Groups
from crossroads.stimuli.identities.files import read_identities
from crossroads.stimuli.identities.pairs import PairedGroup, excluded_pairs, paired_groups
from crossroads.stimuli.sets import StimulusSet
from crossroads.stimuli.templates import Family, Sentence, Sentences, Template, Templates
from crossroads.stimuli.traits import Ratings, Trait, Traits, WordLists

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
