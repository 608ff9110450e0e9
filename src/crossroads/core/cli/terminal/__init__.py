"""Terminal output: tables, progress, and messages of interruptions."""
