"""What we ask: stimuli, designs, and a catalogue of published ones."""

from crossroads.stimuli.about import About, Citation
from crossroads.stimuli.catalog import Catalogue, batteries, catalog
from crossroads.stimuli.design import Design
from crossroads.stimuli.grammar import check_agreement
from crossroads.stimuli.groups import Comparison, Group, Groups
from crossroads.stimuli.identities import PairedGroup, excluded_pairs, paired_groups
from crossroads.stimuli.identity_files import read_identities
from crossroads.stimuli.ratings import Ratings
from crossroads.stimuli.read import read_design, read_designs
from crossroads.stimuli.sets import StimulusSet
from crossroads.stimuli.sheets import Sheet, read_sheet
from crossroads.stimuli.shelf import Entry
from crossroads.stimuli.templates import Family, Sentence, Sentences, Template, Templates
from crossroads.stimuli.trait_lists import read_trait_lists
from crossroads.stimuli.traits import Trait, Traits
from crossroads.stimuli.words import WordLists

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
