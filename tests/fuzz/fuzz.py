#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuzz.py LH_RUN [--seed N] [--inputs N]: damages valid inputs in repeatable
ways, names above all, and sees that lh-run always ends, with an exit code and
a word about it, writes nothing but what was asked for, and gives a terminal no
orders. What it stumbles over is kept in the folder fuzz-failures."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from mutate import damaged_bytes, damaged_text
from names import hostile, quoted, renamed_model, renamed_text
from protobuf import damaged_message
from watch import Watched

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests" / "lit" / "Inputs"
MATMUL = INPUTS / "matmul.mlir"
CORPUS = pathlib.Path("/usr/share/libonnx-testdata/data/node")
LARGEST_MODEL = 20_000
MODELS_AT_ONCE = 25
RECORDS_AT_ONCE = 5

MODELS = """\
lighthouse: 1
name: fuzz
targets: [host]
bubbles:
  import: {{ingress: onnx, model: "${{case.model}}"}}
  loops: {{use: lib:common/generalize}}
  bufferize: {{use: lib:common/bufferize}}
  lower: {{use: lib:cpu/lower-to-llvm}}
  run: {{execute: {{entry: main, repeat: 0}}}}
edges: [import -> loops -> bufferize -> lower -> run]
cases:
{cases}
pipelines:
  import: {{path: [import, loops]}}
  run: {{path: [import, loops, bufferize, lower, run]}}
"""

EMITS = b"""\
lighthouse: 1
name: emits
summary: writes files
params: {place: {type: string, default: a/b.mlir, doc: where it goes}}
targets: [host]
bubbles:
  import: {ingress: mlir, model: matmul.mlir}
  clean: {passes: "canonicalize"}
  write: {emit: mlir, path: "one/module.mlir"}
  again: {emit: mlir, path: "${params.place}"}
edges: [import -> clean -> write -> again]
pipelines: {short: {path: [import, write, again]}}
"""

FAILS = f"""\
lighthouse: 1
name: fails
targets: [host]
bubbles:
  import: {{ingress: mlir, model: {MATMUL}}}
  bad: {{passes: canonicalize, ensures: {{ops: {{none: [linalg.matmul]}}}}}}
edges: [import -> bad]
"""


def existing(*patterns):
    found = [path for folder, pattern in patterns
             for path in sorted(folder.glob(pattern))]
    return found or sys.exit(f"nothing to damage in {patterns}")


class Seeds:
    """Valid inputs. Some of them are made by lh-run itself."""

    def __init__(self, lh_run, folder, environment):
        golden = ROOT / "golden" / "digits-cnn"
        self.manifests = existing((ROOT / "manifests", "*.yaml"),
                                  (INPUTS, "matmul.yaml"))
        self.bubbles = existing((ROOT / "schedules", "*/*.yaml"))
        self.schedules = existing((ROOT / "schedules", "*/*.mlir"))
        self.payloads = existing((INPUTS, "*.mlir"),
                                 (ROOT / "golden", "*/*.mlir"))
        self.tensors = existing(
            (golden, "labels.npy"), (golden, "outputs/*.npy"),
            (CORPUS, "test_relu/*/*.pb"), (CORPUS, "test_cast_*/*/*.pb"))
        self.models = [model for model in existing(
            (golden, "*.onnx"), (CORPUS, "test_*/model.onnx"))
            if model.stat().st_size < LARGEST_MODEL]
        self.folder = folder
        run = [lh_run, "run", INPUTS / "matmul.yaml", "--pipeline", "plain",
               "--case", "one"]
        (folder / "fails.yaml").write_text(FAILS)
        for words in (
                [*run, "--json", folder / "run.json", "--snapshots",
                 folder / "modules"],
                [*run, "--cache", folder / "cache"],
                [lh_run, "bench", *run[2:], "--time-limit", "0", "--json",
                 folder / "bench.json", "--no-cache"],
                [lh_run, "run", folder / "fails.yaml", "--failures",
                 folder / "failures", "--no-cache"]):
            subprocess.run(words, env=environment, capture_output=True)
        (self.failure,) = existing((folder / "failures", "*"))


class Fuzzer:
    """One method for each kind of input: makes some, and gives the commands
    that read them, and how many they are."""

    def __init__(self, lh_run, seeds, escape):
        self.lh_run, self.seeds, self.escape = lh_run, seeds, escape

    def renamed(self, data, generator):
        return renamed_text(data, generator, self.escape)

    def damaged(self, data, generator):
        """A text with slips of the pen, or hostile names, or both."""
        hostility = generator.random()
        if hostility < 0.6:
            data = damaged_text(data, generator)
        return data if hostility < 0.4 else self.renamed(data, generator)

    def manifest(self, place, generator):
        if generator.random() < 0.4:
            source, text = MATMUL, EMITS
        else:
            source = generator.choice(self.seeds.manifests)
            text = source.read_bytes()
        for name in ("schedules", "targets", "golden"):
            (place.inputs / name).symlink_to(ROOT / name)
        file = place.put("manifests/damaged.yaml",
                         self.damaged(text, generator))
        (file.parent / "matmul.mlir").symlink_to(MATMUL)
        if text is EMITS:
            yield [["run", file, "--jobs", "1", "--out", place.out,
                    "--no-failures", "--step-timeout", "5", "--set",
                    b"place=" + hostile(generator, self.escape).replace(
                        b"\0", b"0").replace(b"../" * 1000, b"../../")]], 1
        else:
            yield [["check", file], generator.choice(
                [["list", file], ["ci", file, "-o", place.out / "jobs.json"],
                 ["run", file, "--dry-run", "--jobs", "1"],
                 ["graph", file, "--format", "mermaid", "-o", "-"]])], 1

    def bubble(self, place, generator):
        source = generator.choice(self.seeds.bubbles)
        file = place.put("damaged.yaml",
                         self.damaged(source.read_bytes(), generator))
        for sibling in source.parent.glob("*.mlir"):
            (file.parent / sibling.name).symlink_to(sibling)
        yield [["apply", file, MATMUL, "-o", place.out / "module"]], 1

    def schedule(self, place, generator):
        source = generator.choice(self.seeds.schedules)
        entry = re.search(r"named_sequence @(\w+)", source.read_text())[1]
        file = place.put("damaged.mlir",
                         self.damaged(source.read_bytes(), generator))
        yield [["apply", file, MATMUL, "--entry", entry, "-o",
                place.out / "module"]], 1

    def payload(self, place, generator):
        source = generator.choice(self.seeds.payloads)
        file = place.put("damaged.mlir",
                         self.damaged(source.read_bytes(), generator))
        yield [["apply", "canonicalize,cse", file, "-o",
                place.out / "module"]], 1

    def tensor(self, place, generator):
        source = generator.choice(self.seeds.tensors)
        data = source.read_bytes()
        choice = generator.random()
        if source.suffix == ".pb" and choice < 0.7:
            data = damaged_message(data, generator)
        elif source.suffix == ".npy" and choice < 0.4:
            head = data[:128]
            data = self.renamed(head, generator) + data[128:]
        else:
            data = damaged_bytes(data, generator)
        file = place.put("damaged" + source.suffix, data)
        yield [["compare", file, source]], 1

    def models(self, place, generator, change, pipeline):
        """Many models in one run: each is a case of its own."""
        cases = []
        for i in range(MODELS_AT_ONCE):
            source = generator.choice(self.seeds.models)
            place.put(f"{i}.onnx", change(source.read_bytes(), generator, i))
            cases.append(f"  c{i}: {{generate: {{model: {i}.onnx}}}}")
        file = place.put("models.yaml",
                         MODELS.format(cases="\n".join(cases)).encode())
        yield [["run", file, "--pipeline", pipeline, "--jobs", "1",
                "--keep-going", "--step-timeout", "10", "--out", place.out,
                "--snapshots", place.out / "modules"]], MODELS_AT_ONCE
        yield from self.crashes(place.out / "report.json")

    # Sizes that a model computes may be any number; what the run refuses to
    # allocate for it is an answer. Running out of memory otherwise is none.
    REFUSED = re.compile(r"compiled code asked for (\d+) bytes")

    @classmethod
    def crashes(cls, file):
        """Of workers, which lh-run survives."""
        report = json.loads(file.read_text()) if file.exists() else {}
        for result in report.get("results", ()):
            refused = cls.REFUSED.search(result["reason"])
            if refused and int(refused[1]) > 2 ** 40:
                continue
            if re.search("crashed|ended its process|out of memory|took longer"
                         "|without saying", result["reason"]):
                yield f"{result['key']['case']}: {result['reason']}"

    def damaged_models(self, place, generator):
        def change(model, generator, number):
            damage = damaged_message if number % 8 else damaged_bytes
            return damage(model, generator)
        yield from self.models(place, generator, change, "import")

    def renamed_models(self, place, generator):
        def change(model, generator, _):
            return renamed_model(model, generator, self.escape)
        yield from self.models(place, generator, change, "run")

    def recorded_models(self, place, generator):
        """A golden folder is made of the model."""
        source = generator.choice(self.seeds.models)
        place.put("0.onnx", renamed_model(source.read_bytes(), generator,
                                          self.escape))
        file = place.put("models.yaml", MODELS.format(
            cases="  c0: {generate: {model: 0.onnx}}").encode())
        yield [["record", file, "--case", "c0", "--pipeline", "run",
                "--against", "oracle", "--out", place.out / "golden"]], 1

    def records(self, place, generator):
        files = []
        for i in range(RECORDS_AT_ONCE):
            source = self.seeds.folder / generator.choice(
                ["run.json", "run.json", "bench.json"])
            files.append(place.put(f"records/{i}.json", self.damaged(
                source.read_bytes(), generator)))
        folder = files[0].parent
        yield [["report", *files, "-o", place.out / "page.html"],
               *(["report", file, "-o", place.out / f"{file.stem}.html"]
                 for file in files),
               ["coverage", INPUTS / "matmul.yaml", "--runs", folder],
               ["ci", INPUTS / "matmul.yaml", "--durations", folder],
               ["infer", "lib:common/generalize", "--runs", files[0]],
               ], RECORDS_AT_ONCE

    def reproducer(self, place, generator):
        """A failing step's folder, with one file damaged."""
        folder = place.inputs / "failure"
        shutil.copytree(self.seeds.failure, folder)
        file = generator.choice(["failure.json", "manifest.yaml"])
        place.put(folder / file, self.damaged(
            (folder / file).read_bytes(), generator))
        yield [["reduce", folder, "-o", place.out / "smaller", "--time-limit",
                "2"]], 1

    def cache(self, place, generator):
        """A cache, one to four of whose entries are damaged or replaced."""
        folder = place.out / "cache"
        shutil.copytree(self.seeds.folder / "cache", folder)
        victim = place.put("victim", b"not to be written\n" * 100)
        entries = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in generator.sample(entries, generator.randint(1, 4)):
            replace_entry(path, victim, generator)
        yield [["run", INPUTS / "matmul.yaml", "--pipeline", "plain", "--case",
                "one", "--jobs", "1", "--cache", folder, "--no-failures",
                "--json", place.out / "report.json"]], 1
        yield from self.crashes(place.out / "report.json")


def replace_entry(path, victim, generator):
    content = path.read_bytes()
    how = generator.choice(["damage", "damage", "damage", "link", "dangling",
                            "folder", "pipe", "empty", "unreadable"])
    if how == "unreadable":
        path.chmod(0)
        return
    path.unlink()
    if how == "damage":
        path.write_bytes(damaged_bytes(content, generator))
    elif how == "link":
        path.symlink_to(victim)
    elif how == "dangling":
        path.symlink_to(victim.parent / "new")
    elif how == "folder":
        path.mkdir()
    elif how == "pipe":
        os.mkfifo(path)
    else:
        path.touch()


# What share of the inputs each kind has.
SHARES = {"manifest": 22, "bubble": 6, "schedule": 8, "payload": 6,
          "tensor": 8, "damaged_models": 14, "renamed_models": 16,
          "recorded_models": 3, "records": 11, "reproducer": 3, "cache": 3}
INPUTS_OF_TRIAL = {"damaged_models": MODELS_AT_ONCE,
                   "renamed_models": MODELS_AT_ONCE, "records": RECORDS_AT_ONCE}


def trials(inputs):
    """Pairs of a kind and a number, the longest first."""
    for kind in sorted(SHARES, key=lambda kind: -INPUTS_OF_TRIAL.get(kind, 1)):
        count = inputs * SHARES[kind] / sum(SHARES.values())
        for number in range(max(1, round(
                count / INPUTS_OF_TRIAL.get(kind, 1)))):
            yield kind, number


class Session:
    def __init__(self, options, base):
        self.lh_run, self.seed = options.lh_run, options.seed
        self.base = base
        self.longest = 0, ""
        self.failures = pathlib.Path("fuzz-failures").resolve()
        shutil.rmtree(self.failures, ignore_errors=True)
        self.environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1",
                            "LIGHTHOUSE_CACHE": "off"}
        self.escape = base / "escape"
        made = base / "made"
        for folder in (self.escape, made):
            folder.mkdir()
        seeds = Seeds(self.lh_run, made, self.environment)
        self.fuzzer = Fuzzer(self.lh_run, seeds, self.escape)

    def run(self, trial):
        """How many inputs there were, and what went wrong with them."""
        kind, number = trial
        generator = random.Random(f"{self.seed}/{kind}/{number}")
        place = Watched(self.base, self.environment)
        wrong, inputs = [], 0
        for step in getattr(self.fuzzer, kind)(place, generator):
            if isinstance(step, str):
                wrong.append(step)
                continue
            commands, inputs = step
            for words in commands:
                if fault := place.run([self.lh_run, *words], inputs):
                    wrong.append(f"{place.ran[-1]}\n{fault}")
        if any(self.escape.iterdir()):
            wrong.append(f"wrote to {self.escape}")
        if wrong:
            place.keep(self.failures / f"{kind}-{number}")
            wrong.append(f"kept in {self.failures / f'{kind}-{number}'}")
        place.close()
        self.longest = max(self.longest, (place.longest, kind))
        return kind, inputs, "\n".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lh_run", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=SHARES, action="append")
    options = parser.parse_args()
    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        session = Session(options, pathlib.Path(folder).resolve())
        chosen = [trial for trial in trials(options.inputs)
                  if not options.only or trial[0] in options.only]
        for kind, inputs, fault in pool.map(session.run, chosen):
            counts[kind] += inputs
            if fault:
                wrong += 1
                print(f"--- {kind}\n{fault}\n", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    print(f"{sum(counts.values())} inputs, {wrong} trials went wrong; the "
          "longest command took {:.1f} s, of {} (seed {})".format(
              *session.longest, options.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
