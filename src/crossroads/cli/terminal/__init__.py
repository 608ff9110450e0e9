"""Terminal output: tables, progress, hints, and messages of interruptions."""
