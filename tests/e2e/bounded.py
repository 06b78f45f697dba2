#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bounded.py LH_RUN: the work of `check` grows no faster than its input, and
what it says stays readable. Twice the input may take 2.8 times the processor
time, which is that of the child, not by the clock."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

MOST_GROWTH = 2.8
SLACK_SECONDS = 0.05
MOST_OUTPUT = 200_000
MOST_SECONDS = 20
MOST_ATTEMPTS = 8
HEAD = "lighthouse: 1\nname: m\ntargets: [host]\n"
PAYLOAD = ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
           "  return %x : tensor<4xf32>\n}\n")


def job(bubbles, edges, more=""):
    """A manifest that begins with importing the payload."""
    lines = [HEAD, "bubbles:",
             "  import: {ingress: mlir, model: payload.mlir}"]
    lines += [f"  {name}: {body}" for name, body in bubbles]
    lines += ["edges:"] + [f"  - {edge}" for edge in edges]
    return "\n".join(lines) + "\n" + more


def passes(text):
    return {"m.yaml": job([("a", f"{{passes: '{text}'}}")], ["import -> a"])}


def doubling(depth):
    """Files of which each uses the next twice."""
    files = {f"f{i}.yaml": "lighthouse: 1\nbubbles:\n"
                           f"  a: {{use: f{i + 1}.yaml}}\n"
                           f"  b: {{use: f{i + 1}.yaml}}\n"
                           "edges: [a -> b]\n" for i in range(depth)}
    files[f"f{depth}.yaml"] = "lighthouse: 1\npasses: cse\n"
    files["m.yaml"] = job([("a", "{use: f0.yaml}")], ["import -> a"])
    return files


def used(count):
    """Bubbles that each use one chain."""
    chain = "lighthouse: 1\nbubbles:\n" + "".join(
        f"  b{i}: {{passes: cse}}\n" for i in range(8))
    chain += "edges: [" + " -> ".join(f"b{i}" for i in range(8)) + "]\n"
    names = [f"u{i}" for i in range(count)]
    return {"chain.yaml": chain,
            "m.yaml": job([(name, "{use: chain.yaml}") for name in names],
                          ["import -> " + " -> ".join(names)])}


def duplicate_keys(count):
    keys = "".join(f"  n{i // 2}: {{passes: cse}}\n" for i in range(count))
    return {"m.yaml": HEAD + "bubbles:\n" + keys + "edges: []\n"}


def unknown_keys(count):
    keys = "".join(f"  no-such-key-{i}: 1\n" for i in range(count))
    return {"m.yaml": HEAD + "bubbles:\n  a:\n" + keys.replace("  no", "    no")
                      + "edges: []\n"}


def unknown_bubbles(count):
    known = [(f"bubble-{i}", "{passes: cse}") for i in range(200)]
    return {"m.yaml": job(known, [f"bubbel-{i} -> bobble-{i}"
                                  for i in range(count)])}


def undefined_parameters(count):
    params = "".join(f"  parameter-{i}: {{type: int, default: {i}}}\n"
                     for i in range(count))
    uses = " ".join(f"${{params.paramter-{i}}}" for i in range(count))
    return {"m.yaml": job([("a", f"{{passes: '{uses}'}}")], ["import -> a"],
                          "params:\n" + params)}


def unknown_bindings(count):
    params = "".join(f"  parameter-{i}: {{type: int, default: {i}}}\n"
                     for i in range(count))
    given = ", ".join(f"paramter-{i}: 1" for i in range(count))
    return {"f.yaml": "lighthouse: 1\npasses: cse\nparams:\n" + params,
            "m.yaml": job([("a", f"{{use: f.yaml, with: {{{given}}}}}")],
                          ["import -> a"])}


def long_value(size):
    text = "x" * size
    return {"m.yaml": job([("a", f"{{passes: cse, {text}: '{text}'}}")],
                          [f"import -> {text}"])}


def results(cases):
    """64 pipelines on so many cases."""
    names = [(i, j) for i in range(64) for j in range(5)]
    bubbles = [(f"b{i}-{j}", f"{{passes: 'canonicalize{{max-iterations="
                             f"{5 * i + j + 1}}}'}}") for i, j in names]
    edges = ["import -> " + " -> ".join(f"b{i}-{j}" for j in range(5))
             + " -> run" for i in range(64)]
    more = "cases:\n" + "".join(
        f"  c{i}: {{generate: {{model: payload.mlir, seed: {i}, "
        "sets: [drawn], draws: 1}}\n" for i in range(cases))
    return {"m.yaml": job(bubbles + [("run", "{execute: main}")], edges,
                          more + "verify: {against: [oracle]}\n")}


# Name, files by size, the smallest size, and the exit code.
WORKS = [
    ("pass strings that are nested",
     lambda n: passes("func.func(" * n + "cse" + ")" * n), 50_000, 2),
    ("pass strings that are long",
     lambda n: passes(",".join(["func.func(cse)"] * n)), 10_000, 0),
    ("use, each file twice", doubling, 14, 2),
    ("use", used, 240, 0),
    ("duplicate keys", duplicate_keys, 8_000, 2),
    ("unknown keys", unknown_keys, 8_000, 2),
    ("unknown bubbles", unknown_bubbles, 4_000, 2),
    ("undefined parameters", undefined_parameters, 2_000, 2),
    ("unknown bindings", unknown_bindings, 2_000, 2),
    ("long values", long_value, 250_000, 2),
    ("cases x pipelines", results, 25, 0),
]


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def measure(lh_run, files, code):
    """Processor time of `check`, and the size of what it says."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"payload.mlir": PAYLOAD, **files}.items():
            pathlib.Path(folder, name).write_text(text)
        process = subprocess.Popen([lh_run, "check", "m.yaml"], cwd=folder,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT,
                                   preexec_fn=limit_time)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != code:
            raise ValueError(f"exit code {process.returncode}, not {code}: "
                             f"{output[:2000]}")
        return usage.ru_utime + usage.ru_stime, len(output)


def check(lh_run, name, make, smallest, code):
    """What is wrong with how this work grows; empty if nothing."""
    try:
        return check_growth(lh_run, name, make, smallest, code)
    except ValueError as error:
        return f"{name}: {error}"


def grows_faster(seconds):
    return any(after > MOST_GROWTH * before + SLACK_SECONDS
               for before, after in zip(seconds, seconds[1:]))


def check_growth(lh_run, name, make, smallest, code):
    sizes = [smallest, 2 * smallest, 4 * smallest]
    seconds = [MOST_SECONDS] * len(sizes)
    # Other guests of a machine slow single runs down, but not all of them.
    for attempt in range(MOST_ATTEMPTS):
        for i, size in enumerate(sizes):
            time, length = measure(lh_run, make(size), code)
            seconds[i] = min(seconds[i], time)
            if length > MOST_OUTPUT:
                return f"{name}: {length} bytes of output at {size}"
        if attempt > 0 and not grows_faster(seconds):
            break
    text = ", ".join(f"{size}: {time:.2f} s"
                     for size, time in zip(sizes, seconds))
    print(f"{name}: {text}")
    grows = grows_faster(seconds)
    return f"{name} grows faster than its input: {text}" if grows else ""


def main():
    lh_run = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = [text for work in WORKS if (text := check(lh_run, *work))]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
