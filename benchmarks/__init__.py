"""Speed and memory, measured against other tools in one run: ``make bench``."""
