"""Pairs of identities, such as *blind women*: which there are, and what is more than the sum of its parts.

>>> import crossroads as cr
>>> [pair.name for pair in cr.pairs.paired_groups(["blind", "woman"])]
['blind woman', 'female blind person']
"""

from crossroads.core.lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(__name__, __file__)
