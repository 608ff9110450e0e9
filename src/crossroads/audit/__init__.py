"""Audits: the kind of a model, the measures that apply to it, and how they are run, kept and resumed."""

from crossroads.audit.audit import FinishedAudit, run_audit, run_plan
from crossroads.audit.kept import PartsFolder, parts_folder
from crossroads.audit.parts import Settings
from crossroads.audit.plan import Plan, make_plan
from crossroads.audit.progress import Event, ProgressTracker
from crossroads.audit.vectors import Session, SourceOptions
from crossroads.sources.kinds import Kind, recognise

__all__ = [
    "Event",
    "FinishedAudit",
    "Kind",
    "PartsFolder",
    "Plan",
    "ProgressTracker",
    "Session",
    "Settings",
    "SourceOptions",
    "make_plan",
    "parts_folder",
    "recognise",
    "run_audit",
    "run_plan",
]
