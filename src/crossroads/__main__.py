"""``python -m crossroads``: the program, where its script is not on the path."""

from crossroads.core.cli import main

if __name__ == "__main__":
    main()
