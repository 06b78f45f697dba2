#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""provenance.py GOLDEN [FOLDER [TARGET]]: writes the sidecar of the golden
folder GOLDEN or of its override FOLDER, as its files are now."""
import hashlib
import json
import pathlib
import re
import sys

TYPES = {"<f4": "float32", "<f8": "float64", "<f2": "float16", "<i4": "int32",
         "<i8": "int64"}

golden = pathlib.Path(sys.argv[1])
folder = golden / (sys.argv[2] if len(sys.argv) > 2 else "outputs")
target = sys.argv[3] if len(sys.argv) > 3 else "any"
models = [golden / "model.onnx", golden / "payload.mlir"]
dtypes = {}
for path in sorted(folder.glob("*.npy")):
    descr = re.search(rb"'descr': '([^']*)'", path.read_bytes())
    dtypes[re.sub(r"^\d+-", "", path.stem)] = TYPES[descr[1].decode()]
(model,) = [path for path in models if path.exists()]
(golden if folder.name == "outputs" else folder).joinpath(
    "provenance.json").write_text(json.dumps({
        "producer": "tests/lit/Inputs/provenance.py",
        "versions": {"python": sys.version.split()[0]},
        "target": target, "dtypes": dtypes,
        "model_sha256": hashlib.sha256(model.read_bytes()).hexdigest()}))
