"""Worlds in which the truth is known: vectors, contexts, tables of traits, and names."""

from .blocks import block_worlds as block_worlds
from .clouds import context_worlds as context_worlds
from .dealing import dealt_worlds as dealt_worlds
from .frequent import frequency_worlds as frequency_worlds
from .meta import meta_worlds as meta_worlds
from .names import name_worlds as name_worlds
from .planning import planned_worlds as planned_worlds
from .tables import pair_worlds as pair_worlds
from .vectors import VectorWorlds as VectorWorlds
from .vectors import vector_worlds as vector_worlds
from .years import year_worlds as year_worlds
