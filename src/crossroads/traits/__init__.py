"""Groups × traits: scores and human judgements, how to read, choose, compare and screen them.

>>> import crossroads as cr
>>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
>>> scores.row("women")
{'cold-warm': 0.4}
"""

from crossroads.core.lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(__name__, __file__)
