"""Pairs of identities, such as *blind women*: which there are, and what is more than the sum of its parts.

>>> import crossroads as cr
>>> [pair.name for pair in cr.pairs.paired_groups(["blind", "woman"])]
['blind woman', 'female blind person']
"""

from crossroads.measures.pairs.dominance import domain_dominance as domain_dominance
from crossroads.measures.pairs.emergent import emergent as emergent
from crossroads.measures.pairs.order import order_sensitivity as order_sensitivity
from crossroads.measures.pairs.truth import against as against
from crossroads.stimuli.identities.pairs import paired_groups as paired_groups
