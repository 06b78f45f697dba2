#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated jobs: complete, of the form that each CI system publishes, and
harmless whatever the names in them are."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

from ci_support import MANIFESTS, ROOT, LhRun, require

lh_run = LhRun(sys.argv[1])
SCHEMAS = pathlib.Path(__file__).parent / "schemas"
DOCS = ROOT / "docs" / "ci"
GITHUB_MOST = 256
BUILDKITE_MOST = 500

# A name that YAML, JSON, shells, CMake and templates would each read something
# into.
HOSTILE = "a\"b'c\\d;e $(touch pwned) `touch pwned` $HOME {{ x }} %s # : - " \
          "[x](y) <b> | & ]] ]=] é\n- newline"
MANIFEST = """
lighthouse: 1
name: {name}
targets: [host, {device}]
bubbles:
  import: {{ingress: mlir, model: "${{case.model}}"}}
  out: {{emit: mlir, path: "-"}}
  run: {{execute: main}}
edges: [import -> out, import -> run]
pipelines: {{write: {{path: [import, out]}}, go: {{path: [import, run]}}}}
cases: {{one: {{generate: {{model: m.mlir}}}}}}
"""
DEVICE = """
lighthouse: 1
backend: cpu
run: {emulator: [qemu-aarch64]}
labels: [linux, "arm's; $(touch pwned)"]
"""


def valid(name, document):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    errors = [f"{list(e.absolute_path)}: {e.message[:200]}"
              for e in kind(schema).iter_errors(document)]
    require(not errors, f"{name}: {errors[:3]}")


def facts_of(path):
    """The facts of each target of a manifest."""
    facts, target = {}, None
    for line in lh_run.run("list", path, "--facts").stdout.splitlines():
        named = re.match(r"  (\S+) \(", line)
        fact = re.match(r"    (\w+) = (.*?)( \(\S+\))?$", line)
        if named:
            target = facts.setdefault(named[1], {})
        elif fact and target is not None:
            target[fact[1]] = yaml.safe_load(fact[2])
    return facts


def holds(condition, fact):
    if not isinstance(condition, dict):
        return fact == condition
    return (fact in condition.get("any", [fact])
            and fact >= condition.get("min", fact)
            and fact <= condition.get("max", fact))


def suits(manifest, pipeline, facts):
    """Whether each `when:` on the path holds for a target with these facts."""
    return all(holds(condition, facts[fact])
               for name in manifest["pipelines"][pipeline]["path"]
               for fact, condition
               in manifest["bubbles"][name].get("when", {}).items())


def check_cover(jobs):
    """Every shipped manifest x target x case x pipeline that suits the target,
    counted by hand."""
    wanted = set()
    for path in MANIFESTS:
        manifest = yaml.safe_load(path.read_text())
        facts = facts_of(path)
        for target in manifest["targets"]:
            for pipeline in manifest["pipelines"]:
                if not suits(manifest, pipeline, facts[target]):
                    continue
                for case in manifest.get("cases", {"": None}):
                    wanted.add((manifest["name"], target, pipeline, case))
    seen = [(j["manifest_name"], j["target"], j["pipeline"], j["case"])
            for j in jobs]
    require(set(seen) == wanted and len(seen) == len(wanted),
            f"not every combination has its job: {set(seen) ^ wanted}")


def github_workflow(matrix):
    workflow = yaml.safe_load((DOCS / "github.yml").read_text())
    workflow["jobs"]["run"]["strategy"]["matrix"] = matrix
    return workflow


def gitlab_document(text):
    """The child pipeline with the file that is included beside it."""
    document = yaml.safe_load(text)
    document.update(yaml.safe_load((DOCS / "gitlab-job.yml").read_text()))
    return document


def buildkite_steps(words, count):
    """The steps of all uploads that `count` jobs need, each of them valid."""
    uploads = -(-count // BUILDKITE_MOST)
    steps = []
    for i in range(uploads):
        shard = ["--shard", f"{i + 1}/{uploads}"] if uploads > 1 else []
        upload = yaml.safe_load(lh_run.ci("buildkite", *words, *shard))
        valid("buildkite", upload)
        steps += upload["steps"]
    return steps


def check_schemas(words, jobs):
    for name, schema in (("github.yml", "github-workflow"),
                         ("gitlab.yml", "gitlab-ci"),
                         ("gitlab-job.yml", "gitlab-ci"),
                         ("buildkite.yml", "buildkite")):
        valid(schema, yaml.safe_load((DOCS / name).read_text()))
    text = lh_run.ci("github", *words)
    require(text.count("\n") == 1, "GitHub's matrix is not on one line")
    matrix = json.loads(text)
    valid("github-workflow", github_workflow(matrix))
    gitlab = gitlab_document(lh_run.ci("gitlab", *words))
    valid("gitlab-ci", gitlab)
    steps = buildkite_steps(words, len(jobs))
    names = [k for k in gitlab if not k.startswith(".")]
    for what, count in (("GitLab", len(names)),
                        ("Buildkite", len(steps))):
        require(count == len(jobs), f"{what} has {count} of {len(jobs)} jobs")
    check_github(matrix["include"], jobs)


def check_strict(words):
    """In each form every job fails on what is doubtful, too."""
    words = [*words, "--shard", "1/4"]  # as many as Buildkite takes
    for form in ("json", "github", "gitlab", "buildkite", "ctest"):
        text = lh_run.ci(form, *words)
        count = len(lh_run.jobs(*words))
        require(text.count("--strict") == count > 0,
                f"{form}: {text.count('--strict')} of {count} jobs are strict")


def check_github(entries, jobs):
    """More jobs than a matrix may have share entries, each in one."""
    require(len(entries) == len(jobs) or len(jobs) > GITHUB_MOST,
            f"GitHub has {len(entries)} of {len(jobs)} jobs")
    require(len(entries) <= GITHUB_MOST, f"GitHub has {len(entries)} entries")
    for job in jobs:
        results = job["results"] + "/report.json"
        times = sum(entry["command"].count(results) for entry in entries)
        require(times == 1, f"GitHub runs '{job['name']}' {times} times")


def commands(words, cwd):
    """Each form's commands, as the system hands them to a shell."""
    github = json.loads(lh_run.ci("github", *words, cwd=cwd))
    yield "GitHub", [e["command"] for e in github["include"]]
    gitlab = yaml.safe_load(lh_run.ci("gitlab", *words, cwd=cwd))
    yield "GitLab", [v["script"][0] for k, v in gitlab.items()
                     if not k.startswith(".")]
    buildkite = yaml.safe_load(lh_run.ci("buildkite", *words, cwd=cwd))
    # The upload replaces $NAME and takes $$ for $.
    steps = [s["command"] for s in buildkite["steps"]]
    for step in steps:
        require("$" not in step.replace("$$", ""), "Buildkite would expand $")
    yield "Buildkite", [s.replace("$$", "$") for s in steps]


def check_hostile(folder):
    manifest = folder / "it's $(touch pwned); \"m\" {a}.yaml"
    manifest.write_text(MANIFEST.format(name=json.dumps(HOSTILE),
                                        device="evil"))
    (folder / "m.mlir").write_text("func.func @main() { return }\n")
    targets = folder / "lib" / "targets"
    targets.mkdir(parents=True)
    (folder / "lib" / "schedules").mkdir()
    (targets / "evil.yaml").write_text(DEVICE)
    echo = folder / "echo args"
    echo.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\" >> args\n")
    echo.chmod(0o755)
    words = [manifest.name, "--library", "lib", "--program", str(echo),
             "--results", "it's $(touch pwned)"]
    jobs = lh_run.jobs(*words, cwd=folder)
    require(len(jobs) == 4, f"{len(jobs)} jobs instead of 4")
    wanted = sorted(job["command"][1:] for job in jobs)
    for what, lines in commands(words, folder):
        require(sorted(ran(lines, folder)) == wanted,
                f"{what}: the shell runs something else")
    check_schemas_of(words, folder)
    check_ctest(words, folder, wanted)
    require(not list(folder.rglob("pwned")), "a name was run as a command")


def ran(lines, folder):
    """The words that each line hands to the program."""
    for line in lines:
        (folder / "args").unlink(missing_ok=True)
        subprocess.run(["sh", "-c", line], cwd=folder, check=True)
        yield (folder / "args").read_text().split("\0")[:-1]


def check_schemas_of(words, folder):
    text = lh_run.ci("github", *words, cwd=folder)
    valid("github-workflow", github_workflow(json.loads(text)))
    valid("gitlab-ci", gitlab_document(lh_run.ci("gitlab", *words,
                                                 cwd=folder)))
    valid("buildkite", yaml.safe_load(lh_run.ci("buildkite", *words,
                                                cwd=folder)))


def check_ctest(words, folder, wanted):
    lh_run.run("ci", "--format", "ctest", "-o", "t/CTestTestfile.cmake",
               *words, cwd=folder)
    (folder / "args").unlink(missing_ok=True)
    done = subprocess.run(["ctest", "--no-tests=error"], cwd=folder / "t",
                          capture_output=True, text=True)
    require(done.returncode == 0, f"CTest: {done.stdout}{done.stderr}")
    text = (folder / "args").read_text()
    flat = sorted(text.split("\0")[:-1])
    require(flat == sorted(w for words in wanted for w in words),
            "CTest runs something else")


def check_many(folder):
    """More jobs than a system takes."""
    cases = ", ".join(f"c{i}: {{generate: {{model: m.mlir}}}}"
                      for i in range(300))
    text = MANIFEST.format(name="many", device="host2").replace(
        "one: {generate: {model: m.mlir}}", cases)
    (folder / "many.yaml").write_text(text)
    (folder / "lib" / "targets" / "host2.yaml").write_text(
        "lighthouse: 1\nbackend: cpu\nlabels: [linux, big]\n")
    words = ["many.yaml", "--library", "lib"]
    jobs = lh_run.jobs(*words, cwd=folder)
    require(len(jobs) == 1200, f"{len(jobs)} jobs instead of 1200")
    matrix = json.loads(lh_run.ci("github", *words, cwd=folder))["include"]
    require(200 < len(matrix) <= 256, f"{len(matrix)} jobs for GitHub")
    calls = sum(e["command"].count("r lh-run run ") or 1 for e in matrix)
    require(calls == 1200, f"GitHub's jobs run {calls} of 1200")
    valid("github-workflow", github_workflow({"include": matrix}))
    done = lh_run.run("ci", "--format", "buildkite", *words, cwd=folder,
                      code=2)
    require("[driver-too-many-jobs]" in done.stderr, done.stderr)
    lh_run.run("ci", "--format", "buildkite", *words, "-o", "up/b.yml",
               cwd=folder)
    parts = sorted((folder / "up").iterdir())
    steps = [len(yaml.safe_load(p.read_text())["steps"]) for p in parts]
    require(sum(steps) == 1200 and max(steps) <= 500, f"uploads: {steps}")


def check_codes(folder):
    """A bundle's exit code: the worst, and 77 only when none could run."""
    program = folder / "codes"
    program.write_text("#!/bin/sh\nset -- $(cat plan)\n"
                       "echo \"$@\" | cut -d' ' -f2- > plan; exit $1\n")
    program.chmod(0o755)
    line = next(e["command"] for e in json.loads(lh_run.ci(
        "github", "many.yaml", "--library", "lib", "--program",
        "./codes", cwd=folder))["include"] if e["command"].startswith("s="))
    calls = line.count("r ./codes")
    for codes, wanted in (([0], 0), ([77], 77), ([0, 77], 0), ([77, 1, 0], 1),
                          ([2, 77], 2)):
        full = (codes + calls * [codes[-1]])[:max(calls, len(codes))]
        (folder / "plan").write_text(" ".join(map(str, full)))
        done = subprocess.run(["sh", "-c", line], cwd=folder)
        require(done.returncode == wanted,
                f"{full} came to {done.returncode}, not {wanted}")


def main():
    words = [os.path.relpath(m, ROOT) for m in MANIFESTS]
    os.chdir(ROOT)
    jobs = lh_run.jobs(*words)
    check_cover(jobs)
    check_schemas(words, jobs)
    check_strict(words)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_hostile(folder)
        check_many(folder)
        check_codes(folder)
    print(f"{len(jobs)} jobs in every form")


main()
