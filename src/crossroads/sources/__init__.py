"""Where vectors come from: models and services that are asked directly, and what they need.

>>> import crossroads as cr
>>> cr.sources.prompts_for(cr.catalog("weat1"))["rose"]
'This is {article} {word}'
"""

from crossroads.core.lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(__name__, __file__)
