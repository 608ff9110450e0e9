"""Rules that an audit must meet, read from files and checked against its numbers."""
