#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures nets that nobody has tuned for beside ONNX Runtime.

    sweep.py BUILD_DIR --ort DIR [--nets N] [--seed TEXT] [--profile]

Draws nets of common blocks (tests/support/nets/sampled.py), by default from the
hash of the last commit that changed a schedule; lowers each by `optimized`; runs
both by turns with the probes and the rules of peers.py; prints the time by ONNX
Runtime's, slowest first, with what each net has. ONNX Runtime's results are what
is expected: a net whose results are others makes the exit code 1, and so does
one that is refused. DIR: npm install --prefix DIR --ignore-scripts
onnxruntime-node."""
import contextlib
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
SUPPORT = HERE.parent / "support"
sys.path[:0] = [str(HERE / "peers"), str(SUPPORT)]
import code_of_ours  # noqa: E402  (its folder was only just named)
import peers  # noqa: E402
import workers  # noqa: E402
import works  # noqa: E402
from nets import sampled  # noqa: E402
from nets.net import Net, Normal  # noqa: E402

ROOT = HERE.parents[1]


def parse_arguments():
    parser = peers.base_parser(__doc__, rounds=5)
    parser.add_argument("--ort", type=pathlib.Path, metavar="DIR",
                        required=True)
    parser.add_argument("--nets", type=int, default=60, metavar="N")
    parser.add_argument("--seed", metavar="TEXT")
    parser.add_argument("--profile", action="store_true")
    parser.set_defaults(threads=1)
    options = parser.parse_args()
    options.seed = options.seed or subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%H", "--", "schedules"],
        text=True, capture_output=True, check=True).stdout.strip()
    return options


def make_nets(options, folder):
    """What each net has, by its name; its model is in a folder of that name."""
    made = {}
    for index in range(options.nets):
        name = f"net{index:02}"
        seed = int(hashlib.sha256(f"{options.seed} {index}".encode())
                   .hexdigest()[:15], 16)
        net = Net(name, 13, Normal(seed))
        made[name] = sampled.build(net, seed)
        net.save(folder / name)
    subprocess.run(
        ["node", SUPPORT / "make-ort-goldens.mjs", folder, folder / "expected",
         *made], check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "NODE_PATH": str(options.ort / "node_modules")})
    return made


def work_of(folder, name):
    (given,), (wanted,) = (
        sorted(place.glob("*.npy")) for place in
        (folder / name / "inputs", folder / "expected" / name / "outputs"))
    path = folder / name / "model.onnx"
    expected = numpy.load(wanted).astype(numpy.float64)
    return works.Work(
        name, "model", [works.Payload("lh-run", path)],
        [works.tensor("x", "f32", numpy.load(given))],
        [works.Tensor("y", "f32", expected, None)], 1, "fma", 1e-3,
        {"model": path, "fed": 1})


def compare(work, options, folder):
    """The median of the time by ONNX Runtime's, and both times."""
    words = [work.kind, *works.save(folder, work), "threads=1",
             f"peak={work.peak}", f"limit={work.limit}"]
    words += [f"{key}={value}" for key, value in work.options.items()]
    module = code_of_ours.lower(work.payloads[0], options, folder)
    ours = [*words, "label=lh-run", f"module={module}",
            f"target={ROOT}/targets/{options.target}.yaml"]
    theirs = [*words, *workers.options_of("onnxruntime", options)]
    with contextlib.ExitStack() as stack:
        sides = [stack.enter_context(
            workers.Worker(options.build, peer, 1, each))
            for peer, each in (("lighthouse", ours), ("onnxruntime", theirs))]
        wrong = [text for side in sides for text in side.complaints]
        if wrong:
            raise code_of_ours.Refused("; ".join(wrong))
        pair = [side.candidates[0] for side in sides]
        peers.sample_rounds(pair, options)
        good = [both for both in zip(*(each.samples for each in pair))
                if all(peers.is_clean(sample, 1) for sample in both)]
        times = [(a.seconds, b.seconds)
                 for a, b in good or zip(*(each.samples for each in pair))]
    return (statistics.median(a / b for a, b in times),
            *map(statistics.median, zip(*times)))


def slow_nodes(options, folder):
    """The nodes that take long for what they do, with their shares of the net's
    time and of the roofline."""
    record = folder / "profile.json"
    subprocess.run(
        [options.build / "lh-run", "profile",
         ROOT / "manifests" / "onnx-to-cpu.yaml", "--model",
         folder / "model.onnx", "--pipeline", options.pipeline, "--target",
         options.target, "--json", record],
        check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    profiles = json.loads(record.read_text(encoding="utf-8")).get("profiles")
    if not profiles:
        return ["not profiled: lh-run's own checks failed"]
    profile = profiles[0]
    return [f"{node['node']} ({node['strategy'] or node['kind']}) "
            f"{node['seconds'] / profile['seconds']:.0%} at "
            f"{node['of_roofline']:.0%}"
            for node in profile["nodes"]
            if node["seconds"] > 0.05 * profile["seconds"]
            and node.get("of_roofline", 1) < 0.25]


def print_slow_nodes(slow):
    print("\nOver 5 % of a net's time below 25 % of the roofline:")
    for name, nodes in slow.items():
        if nodes:
            print(f"- {name}: {', '.join(nodes)}")
    print(f"{sum(map(bool, slow.values()))} of {len(slow)} nets")


def main():
    options = parse_arguments()
    subprocess.run(["cmake", "--build", options.build, "--target", "lh-run",
                    "peer-lighthouse", "peer-onnxruntime"], check=True,
                   stdout=subprocess.DEVNULL)
    print(workers.describe_machine(1))
    print(f"{options.nets} nets from {options.seed}\n", flush=True)
    rows, complaints = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        made = make_nets(options, folder)
        for name, words in made.items():
            try:
                rows.append((*compare(work_of(folder, name), options,
                                      folder / name), name, words))
            except (code_of_ours.Refused, workers.Died) as error:
                complaints.append(f"{name}: {error}\n  {words}")
        slow = {name: slow_nodes(options, folder / name)
                for name in made if options.profile}
    print("| net | by ONNX Runtime | ours | ONNX Runtime | has |\n"
          "|---|---|---|---|---|")
    for ratio, ours, theirs, name, words in sorted(rows, reverse=True):
        print(f"| {name} | {ratio:.2f} | {ours * 1e3:.3f} ms "
              f"| {theirs * 1e3:.3f} ms | {words.replace('|', '/')} |")
    ratios = [row[0] for row in rows]
    print(f"\n{len(rows)} nets: median {statistics.median(ratios):.2f}, "
          f"{sum(ratio > 1 for ratio in ratios)} slower than ONNX Runtime, "
          f"{sum(ratio > 1.5 for ratio in ratios)} by more than half")
    if slow:
        print_slow_nodes(slow)
    print("\n".join(complaints))
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
