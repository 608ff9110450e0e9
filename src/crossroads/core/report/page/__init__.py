"""The report page, one HTML file that opens from disk; its style and scripts are in ``files/``."""
