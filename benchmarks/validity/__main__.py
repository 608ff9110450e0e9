"""``python -m benchmarks.validity [--share 0.02] [--only TEXT] [--processes N] [--write-only]``."""

from __future__ import annotations

import argparse
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes share the cores


def main() -> None:
    """Run the study, then write the document."""
    from benchmarks.validity import document, study

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.validity", description=sys.modules[__name__].__doc__
    )
    parser.add_argument("--share", type=float, default=1.0, help="share of the worlds of the whole study")
    parser.add_argument("--only", default="", help="cells whose key holds this text")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write-only", action="store_true", help="write the document from what is finished")
    given = parser.parse_args()
    begun = time.perf_counter()
    if not given.write_only:
        found = study.run_study(given.share, processes=given.processes, only=given.only)
        for done, of, row in found:
            print(f"[{done}/{of}] {row['key']}: {row['seconds']:.1f} s", flush=True)
    if given.only:
        return
    path = document.write(study.rows(given.share), given.share)
    print(f"{path} ({time.perf_counter() - begun:.0f} s)")


if __name__ == "__main__":
    main()
