"""The public names of this group, and where each lives."""

from crossroads.sources.endpoints.embeddings import endpoint_embeddings as endpoint_embeddings
from crossroads.sources.models.clip import clip_embeddings as clip_embeddings
from crossroads.sources.models.elmo import Elmo as Elmo
from crossroads.sources.models.images import image_labels as image_labels
from crossroads.sources.models.images import image_sets as image_sets
from crossroads.sources.models.prompted import prompted_embeddings as prompted_embeddings
from crossroads.sources.models.prompts import prompts_for as prompts_for
