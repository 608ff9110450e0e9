"""How the documentation becomes a site: what of it is made from the package itself."""
