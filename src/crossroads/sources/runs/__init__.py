"""Logs of benchmarks that other programs ran."""
