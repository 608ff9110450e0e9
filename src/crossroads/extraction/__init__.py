"""Extraction from models: contexts to vectors and prompts to logits, resumable, on this machine or on Ray."""
