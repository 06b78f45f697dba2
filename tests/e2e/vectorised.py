#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much is vectorised is counted in the code that runs."""
import sys
import tempfile

from support import (ROOT, copy_manifest, require, require_ran, run_with_report,
                     script)

MODELS = ("transposed", "shuffle", "moved")


def arithmetic_by(report, part):
    """What was counted, by that part of the results' key."""
    counted = {}
    for result in report["results"]:
        if result["status"] != "not applicable":
            require(result["status"] in ("passed", "skipped"),
                    f"{result['key']}: {result['reason']}")
            counted.setdefault(result["key"][part], result["arithmetic"])
    require_ran(report)
    return counted


def require_share(counted, name, least, most):
    count = counted[name]
    share = count["vectorised_share"]
    print(f"{name}: {count['operations']:.0f} operations, {share:.1%} "
          f"vectorised, {count['instruction_share']:.1%} of instructions")
    require(not count["unknown_calls"], f"{name} calls unknown code")
    require(least <= share <= most,
            f"{name}: {share:.1%} is vectorised, not {least:.0%} to {most:.0%}")


def check_products(lh_run):
    _, _, report = run_with_report(
        lh_run, ROOT / "tests/e2e/vectorised/products.yaml")
    counted = arithmetic_by(report, "pipeline")
    products = 2 * 2 * 64 ** 3
    for name, count in counted.items():
        # Loops may be left twice: more than the products, but not by much.
        require(products <= count["operations"] <= 1.1 * products,
                f"{name}: {count['operations']} operations")
    # Half of the work, however wide this machine's vectors are.
    require_share(counted, "one", 0.45, 0.55)
    # Sums of four lanes fill a quarter of the widest registers.
    require_share(counted, "sums", 0.55, 1)
    require_share(counted, "neither", 0, 0.05)


def check_models(lh_run):
    with tempfile.TemporaryDirectory() as folder:
        script("make-vectorised-models.py", folder)
        path = copy_manifest("onnx-to-cpu", folder)
        text = path.read_text()
        text = text[:text.index("\ncases:")].replace(", repeat: 10}", "}")
        cases = "".join(
            f"  {name}: {{generate: {{model: {name}.onnx, seed: 1, inputs: "
            "{x: {shape: [1, 64, 14, 14], dist: normal}}}}\n"
            for name in MODELS)
        path.write_text(f"{text}\ncases:\n{cases}verify: {{against: [oracle]}}")
        _, _, report = run_with_report(
            lh_run, path, "--target", "host", "--pipeline", "optimized")
    counted = arithmetic_by(report, "case")
    # Whatever becomes of it, it is counted: 64 x 8 products of 9 taps.
    require(counted["transposed"]["operations"] >= 2 * 64 * 8 * 9 * 14 * 14,
            "the transposed convolution isn't counted")
    require_share(counted, "transposed", 0, 1)
    # Nothing is computed inside of the transposition, lane by lane.
    require_share(counted, "shuffle", 0.95, 1)
    require(counted["moved"]["operations"] == 0,
            f"addresses count: {counted['moved']}")
    said = {diagnostic["kind"]: diagnostic["message"]
            for step in report["steps"]
            for diagnostic in step.get("diagnostics", [])}
    require("'ConvTranspose0'" in said.get("ir-uncounted-ops", ""),
            f"the transposed convolution has no formula: {said}")
    loops = [diagnostic["message"] for step in report["steps"]
             for diagnostic in step.get("diagnostics", [])
             if step["bubble"].startswith("oracle/")]
    require(not any("plain loops" in message for message in loops),
            f"remarks are about the reference: {loops}")


check_products(sys.argv[1])
check_models(sys.argv[1])
