"""What two subjects or more use; it imports none of them."""

VERSION = "0.1.0"
