"""Worlds in which the truth is known, to find out how often a procedure errs.

>>> import crossroads as cr
>>> emb, design, truth = cr.worlds.vector_worlds("topical targets")[0]
>>> truth.null, cr.weat(emb, design, alternative="two-sided").crossed.pvalue > 0.05
(True, True)
"""

from crossroads.worlds.clouds import context_worlds as context_worlds
from crossroads.worlds.corpora import corpus_worlds as corpus_worlds
from crossroads.worlds.corpora import planted_corpus as planted_corpus
from crossroads.worlds.dealing import dealt_worlds as dealt_worlds
from crossroads.worlds.names import name_worlds as name_worlds
from crossroads.worlds.tables import pair_worlds as pair_worlds
from crossroads.worlds.tables import trait_worlds as trait_worlds
from crossroads.worlds.vectors import Truth as Truth
from crossroads.worlds.vectors import VectorWorlds as VectorWorlds
from crossroads.worlds.vectors import World as World
from crossroads.worlds.vectors import vector_worlds as vector_worlds
