"""Commands of traits."""
