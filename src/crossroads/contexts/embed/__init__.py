"""Context vectors from encoder models, on this machine or on a cluster."""
