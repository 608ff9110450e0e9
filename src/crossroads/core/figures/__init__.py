"""What all figures share: layout, lettering, style, what they accept and how they are saved."""
