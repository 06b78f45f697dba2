#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form for CTest, run for real: a fault planted in one bubble turns those
jobs red that use it and no others, and git knows which they are."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from ci_support import ROOT, LhRun, require

sys.path.insert(0, str(ROOT / "tests" / "support"))
from product_payloads import product  # noqa: E402

lh_run, plugin = LhRun(sys.argv[1]), sys.argv[2]

MANIFEST = """
lighthouse: 1
name: {name}
targets: [host, elsewhere]
bubbles:
  import: {{ingress: mlir, model: "${{case.model}}"}}
  tidy: {{use: bubbles/tidy.yaml}}
  loops: {{use: "lib:common/generalize"}}
  buffers: {{use: "lib:common/bufferize"}}
  lower: {{use: "lib:cpu/lower-to-llvm"}}
  run: {{execute: main}}
edges:
  - import -> tidy -> loops -> buffers -> lower -> run
  - import -> loops
pipelines:
  tidied: {{path: [import, tidy, loops, buffers, lower, run]}}
  plain: {{path: [import, loops, buffers, lower, run]}}
cases: {{a: {{generate: {{model: m.mlir, seed: 1}}}}}}
verify: {{against: [oracle]}}
"""
# Jobs are strict: that it changes nothing has to be said.
BUBBLE = "lighthouse: 1\npasses: \"lh-test-fault{kind=%s}\"\n" \
         "optional: it is here to fail\n"
# Nothing here runs it, natively or otherwise.
ELSEWHERE = """
lighthouse: 1
backend: cpu
triple: riscv64-unknown-linux-gnu
cpu: generic-rv64
run: {native_on: riscv64}
labels: [linux, riscv]
"""
MANIFESTS = ["one.yaml", "two.yaml"]


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t",
                    *words], cwd=folder, check=True, capture_output=True)


def make(folder):
    (folder / "bubbles").mkdir()
    (folder / "bubbles" / "tidy.yaml").write_text(BUBBLE % "none")
    (folder / "m.mlir").write_text(product(5, 3, 7, "f32", "f32"))
    for name in MANIFESTS:
        text = MANIFEST.format(name=name.removesuffix(".yaml"))
        (folder / name).write_text(text)
    (folder / "lib" / "schedules").mkdir(parents=True)
    (folder / "lib" / "targets").mkdir()
    (folder / "lib" / "targets" / "elsewhere.yaml").write_text(ELSEWHERE)
    (folder / ".gitignore").write_text("lh-results/\ntests/\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")


def words():
    return ["--plugin", plugin, "--library", "lib", "--program", lh_run.path,
            *MANIFESTS]


def ctest(folder):
    """Each test's state: passed, failed, skipped or disabled."""
    shutil.rmtree(folder / "lh-results", ignore_errors=True)
    subprocess.run(["ctest", "--no-tests=error", "-j2",
                    "--output-junit", "junit.xml"],
                   cwd=folder / "tests", capture_output=True)
    states = {}
    suite = xml.etree.ElementTree.parse(folder / "tests" / "junit.xml")
    for test in suite.getroot().iter("testcase"):
        state = {"run": "passed", "fail": "failed", "notrun": "skipped",
                 "disabled": "disabled"}[test.get("status")]
        states[test.get("name")] = state
    return states


def names(jobs, keep=lambda job: True):
    return {job["name"] for job in jobs if keep(job)}


def check_faults(folder):
    jobs = lh_run.jobs(*words(), cwd=folder)
    require(len(jobs) == 8, f"{len(jobs)} jobs instead of 8")
    lh_run.run("ci", "--format", "ctest", "-o", "tests/CTestTestfile.cmake",
               *words(), cwd=folder)
    away = names(jobs, lambda j: j["target"] == "elsewhere")
    states = ctest(folder)
    wanted = {n: "skipped" if n in away else "passed" for n in names(jobs)}
    require(states == wanted, f"before the fault: {states}")
    require(not lh_run.jobs("--affected-by", "HEAD", *words(), cwd=folder),
            "without changes there are jobs")

    (folder / "bubbles" / "tidy.yaml").write_text(BUBBLE % "fail")
    hit = names(jobs, lambda j: j["pipeline"] == "tidied")
    affected = names(lh_run.jobs("--affected-by", "HEAD", *words(),
                                 cwd=folder))
    require(affected == hit, f"git says {affected}, not {hit}")
    states = ctest(folder)
    red = {name for name, state in states.items() if state == "failed"}
    require(red == hit - away, f"red are {red}, not {hit - away}")
    require(all(states[n] == "skipped" for n in away), "a skip became else")
    (folder / "bubbles" / "tidy.yaml").write_text(BUBBLE % "none")
    ctest(folder)


def check_runners(folder):
    """What no machine takes is a disabled test, never a pass."""
    done = lh_run.run("ci", "--format", "ctest", "-o",
                      "tests/CTestTestfile.cmake", "--runner", "box=linux,x86",
                      *words(), cwd=folder)
    require(done.stderr.count("skipped: ") == 4, done.stderr)
    require("no runner has the labels linux, riscv" in done.stderr,
            done.stderr)
    states = ctest(folder)
    require(sorted(states.values()) == 4 * ["disabled"] + 4 * ["passed"],
            f"with a runner: {states}")


def check_revisions(folder):
    (folder / "new.yaml").write_text("")
    require(not lh_run.jobs("--affected-by", "HEAD", *words(), cwd=folder),
            "a file that nothing uses affects jobs")
    done = lh_run.run("ci", "--affected-by", "--output=x", *words(),
                      cwd=folder, code=2)
    done = lh_run.run("ci", "--affected-by", "lost", *words(), cwd=folder,
                      code=2)
    require("[driver-unknown-revision]" in done.stderr, done.stderr)
    one = (folder / "one.yaml").read_text()
    (folder / "one.yaml").write_text(one + "# later\n")
    jobs = lh_run.jobs("--affected-by", "HEAD", *words(), cwd=folder)
    require({j["manifest_name"] for j in jobs} == {"one"} and len(jobs) == 4,
            "a manifest's change affects others")
    payload = (folder / "m.mlir").read_text()
    (folder / "m.mlir").write_text(payload + "// later\n")
    jobs = lh_run.jobs("--affected-by", "HEAD", *words(), cwd=folder)
    require(len(jobs) == 8, "a payload's change leaves jobs out")
    git(folder, "checkout", "-q", ".")


def check_durations(folder):
    records = [str(p) for p in sorted(folder.glob("lh-results/*/*.json"))]
    require(len(records) == 4, f"{len(records)} records of 4 jobs")
    known = ["--durations", "lh-results", *words()]
    jobs = lh_run.jobs(*known, cwd=folder)
    timed = [j for j in jobs if j["recorded"]]
    require(len(timed) == 4 and all(j["seconds"] > 0 for j in timed),
            "the records' times are not used")
    shards = [names(lh_run.jobs("--shard", f"{i}/3", *known, cwd=folder))
              for i in (1, 2, 3)]
    require(sum(map(len, shards)) == len(jobs)
            and set().union(*shards) == names(jobs),
            f"shards are no partition: {shards}")
    again = [names(lh_run.jobs("--shard", f"{i}/3", "--durations",
                               "lh-results", *words()[:-2], *MANIFESTS[::-1],
                               cwd=folder)) for i in (1, 2, 3)]
    require(again == shards, "the order of manifests moves jobs")
    budget = lh_run.run("ci", "--budget", "60", *known, cwd=folder)
    picked = json.loads(budget.stdout)["jobs"]
    require("see 12 of 12 edges" in budget.stderr, budget.stderr)
    require(0 < len(picked) < len(jobs), f"the budget picks {len(picked)}")
    none = lh_run.run("ci", "--budget", "0", "--format", "github", *known,
                      cwd=folder)
    require("[driver-no-jobs]" in none.stderr
            and len(json.loads(none.stdout)["include"]) == 1,
            "no jobs are no empty matrix")
    check_bad_records(folder, pathlib.Path(records[0]).read_text())


def check_bad_records(folder, text):
    bad = folder / "bad.json"
    for content, kind in ((text[:len(text) // 2], "report-bad-record"),
                          ("[1, 2]", "report-bad-record"),
                          ("", "report-bad-record"),
                          (text.replace('"schema": 1', '"schema": 7'),
                           "report-record-version")):
        bad.write_text(content)
        done = lh_run.run("ci", "--durations", "bad.json", *words(),
                          cwd=folder, code=2)
        require(f"[{kind}]" in done.stderr, f"{kind}: {done.stderr}")
    (folder / "empty").mkdir()
    done = lh_run.run("ci", "--durations", "empty", *words(), cwd=folder)
    require("[driver-bad-durations]" in done.stderr, done.stderr)
    for shard in ("0/3", "4/3", "x", "1/0", "1/99999999"):
        done = lh_run.run("ci", "--shard", shard, *words(), cwd=folder, code=2)
        require("[driver-bad-shard]" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder)
        check_faults(folder)
        check_runners(folder)
        check_durations(folder)
        check_revisions(folder)
    print("red are the jobs that use the faulty bubble")


main()
