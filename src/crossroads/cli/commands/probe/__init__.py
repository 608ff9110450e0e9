"""``crossroads probe``."""
