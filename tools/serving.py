# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tool's program is told by lh-run, and answers (docs/tools.md).

    import serving
    serving.main(version, load)

`version()` returns the tool's version, and raises where it isn't installed.
`load(model, inputs, threads)` reads the model's file; it returns a function
that calls it once on `inputs`, which are NumPy arrays in the model's order, and
one that makes NumPy arrays of what the first has returned.
"""
import os
import sys

MODEL, INPUTS, OUTPUTS, THREADS = range(1, 5)

# BLAS libraries look at these when they are loaded.
if len(sys.argv) > THREADS:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = sys.argv[THREADS]


def _say(line):
    print("lh:", line, flush=True)


def _fail(error):
    text = " ".join(f"{type(error).__name__}: {error}".split())
    _say(f"failed {text}")


def _read_inputs(folder):
    import numpy  # not before the number of threads is set
    count = len([name for name in os.listdir(folder) if name.endswith(".npy")])
    return [numpy.load(f"{folder}/{i}.npy") for i in range(count)]


def _write(arrays, folder):
    import numpy
    for i, array in enumerate(arrays):
        numpy.save(f"{folder}/{i}.npy", numpy.ascontiguousarray(array)
                   .reshape(array.shape))


def _serve(load):
    call, as_arrays = load(sys.argv[MODEL], _read_inputs(sys.argv[INPUTS]),
                           int(sys.argv[THREADS]))
    _say("ready")
    results = None
    for line in sys.stdin:
        word, *count = line.split()
        if word == "run":
            for _ in range(int(count[0])):
                results = call()
        elif word == "write":
            _write(as_arrays(results), sys.argv[OUTPUTS])
        _say("done")


def main(version, load):
    if sys.argv[1:] == ["--version"]:
        try:
            print(version())
        except (ImportError, OSError, RuntimeError) as error:
            sys.exit(str(error))
        return
    try:
        _serve(load)
    # Whatever it is, it is told; lh-run says where.
    except Exception as error:  # pylint: disable=broad-except
        _fail(error)
