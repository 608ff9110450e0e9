"""Words of an intersectional group: WEFAT, IBD, EIBD and discovery in a vocabulary."""
