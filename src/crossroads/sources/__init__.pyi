"""The public names of this group, and where each lives."""

from crossroads.core.evidence.embeddings import Provenance as Provenance
from crossroads.core.models.elmo import Elmo as Elmo
from crossroads.core.stimuli.catalogue.index import batteries as batteries
from crossroads.core.stimuli.sets import StimulusSet as StimulusSet
from crossroads.words.models.clip import clip_embeddings as clip_embeddings
from crossroads.words.models.clip import image_labels as image_labels
from crossroads.words.models.clip import image_sets as image_sets
from crossroads.words.models.endpoint import endpoint_embeddings as endpoint_embeddings
from crossroads.words.models.prompted import prompted_embeddings as prompted_embeddings
from crossroads.words.models.prompts import prompts_for as prompts_for
