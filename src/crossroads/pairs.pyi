"""The public names of this group, and where each lives."""

from crossroads.traits.pairs.dominance import domain_dominance as domain_dominance
from crossroads.traits.pairs.emergent import emergent as emergent
from crossroads.traits.pairs.material import paired_groups as paired_groups
from crossroads.traits.pairs.order import order_sensitivity as order_sensitivity
