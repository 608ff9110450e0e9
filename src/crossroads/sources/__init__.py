"""Where evidence comes from: static vectors in any common format, one file a format."""

from crossroads.sources.formats import Source, known_sources
from crossroads.sources.loading import load, load_series
from crossroads.sources.sniffing import sniff

__all__ = ["Source", "known_sources", "load", "load_series", "sniff"]
