#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures in docs are what `lh-run graph` draws of the shipped manifests:
docs/map.svg of all, docs/gallery/ of each, which docs/gallery.md shows.

check_map.py LH_RUN [--write]
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def drawn(manifests):
    return subprocess.run(
        [sys.argv[1], "graph", *map(str, manifests), "--format", "svg"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout


def pictures():
    """Each picture's path, and what it must be."""
    folder = pathlib.Path("manifests")
    manifests = sorted(path.relative_to(ROOT)
                       for path in (ROOT / folder).rglob("*.yaml"))
    yield DOCS / "map.svg", drawn(
        path for path in manifests if path.parent == folder)
    for path in manifests:
        name = "-".join(path.relative_to(folder).with_suffix("").parts)
        yield DOCS / "gallery" / f"{name}.svg", drawn([path])


def main():
    made = dict(pictures())
    if "--write" in sys.argv:
        for path, text in made.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    shown = (DOCS / "gallery.md").read_text()
    faults = [f"{path.relative_to(ROOT)} is not what lh-run draws: "
              "tests/structure/check_map.py LH_RUN --write"
              for path, text in made.items()
              if not path.exists() or path.read_text() != text]
    faults += [f"docs/gallery.md does not show {path.name}"
               for path in made
               if path.parent != DOCS and f"gallery/{path.name})" not in shown]
    faults += [f"docs/gallery/{path.name} shows no manifest"
               for path in sorted((DOCS / "gallery").glob("*"))
               if path not in made]
    print("\n".join(faults) or f"{len(made)} pictures are as lh-run draws them")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
