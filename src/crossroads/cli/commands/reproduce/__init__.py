"""``crossroads reproduce``."""
