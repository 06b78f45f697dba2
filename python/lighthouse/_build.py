# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a library, by lh-run."""
import hashlib
import mmap
import os
import shutil
import subprocess
import tempfile

from ._library import Error, load

# Opset that both PyTorch 1.13 and 2.x export.
_OPSET = 16


class BuildError(RuntimeError):
    """lh-run could not build the library; the text is what it said."""


def _lh_run():
    found = os.environ.get("LH_RUN") or shutil.which("lh-run")
    if not found:
        raise BuildError("there is no lh-run in PATH; LH_RUN may name it")
    return found


def _cache_folder():
    named = os.environ.get("LIGHTHOUSE_PYTHON_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return named or os.path.join(base, "lighthouse", "python")


def _export(module, inputs, path):
    """A torch.nn.Module, or a graph of torch.fx, as ONNX."""
    import torch
    if inputs is None:
        raise BuildError("a torch module is compiled for example inputs: "
                         "compile(module, (x,))")
    given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    # Without gradients, 1.13 takes a short cut in transformers that has no ONNX.
    with torch.enable_grad():
        torch.onnx.export(module.eval(), tuple(given), path,
                          opset_version=_OPSET)


def _write_model(model, inputs, folder):
    """The path of the model's file, made in `folder` where it has none."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    path = os.path.join(folder, "net.onnx")
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, bytes):
        with open(path, "wb") as file:
            file.write(model)
    else:
        _export(model, inputs, path)
    return path


def _named_in(model, names):
    """Those of `names` whose bytes stand in the model's file."""
    if os.path.getsize(model) == 0:
        return []
    with open(model, "rb") as file, \
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return [name for name in names if content.find(os.fsencode(name)) >= 0]


def _key(model, words):
    """Of all that the library depends on."""
    digest = hashlib.sha256()
    lh_run = _lh_run()
    status = os.stat(os.path.realpath(lh_run))
    for word in [*words, lh_run, str(status.st_size), str(status.st_mtime_ns)]:
        digest.update(word.encode() + b"\0")
    with open(model, "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    # Files beside it that it names, as weights are, by their size and time.
    folder = os.path.dirname(os.path.abspath(model))
    for name in sorted(_named_in(model, os.listdir(folder))):
        beside = os.stat(os.path.join(folder, name))
        digest.update(f"{name} {beside.st_size} {beside.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def _words(target, pipeline, manifest, inputs):
    words = []
    for flag, value in [("--target", target), ("--pipeline", pipeline),
                        ("--manifest", manifest)]:
        if value is not None:
            words += [flag, os.fspath(value)]
    for each in inputs or []:
        words += ["--input", each]
    return words


def _build(model, words, folder):
    """Into a folder that others see once it is whole."""
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    made = tempfile.mkdtemp(dir=os.path.dirname(folder))
    command = [_lh_run(), "build", os.path.abspath(model), *words, "-o",
               os.path.join(made, "libnet.so"), "--json",
               os.path.join(made, "report.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not os.path.exists(
            os.path.join(made, "libnet.so")):
        shutil.rmtree(made, ignore_errors=True)
        raise BuildError((done.stderr + done.stdout).strip())
    try:
        os.rename(made, folder)
    except OSError:  # another process was first
        shutil.rmtree(made, ignore_errors=True)


def compile(model, example_inputs=None, target=None, pipeline=None,
            manifest=None, sizes=None):
    """A Net of `model`: a path to an ONNX or MLIR file, an ONNX model as bytes
    or as a protocol buffer, or a torch.nn.Module with `example_inputs`. The
    library is kept, and found again for the same model and choices.

    `target`, `pipeline`, `manifest`: as lh-run's flags. `sizes`: for open
    dimensions, the words of its --input. Raises BuildError with what lh-run
    said."""
    with tempfile.TemporaryDirectory() as scratch:
        path = _write_model(model, example_inputs, scratch)
        words = _words(target, pipeline, manifest, sizes)
        folder = os.path.join(_cache_folder(), _key(path, words))
        library = os.path.join(folder, "libnet.so")
        if not os.path.exists(library):
            _build(path, words, folder)
    try:
        return load(library)
    except Error:
        if target is not None:
            raise
        # A cache that another CPU has filled.
        shutil.rmtree(folder, ignore_errors=True)
        return compile(model, example_inputs, "host", pipeline, manifest, sizes)


def backend(graph, example_inputs):
    """For torch.compile(model, backend=lighthouse.backend)."""
    import torch
    net = compile(graph, example_inputs)

    def call(*inputs):
        results = net(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(torch.from_numpy(each) for each in results)
    return call
