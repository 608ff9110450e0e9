"""Published word lists, groups, traits and templates, by name."""
