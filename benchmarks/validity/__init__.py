"""How often p-values and intervals of the package err, in worlds in which the truth is known.

``python -m benchmarks.validity`` (``make validity``) runs the study and writes docs/validity.md. Finished
cells are kept in .cache/validity, so that an interrupted study goes on where it stopped; a cell is run again
when the code behind it has changed.
"""
