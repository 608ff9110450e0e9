"""Results as documents, and read back for a page."""
