"""Files written whole or not at all, checked folders, compressed streams and arrays."""
