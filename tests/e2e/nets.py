#!/usr/bin/env python3
"""SqueezeNet- and ResNet-50-shaped models against ONNX Runtime's logits, and
that zeroing a weight tensor is noticed.

Usage: nets.py LH_RUN NET (--all-weights | WEIGHT...)
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from support import ROOT, SUPPORT, require, run_with_report, script

LIMIT = 1e-4  # of the max-norm


def golden_folder(folder, net, *flags):
    """A golden case: the model built now, the logits kept in golden/."""
    script("make-nets.py", net, folder, *flags)
    if flags:
        # Without the provenance: its model hash would be what is noticed.
        shutil.copytree(ROOT / "golden" / net / "outputs",
                        pathlib.Path(folder) / "outputs")
    else:
        shutil.copytree(ROOT / "golden" / net, folder, dirs_exist_ok=True)


def weights_of(net):
    listed = subprocess.run(["/usr/bin/python3", str(SUPPORT / "make-nets.py"),
                             net, "--list-weights"], check=True, text=True,
                            capture_output=True)
    return listed.stdout.split()


def run_case(lh_run, folder, *flags):
    """Runs the main job's pipelines, once each, on one golden folder. The
    tolerance stands for no verdict here: LIMIT is the one that counts."""
    text = (ROOT / "manifests" / "onnx-to-cpu.yaml").read_text()
    text = text[:text.index("\ncases:")].replace(
        "../schedules", str(ROOT / "schedules"))
    require(", repeat: 10}" in text, "the main job measures ten times")
    text = text.replace(", repeat: 10}", "}") + f"""
cases:
  net: {{golden: {folder}}}
verify: {{against: [golden], atol: 1.0e-3, rtol: 0.0}}
"""
    with tempfile.TemporaryDirectory() as own:
        path = pathlib.Path(own) / "net.yaml"
        path.write_text(text)
        return run_with_report(lh_run, path, "--keep-going", *flags)


def error_of(result, printed):
    """The greatest error, relative to the max-norm of what is expected."""
    require(len(result["outputs"]) == 1, f"nothing was compared:\n{printed}")
    (comparison,) = result["outputs"]
    require(isinstance(comparison["max_abs"], float),
            f"the error is {comparison['max_abs']}")
    return comparison["max_abs"] / comparison["max_norm"]


def check_net(lh_run, net, top):
    good = pathlib.Path(top) / "good"
    golden_folder(good, net)
    code, text, report = run_case(lh_run, good)
    print(text)
    require(code == 0, f"{net}: exit code {code}")
    require(len(report["results"]) == 2, "two pipelines ran")
    for result in report["results"]:
        error = error_of(result, text)
        print(f"{net} {result['key']['pipeline']}: {error:.2e} of the "
              f"max-norm, {sum(result['seconds'].values()):.1f} s")
        require(error <= LIMIT, f"{error} is more than {LIMIT}")


def check_zeroed(lh_run, net, weight):
    """The error with this weight all zero, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        golden_folder(folder, net, "--zero-weight", weight)
        _, text, report = run_case(lh_run, folder, "--pipeline", "optimized",
                                   "--jobs", 1)
        (result,) = report["results"]
        return error_of(result, text)


def main():
    lh_run, net = sys.argv[1:3]
    weights = weights_of(net)
    require(weights, f"{net} has no weights")
    zeroed = weights if sys.argv[3:] == ["--all-weights"] else sys.argv[3:]
    require(zeroed, "no weight is named")
    with tempfile.TemporaryDirectory() as top:
        check_net(lh_run, net, top)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = pool.map(lambda name: check_zeroed(lh_run, net, name), zeroed)
        unnoticed = [f"'{name}' ({error:.2e})"
                     for name, error in zip(zeroed, errors) if error <= LIMIT]
    require(not unnoticed, f"zeroing goes unnoticed: {', '.join(unnoticed)}")
    print(f"zeroing any of {len(zeroed)} of {len(weights)} weights is noticed")


main()
