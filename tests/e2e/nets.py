#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of well-known shape against ONNX Runtime's outputs, and that zeroing a
weight tensor is noticed.

    nets.py LH_RUN NET [--dynamic] [--job NAME] (--all-weights | WEIGHT...)
    nets.py LH_RUN NET [--job NAME] --target TARGET --lengths BYTES...
    nets.py LH_RUN NET [--dynamic] [--job NAME] --kernel KERNEL

--dynamic: also with the sizes that the model leaves open left open.
--job: the manifest whose pipelines run, onnx-to-cpu if none is named.
--target: the job's first pipeline where code is emulated, with vectors of these
lengths.
--kernel: the job's first pipeline, whose products this kernel computes where it
can.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import (ROOT, SUPPORT, copy_manifest, narrow_sweep, parser_of,
                     require, require_ran, run_with_report, script)

# Of the max-norm for floats; integers are quantised values, and may differ by
# one where a float's last digit decides about the rounding.
LIMIT, INTEGER_LIMIT = 1e-4, 1


def golden_folder(folder, net, *flags):
    """A golden case: the model built now, the logits kept in golden/."""
    script("make-nets.py", net, folder, *flags)
    # A model that somebody has made there is another one, where flags are.
    shutil.copytree(ROOT / "golden" / net, folder, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("model.onnx", "inputs"))
    if flags:
        # The numbers are to be noticed, not that the model is another one.
        model = (pathlib.Path(folder) / "model.onnx").read_bytes()
        sidecar = pathlib.Path(folder) / "provenance.json"
        provenance = json.loads(sidecar.read_text())
        provenance["model_sha256"] = hashlib.sha256(model).hexdigest()
        sidecar.write_text(json.dumps(provenance))


def weights_of(net):
    listed = subprocess.run(["/usr/bin/python3", str(SUPPORT / "make-nets.py"),
                             net, "--list-weights"], check=True, text=True,
                            capture_output=True)
    return listed.stdout.split()


def run_case(lh_run, job, folder, *flags, shapes="case", target=None,
             lengths=(), kernel=None):
    """Runs the job's pipelines, once each, on one golden folder. The tolerance
    stands for no verdict here: the limits are what counts."""
    with tempfile.TemporaryDirectory() as own:
        path = copy_manifest(job, own)
        text = net_manifest(path.read_text(), job, folder, shapes)
        path.write_text(with_kernel(text, kernel) if kernel else text)
        if kernel:
            flags += ("--pipeline", pipelines_of(job)[0])
        if target:
            narrow_sweep(target, lengths, own)
            flags += ("--target", target, "--allow-exec",
                      "--pipeline", pipelines_of(job)[0])
        elif "--pipeline" not in flags:
            flags += tuple(f"--pipeline={name}"
                           for name in pipelines_of(job, shapes))
        return run_with_report(lh_run, path, "--keep-going", *flags)


def net_manifest(text, job, folder, shapes):
    """The job's text with the net as its only case."""
    text = text[:text.index("\ncases:")]
    for old, new in ((", repeat: 10}", "}"),
                     ("shapes: case", f"shapes: {shapes}")):
        # Simulated runs aren't repeated.
        require(old in text or "-to-cpu" not in job, f"{job} says '{old}'")
        text = text.replace(old, new)
    return text + f"""
cases:
  net: {{golden: {folder}}}
verify: {{against: [golden], atol: 1.0e-3, rtol: 0.0,
         dtypes: {{uint8: {{atol: {INTEGER_LIMIT}}}}}}}
"""


def with_kernel(text, kernel):
    """The job's text with a kernel for the optimized pipeline's products."""
    new, count = re.subn(r"(optimize: \{use: [^}]*)\}",
                         rf"\1, with: {{kernel: {kernel}}}}}", text)
    require(count == 1, "the job has one bubble 'optimize'")
    return new


def integer_outputs(folder):
    """Names of the outputs that hold integers."""
    paths = sorted((pathlib.Path(folder) / "outputs").glob("*.npy"))
    return {path.stem.split("-", 1)[1] for path in paths
            if b"'descr': '<f4'" not in path.read_bytes()[:128]}


def error_of(result, folder, printed):
    """The greatest error of all outputs as a share of what is allowed."""
    expected = list((pathlib.Path(folder) / "outputs").glob("*.npy"))
    require(len(result["outputs"]) == len(expected) > 0,
            f"{len(result['outputs'])} outputs were compared:\n{printed}")
    integers, shares = integer_outputs(folder), []
    for output in result["outputs"]:
        error = output["max_abs"]
        require(isinstance(error, float), f"the error is {error}:\n{printed}")
        allowed = (INTEGER_LIMIT if output["output"] in integers
                   else LIMIT * output["max_norm"])
        shares.append(error / allowed)
    return max(shares)


def pipelines_of(job, shapes="case"):
    """The pipelines' names, the one that matters first; not the upstream path
    where sizes are left open, which crash LLVM in some nets
    (docs/upstream/expand-dynamic-group.mlir), nor on GPUs."""
    text = (ROOT / "manifests" / f"{job}.yaml").read_text()
    block = text[text.index("\npipelines:"):text.index("\ncases:")]
    names = re.findall(r"^  (\w+):", block, re.M)
    upstream = shapes == "case" and job.endswith("-to-cpu")
    return [name for name in names if name != "upstream" or upstream]


def check_net(lh_run, job, net, folder, runs, **where):
    code, text, report = run_case(lh_run, job, folder, **where)
    print(text)
    require_ran(report)
    require(code == 0, f"{net}: exit code {code}")
    require(len(report["results"]) == runs, f"{runs} runs were to be")
    for result in report["results"]:
        key, share = result["key"], error_of(result, folder, text)
        print(f"{net} {key['pipeline']} {key['target']} {key['sweep']} {where}: "
              f"{share:.2%} of the error allowed, "
              f"{sum(result['seconds'].values()):.1f} s")
        require(share <= 1, f"{share} times the error allowed")


def check_emulated(lh_run, job, net, target, lengths):
    with tempfile.TemporaryDirectory() as folder:
        golden_folder(folder, net)
        check_net(lh_run, job, net, folder, runs=len(lengths), target=target,
                  lengths=lengths)


def check_kernel(lh_run, job, net, kernel, shapes):
    with tempfile.TemporaryDirectory() as folder:
        golden_folder(folder, net)
        for each in shapes:
            check_net(lh_run, job, net, folder, runs=1, shapes=each,
                      kernel=kernel)


def check_zeroed(lh_run, job, net, weight):
    """The error with this weight all zero, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        golden_folder(folder, net, "--zero-weight", weight)
        _, text, report = run_case(lh_run, job, folder, "--pipeline",
                                   pipelines_of(job)[0], "--jobs", 1)
        (result,) = report["results"]
        return error_of(result, folder, text)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("lh_run")
    parser.add_argument("net")
    parser.add_argument("weights", nargs="*", metavar="WEIGHT")
    parser.add_argument("--all-weights", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--job", default="onnx-to-cpu")
    parser.add_argument("--target")
    parser.add_argument("--lengths", type=int, nargs="+", metavar="BYTES")
    parser.add_argument("--kernel")
    options = parser.parse_intermixed_args()
    lh_run, job, net = options.lh_run, options.job, options.net
    if options.target:
        check_emulated(lh_run, job, net, options.target, options.lengths)
        return
    all_shapes = ("case", "declared")[:2 if options.dynamic else 1]
    if options.kernel:
        check_kernel(lh_run, job, net, options.kernel, all_shapes)
        return
    weights = weights_of(net)
    require(weights, f"{net} has no weights")
    zeroed = weights if options.all_weights else options.weights
    require(zeroed, "no weight is named")
    with tempfile.TemporaryDirectory() as top:
        golden_folder(top, net)
        for shapes in all_shapes:
            check_net(lh_run, job, net, top, len(pipelines_of(job, shapes)),
                      shapes=shapes)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        shares = pool.map(
            lambda name: check_zeroed(lh_run, job, net, name), zeroed)
        unnoticed = [f"'{name}' ({share:.2%} of the error allowed)"
                     for name, share in zip(zeroed, shares) if share <= 1]
    require(not unnoticed, f"zeroing goes unnoticed: {', '.join(unnoticed)}")
    print(f"zeroing any of {len(zeroed)} of {len(weights)} weights is noticed")


main()
