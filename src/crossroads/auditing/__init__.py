"""Audits: what a model is, which measures apply to it, and how their work is shared, kept and resumed."""

from crossroads.auditing.audits import Finished, run_audit, run_plan
from crossroads.auditing.keeping import Workplace, parts_folder
from crossroads.auditing.kinds import AUDITABLE, Kind, recognise
from crossroads.auditing.parts import Settings
from crossroads.auditing.planning import Plan, make_plan
from crossroads.auditing.vectors import Asking, Desk
from crossroads.auditing.watching import Event, Tally

__all__ = [
    "AUDITABLE",
    "Asking",
    "Desk",
    "Event",
    "Finished",
    "Kind",
    "Plan",
    "Settings",
    "Tally",
    "Workplace",
    "make_plan",
    "parts_folder",
    "recognise",
    "run_audit",
    "run_plan",
]
