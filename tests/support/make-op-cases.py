#!/usr/bin/env python3
"""make-op-cases.py [FAMILY...]: writes golden/onnx-ops from the references in
op_cases/. What it writes is committed; nothing needs it to run."""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ALL = sorted(path.stem for path in (HERE / "op_cases").glob("*.py")
             if path.stem not in ("__init__", "case"))

for family in sys.argv[1:] or ALL:
    importlib.import_module(f"op_cases.{family}").write_cases()
