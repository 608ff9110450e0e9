"""``crossroads audit``."""
