# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan.py LH_RUN: the manifests that `lh-run plan` prints run, and what they
compute is right; those that end with an emit leave what they name."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DENSE = ROOT / "schedules/common/tests/tosa-dense.mlir"
DIGITS = ROOT / "golden/digits-cnn/model.onnx"

# A product of matrices whose sizes only the run knows.
OPEN_LINALG = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%filled : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
"""

# A product of vectors between buffers.
VECTORS = """
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: memref<8x16xf32>, %b: memref<16x4xf32>) -> memref<8x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x16xf32>, vector<8x16xf32>
  %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x4xf32>, vector<16x4xf32>
  %none = arith.constant dense<0.0> : vector<8x4xf32>
  %product = vector.contract {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %x, %y, %none
      : vector<8x16xf32>, vector<16x4xf32> into vector<8x4xf32>
  %result = memref.alloc() : memref<8x4xf32>
  vector.transfer_write %product, %result[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf32>, memref<8x4xf32>
  return %result : memref<8x4xf32>
}
"""


class Planner:
    def __init__(self, lh_run, folder):
        self.lh_run, self.folder = pathlib.Path(lh_run).resolve(), folder
        self.wrong = []

    def call(self, *words):
        return subprocess.run([self.lh_run, *map(str, words)], text=True,
                              cwd=self.folder, capture_output=True)

    def check(self, name, origin, goal, *flags, bubbles=(), leaves=None,
              verdict=" passed  "):
        """Plans, runs what was planned, and looks for what it must leave."""
        manifest = self.folder / f"{name}.yaml"
        planned = self.call("plan", "--from", origin, "--to", goal, *flags,
                            "-o", manifest)
        if planned.returncode:
            return self.fail(name, "plan", planned)
        text = manifest.read_text()
        for bubble in bubbles:
            if f"{{use: lib:{bubble}}}" not in text:
                self.wrong.append(f"{name}: no {bubble} in\n{text}")
        done = self.call("run", manifest.name, "--device", "sim")
        if done.returncode or (not leaves and verdict not in done.stdout):
            return self.fail(name, "run", done)
        if leaves:
            file, begin = leaves
            path = self.folder / file
            if not path.is_file() or begin not in path.read_bytes():
                self.wrong.append(f"{name}: {file} is not what it should be")
        print(f"{name}: {text.count('{use:')} bubbles")

    def fail(self, name, what, done):
        self.wrong.append(f"{name}: {what} ended with {done.returncode}\n"
                          f"{done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        planner = Planner(sys.argv[1], folder)
        (folder / "open.mlir").write_text(OPEN_LINALG)
        (folder / "vectors.mlir").write_text(VECTORS)
        x86 = "x86-avx512" if "avx512f" in pathlib.Path(
            "/proc/cpuinfo").read_text() else "host"
        fast = ["cpu/tile-contractions", "cpu/vectorize-elementwise",
                "cpu/lower-to-llvm"]
        planner.check("tosa", DENSE, x86,
                      bubbles=["common/tosa-to-linalg", *fast])
        planner.check("open", "open.mlir", x86, bubbles=fast)
        planner.check("onnx-object", DIGITS, "aarch64-sve", "--emit", "object",
                      bubbles=fast, leaves=("model-to-aarch64-sve.o", b"\x7fELF"))
        planner.check("vectors", "vectors.mlir", "llvm", bubbles=fast[-1:],
                      leaves=("vectors-to-llvm.mlir", b"llvm.func @main"))
        # The oracle takes tensors, so that there is nothing to compare with.
        planner.check("vectors-run", "vectors.mlir", x86,
                      verdict=" 1 unverified")
        planner.check("onnx-cuda", DIGITS, "cuda-sm80",
                      bubbles=["gpu/tile-products", "gpu/lower-to-nvvm"])
        print("\n".join(planner.wrong))
        return 1 if planner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
