"""What we ask: stimuli, designs, and a catalogue of published ones."""

from crossroads.stimuli.about import About, Citation
from crossroads.stimuli.catalog import Catalogue, batteries, catalog
from crossroads.stimuli.design import Design
from crossroads.stimuli.groups import Comparison, Group, Groups
from crossroads.stimuli.read import read_design, read_designs
from crossroads.stimuli.sets import StimulusSet
from crossroads.stimuli.sheets import Sheet, read_sheet
from crossroads.stimuli.shelf import Entry
from crossroads.stimuli.templates import Family, Sentence, Sentences, Template, Templates
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
    "read_design",
    "read_designs",
    "read_sheet",
]
