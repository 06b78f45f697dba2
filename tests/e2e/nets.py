#!/usr/bin/env python3
"""SqueezeNet- and ResNet-50-shaped models against ONNX Runtime's logits, and
that zeroing a weight tensor is noticed.

Usage: nets.py LH_RUN NET [--weights N | --all-weights]
"""
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


def run_cases(folders, pipelines):
    """Runs the main job's pipelines on these golden folders."""
    flags = [word for name in pipelines for word in ("--pipeline", name)]
    cases = "".join(f"  {name}: {{golden: {folder}}}\n"
                    for name, folder in folders.items())
    main_job = (ROOT / "manifests" / "onnx-to-cpu.yaml").read_text()
    begin = main_job.index("\ncases:")
    end = main_job.index("\nverify:")
    text = main_job[:begin] + "\ncases:\n" + cases + \
        "verify: {against: [golden], atol: 1.0e-3, rtol: 0.0}\n"
    assert end > begin
    text = text.replace("../schedules", str(ROOT / "schedules"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "net.yaml"
        path.write_text(text)
        return run_with_report(lh_run, path, "--keep-going", *flags)


lh_run, net = sys.argv[1:3]
weights = weights_of(net)
require(weights, f"{net} has no weights")
if "--all-weights" in sys.argv:
    zeroed = weights
else:
    count = int(sys.argv[sys.argv.index("--weights") + 1])
    zeroed = weights[::max(1, len(weights) // count)][:count]

with tempfile.TemporaryDirectory() as top:
    good = pathlib.Path(top) / "good"
    golden_folder(good, net)
    code, text, report = run_cases({"good": good}, ["optimized", "plain"])
    print(text)
    require(code == 0, f"{net}: exit code {code}")
    require(len(report["results"]) == 2, "two pipelines ran")
    for result in report["results"]:
        (comparison,) = result["outputs"]
        error = comparison["max_abs"] / comparison["max_norm"]
        print(f"{net} {result['key']['pipeline']}: {error:.2e} of the max-norm")
        require(error <= LIMIT, f"{error} is more than {LIMIT}")

    for weight in zeroed:
        bad = pathlib.Path(top) / "bad"
        golden_folder(bad, net, "--zero-weight", weight)
        code, text, report = run_cases({"bad": bad}, ["optimized"])
        (result,) = report["results"]
        require(result["outputs"], f"{weight}: nothing compared:\n{text}")
        (comparison,) = result["outputs"]
        error = comparison["max_abs"] / comparison["max_norm"]
        require(result["status"] == "failed" and error > LIMIT,
                f"zeroing '{weight}' went unnoticed ({error:.2e})")
        shutil.rmtree(bad)
print(f"zeroing any of {len(zeroed)} of {len(weights)} weights is noticed")
