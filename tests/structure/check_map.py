#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/map.svg is what `lh-run graph` draws of all shipped manifests.

check_map.py LH_RUN [--write]
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "map.svg"


def main():
    manifests = sorted(str(p.relative_to(ROOT))
                       for p in (ROOT / "manifests").glob("*.yaml"))
    drawn = subprocess.run(
        [sys.argv[1], "graph", *manifests, "--format", "svg"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if "--write" in sys.argv:
        PICTURE.write_text(drawn)
        return 0
    if PICTURE.exists() and PICTURE.read_text() == drawn:
        print(f"docs/map.svg shows {len(manifests)} manifests as they are")
        return 0
    print("docs/map.svg is not what lh-run draws: "
          "tests/structure/check_map.py LH_RUN --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
