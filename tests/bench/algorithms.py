#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Races a convolution's algorithms: Winograd's beside the windows that a
product reads, over a ladder of shapes, both in turns on one core.

    algorithms.py LH_RUN [--target TARGET] [--seconds S] [--only NAME]

Prints the ratio of the medians, direct / winograd: above 1 Winograd is ahead.
The rules in schedules/cpu/choose.yaml follow it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE / "peers"))
import models  # pylint: disable=wrong-import-position

# Channels and filters, then pixels along a side.
LADDER = [(channels, size) for size in (56, 28, 14, 10, 8, 7, 6, 4)
          for channels in (8, 16, 24, 32, 64, 128, 256, 512)
          if channels * size <= 56 * 64 and channels * size >= 8 * 10]


def write_models(folder, only):
    """Convolutions as they are within nets: channels innermost, bias, ReLU."""
    for channels, size in LADDER:
        name = f"c{channels}x{size}"
        if only in (None, name[1:]):
            path = folder / f"{name}.onnx"
            models.convolution(3, channels, channels, size).save(path)
            yield name, path


def write_manifest(folder, only):
    text = (ROOT / "manifests" / "convnet-to-cpu.yaml").read_text()
    text = text.replace("../schedules", str(ROOT / "schedules"))
    for default, least in (("pixels:   {type: int, default: 8", 4),
                           ("channels: {type: int, default: 8", 1)):
        text = text.replace(default, f"{default[:-1]}{least}")
    cases = "".join(
        f"  {name}: {{generate: {{model: {model}, seed: 1}}}}\n"
        for name, model in write_models(folder, only))
    path = folder / "race.yaml"
    path.write_text(text[:text.index("\ncases:")] + f"""
cases:
{cases}
verify: {{against: [oracle], oracle: tolerance, atol: 1.0e-4, rtol: 1.0e-3}}
""")
    return path


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lh_run")
    parser.add_argument("--target", default="host")
    parser.add_argument("--seconds", default="3")
    parser.add_argument("--only", metavar="CHANNELSxPIXELS")
    return parser.parse_args()


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figures = folder / "figures.json"
        done = subprocess.run(
            [options.lh_run, "bench", write_manifest(folder, options.only),
             "--target",
             options.target, "--vs", "direct", "--time-limit",
             options.seconds, "--json", figures],
            text=True, capture_output=True, check=False)
        if not figures.exists():
            sys.exit(done.stdout + done.stderr)
        report = json.loads(figures.read_text())
    print("| channels x pixels | direct | winograd | direct / winograd |\n"
          "|---|---|---|---|")
    for case in report["bench"]["cases"]:
        rows = {row["pipeline"]: row for row in case["rows"]}
        times = [rows[each]["seconds"]["median"] * 1e6
                 for each in ("direct", "winograd")]
        ratio = rows["winograd"]["ratio"]
        print(f"| {case['case'][1:]} | {times[0]:.1f} us | "
              f"{times[1]:.1f} us | {ratio['median']:.2f} "
              f"({ratio['p05']:.2f} to {ratio['p95']:.2f}) |")


if __name__ == "__main__":
    main()
