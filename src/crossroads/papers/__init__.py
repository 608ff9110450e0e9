"""Published tables as data, and how to reproduce each."""
