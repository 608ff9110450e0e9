"""Stimuli, designs, and a catalogue of published ones."""

from crossroads.core.stimuli.catalogue.index import batteries as batteries
from crossroads.core.stimuli.catalogue.index import catalog as catalog
from crossroads.core.stimuli.design import Design as Design
from crossroads.core.stimuli.files.designs import read_designs as read_designs
from crossroads.core.stimuli.files.text import read_sheet as read_sheet
from crossroads.core.stimuli.files.text import read_trait_lists as read_trait_lists
from crossroads.core.stimuli.material import Groups as Groups
from crossroads.core.stimuli.material import Ratings as Ratings
from crossroads.core.stimuli.material import Sentence as Sentence
from crossroads.core.stimuli.material import Sentences as Sentences
from crossroads.core.stimuli.material import Template as Template
from crossroads.core.stimuli.material import Templates as Templates
from crossroads.core.stimuli.material import Trait as Trait
from crossroads.core.stimuli.material import Traits as Traits
from crossroads.core.stimuli.material import WordLists as WordLists
from crossroads.core.stimuli.sets import About as About
from crossroads.core.stimuli.sets import Citation as Citation
from crossroads.core.stimuli.sets import StimulusSet as StimulusSet
