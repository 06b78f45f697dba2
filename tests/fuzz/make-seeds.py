#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make-seeds.py OUT: lays out what each fuzzer starts from in
OUT/<fuzzer>/seeds, and an empty OUT/<fuzzer>/new for what it finds. Small
models and tensors of the ONNX corpus and of golden/onnx-ops, one for each set
of operators and opset, the StableHLO programs of tests/lit/stablehlo, what
make-artifact.py writes, and the hostile files kept in tests/fuzz/seeds."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from protobuf import BYTES, Broken, parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPORA = [ROOT / "golden" / "onnx-ops",
           pathlib.Path("/usr/share/libonnx-testdata/data")]
MAX_MODEL = 4000
MAX_TENSOR = 600


def texts(fields, number):
    return [value for n, wire, value in fields if n == number and wire == BYTES]


def operators(model):
    """What a model is made of: its operators and opset imports."""
    fields = parse(model)
    ops = {op for graph in texts(fields, 7) for node in texts(parse(graph), 1)
           for op in texts(parse(node), 4)}
    return frozenset(ops), frozenset(texts(fields, 8))


def element_type(tensor):
    fields = parse(tensor)
    return tuple(sorted({n for n, _, _ in fields})), next(
        (value for n, _, value in fields if n == 2), 0)


def smallest(pattern, limit, describe):
    """The smallest file for each description."""
    found = {}
    for corpus in CORPORA:
        for path in corpus.glob(pattern):
            content = path.read_bytes()
            if len(content) > limit:
                continue
            try:
                key = describe(content)
            except Broken:
                continue
            if key not in found or len(content) < len(found[key]):
                found[key] = content
    return found.values()


def programs():
    """The MLIR parts of lit tests, as split-file takes them apart."""
    for test in sorted((ROOT / "tests" / "lit" / "stablehlo").glob("*.test")):
        for part in test.read_text().split("\n//--- ")[1:]:
            name, _, text = part.partition("\n")
            if name.endswith(".mlir"):
                yield text.encode()


def artifacts():
    """Portable artifacts: a good one, and those with something unknown."""
    make = ROOT / "tests" / "support" / "make-artifact.py"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "artifact.mlirbc")
        for options in ([], ["--newer", "type"], ["--claims", "blocks"]):
            subprocess.run([sys.executable, make, file, *options], check=True)
            yield file.read_bytes()


def lay_out(folder, contents, hostile):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "new").mkdir(parents=True)
    seeds = folder / "seeds"
    seeds.mkdir()
    for i, content in enumerate(contents):
        (seeds / f"corpus-{i}").write_bytes(content)
    for path in hostile:
        shutil.copy(path, seeds / path.name)
    print(f"{folder.name}: {len(list(seeds.iterdir()))} seeds")


def main():
    out = pathlib.Path(sys.argv[1])
    kept = pathlib.Path(__file__).parent / "seeds"
    models = smallest("*/test_*/model.onnx", MAX_MODEL, operators)
    tensors = smallest("*/test_*/*/*.pb", MAX_TENSOR, element_type)
    for fuzzer in ("fuzz-reader", "fuzz-importer"):
        lay_out(out / fuzzer, models, sorted(kept.glob("*.onnx")))
    lay_out(out / "fuzz-stablehlo", programs(), sorted(kept.glob("*.mlir")))
    lay_out(out / "fuzz-artifact", artifacts(), [])
    lay_out(out / "fuzz-tensor", tensors, sorted(kept.glob("*.pb")))


if __name__ == "__main__":
    sys.exit(main())
