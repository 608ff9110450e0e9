"""Groups × traits: scores and human judgements, how to read, choose, compare and screen them.

>>> import crossroads as cr
>>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
>>> scores.row("women")
{'cold-warm': 0.4}
"""

from crossroads.evidence.judgement_files import read_judgements as read_judgements
from crossroads.evidence.judgements import Judgements as Judgements
from crossroads.measures.comparison.traits import compare_traits as compare_traits
from crossroads.measures.contextual.groups import group_ceat as group_ceat
from crossroads.measures.traits.alignment_result import align_table as align_table
from crossroads.measures.traits.scores import TraitScores as TraitScores
from crossroads.measures.traits.scores import read_scores as read_scores
from crossroads.measures.traits.survey import Answers as Answers
from crossroads.measures.traits.survey import screen as screen
from crossroads.measures.traits.templates import choose_templates as choose_templates
