"""Where evidence comes from: vectors in files, transformers, CLIP models and embedding services."""

from crossroads.sources.clip_models import clip_embeddings, clip_images, clip_texts, is_clip
from crossroads.sources.endpoint_answers import EndpointError
from crossroads.sources.endpoints import endpoint_embeddings, is_endpoint
from crossroads.sources.formats import Source, known_sources
from crossroads.sources.images import image_labels, image_sets
from crossroads.sources.loading import load, load_series
from crossroads.sources.prompt_texts import prompts_for
from crossroads.sources.prompted import prompted_embeddings
from crossroads.sources.sniffing import sniff

__all__ = [
    "EndpointError",
    "Source",
    "clip_embeddings",
    "clip_images",
    "clip_texts",
    "endpoint_embeddings",
    "image_labels",
    "image_sets",
    "is_clip",
    "is_endpoint",
    "known_sources",
    "load",
    "load_series",
    "prompted_embeddings",
    "prompts_for",
    "sniff",
]
