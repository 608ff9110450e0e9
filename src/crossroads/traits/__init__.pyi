"""The public names of this group, and where each lives."""

from crossroads.traits.measures.compare import compare_traits as compare_traits
from crossroads.traits.measures.files import read_scores as read_scores
from crossroads.traits.measures.group_ceat import group_ceat as group_ceat
from crossroads.traits.measures.ilps import ilps_star as ilps_star
from crossroads.traits.measures.scores import TraitScores as TraitScores
from crossroads.traits.people.alignment_result import align_table as align_table
from crossroads.traits.people.evidence import Judgements as Judgements
from crossroads.traits.people.files import read_judgements as read_judgements
