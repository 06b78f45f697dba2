# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds libraries of a small net with an open number of rows and uses them from
C (use_library.c): right numbers, wrong arguments, no allocations, threads; as a
shared library, a static one, with its weights beside it, and for other CPUs.

    deploy.py LH_RUN CC
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import support

HERE = pathlib.Path(__file__).resolve().parent
INNER, HIDDEN, OUTER = 6, 400, 4
# A machine without AVX-512 for what is built with it.
OLD_CPU = ["qemu-x86_64", "-cpu", "Haswell"]
UNSUPPORTED = 42


def make_net(path):
    """Its weights, in f64. Large enough not to be constants of the code."""
    random = numpy.random.default_rng(7)
    a = random.standard_normal((INNER, HIDDEN)).astype(numpy.float32)
    b = random.standard_normal((HIDDEN, OUTER)).astype(numpy.float32)
    shift = random.standard_normal(HIDDEN).astype(numpy.float32)
    nodes = [helper.make_node("MatMul", ["x", "a"], ["product"]),
             helper.make_node("Add", ["product", "shift"], ["shifted"]),
             helper.make_node("Relu", ["shifted"], ["hidden"]),
             helper.make_node("MatMul", ["hidden", "b"], ["y"])]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", INNER])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", OUTER])],
        [numpy_helper.from_array(a, "a"), numpy_helper.from_array(b, "b"),
         numpy_helper.from_array(shift, "shift")])
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return [each.astype(numpy.float64) for each in (a, shift, b)]


def expected(weights, x):
    a, shift, b = weights
    return numpy.maximum(x @ a + shift, 0) @ b


class Consumer:
    """The C program, linked with a library, and what starts it."""

    def __init__(self, folder, compiler, library, machine=()):
        self.folder, self.machine = folder, list(machine)
        self.program = folder / "use"
        file = library.stem.removeprefix("lib")
        name = file.replace("-", "_")
        link = [str(library)] if library.suffix == ".a" else [
            f"-L{folder}", f"-l{file}", f"-Wl,-rpath,{folder}"]
        compiled = subprocess.run(
            [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1",
             f"-DNET={name}", f'-DHEADER="{name}.h"', f"-I{folder}",
             str(HERE / "use_library.c"), *link, "-lm", "-lpthread", "-o",
             str(self.program)], capture_output=True, text=True, check=False)
        support.require(compiled.returncode == 0, compiled.stderr)

    def start(self, *words):
        return subprocess.run([*self.machine, str(self.program), *words],
                              capture_output=True, text=True, check=False,
                              timeout=600)

    def check(self, *words):
        done = self.start(*words)
        support.require(done.returncode == 0,
                        f"{words}: code {done.returncode}\n{done.stdout}"
                        f"{done.stderr}")

    def check_numbers(self, weights):
        random = numpy.random.default_rng(3)
        for rows in (1, 2, 7, 64):
            x = random.standard_normal((rows, INNER)).astype(numpy.float32)
            given, made = self.folder / "x.bin", self.folder / "y.bin"
            x.tofile(given)
            self.check(str(given), str(made), str(rows))
            y = numpy.fromfile(made, numpy.float32).reshape(rows, OUTER)
            wanted = expected(weights, x.astype(numpy.float64))
            error = numpy.abs(y - wanted).max()
            support.require(error < 1e-4, f"{rows} rows: off by {error}")

    def check_all(self, weights):
        self.check_numbers(weights)
        for words in ("--wrong", "--quiet", "--threads"):
            self.check(words)


def build(lh_run, folder, output, *flags):
    code, text = support.run(lh_run, "build", folder / "net.onnx", "-o",
                             folder / output, *flags)
    support.require(code == 0, f"lh-run build {flags}: code {code}\n{text}")
    support.require(f"wrote {folder / output}" in text, text)
    return folder / output


def check_beside(lh_run, folder, compiler, weights):
    """Weights in a file: found beside the library, missed, and mistaken."""
    library = build(lh_run, folder, "libapart.so", "--weights")
    consumer = Consumer(folder, compiler, library)
    consumer.check_all(weights)
    apart = folder / "apart.weights"
    kept = apart.read_bytes()
    apart.write_bytes(kept[:16] + b"?" + kept[17:])
    done = consumer.start("--quiet")
    support.require("isn't the file of weights" in done.stdout, done.stdout)
    apart.unlink()
    done = consumer.start("--quiet")
    support.require("No such file" in done.stdout, done.stdout)


def check_other_cpu(lh_run, folder, compiler):
    """Code for AVX-512 on a CPU without says so."""
    code, text = support.run(lh_run, "build", folder / "net.onnx", "--target",
                             "x86-avx512", "-o", folder / "libwide.so")
    if "this CPU lacks" in text or not shutil.which(OLD_CPU[0]):
        print("not tried here: code for AVX-512 on a CPU without")
        return
    support.require(code == 0, text)
    done = Consumer(folder, compiler, folder / "libwide.so",
                    OLD_CPU).start("--quiet")
    support.require(done.returncode == UNSUPPORTED and "avx512" in done.stdout,
                    f"code {done.returncode}: {done.stdout}{done.stderr}")


def check_foreign(lh_run, folder, target, cpu, weights):
    architecture = target.split("-")[0]
    compiler = f"{architecture}-linux-gnu-gcc"
    emulator = f"qemu-{architecture}"
    if not shutil.which(compiler) or not shutil.which(emulator):
        print(f"not tried here: {target}, for want of {compiler} or {emulator}")
        return
    library = build(lh_run, folder, f"lib{target}.so", "--target", target)
    Consumer(folder, compiler, library,
             [emulator, "-cpu", cpu, "-L", f"/usr/{architecture}-linux-gnu"]
             ).check_all(weights)


def main():
    parser = support.parser_of(__doc__)
    parser.add_argument("lh_run")
    parser.add_argument("compiler")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        weights = make_net(folder / "net.onnx")
        for output in ("libnet.so", "libstill.a"):
            library = build(options.lh_run, folder, output)
            Consumer(folder, options.compiler, library).check_all(weights)
        check_beside(options.lh_run, folder, options.compiler, weights)
        check_other_cpu(options.lh_run, folder, options.compiler)
        for target, cpu in (("aarch64-neon", "cortex-a72"),
                            ("aarch64-sve", "max,sve-default-vector-length=32"),
                            ("riscv64-rvv",
                             "rv64,v=true,vlen=128,elen=64,vext_spec=v1.0")):
            check_foreign(options.lh_run, folder, target, cpu, weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
