# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans on a Slurm cluster of three nodes on this machine (Debian's packages):
arrays by kind of machine, what is wrongly used, a search; with --faults, jobs
while nodes and processes die."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from support import ROOT, require

sys.path.insert(0, str(ROOT / "tests" / "support"))
import cluster as slurm  # noqa: E402

LH_RUN = str(pathlib.Path(sys.argv[1]).resolve())

MANIFEST = """lighthouse: 1
name: {name}
targets: [host, x86-avx2, x86-avx512, cuda-sm90]
bubbles:
  import: {{ingress: mlir, model: "${{case.model}}"}}
  loops: {{use: lib:common/generalize}}
  bufferize: {{use: lib:common/bufferize}}
  lower: {{use: lib:cpu/lower-to-llvm}}
  run: {{execute: main}}
edges: [import -> loops -> bufferize -> lower -> run]
cases:
{cases}
verify: {{against: [oracle]}}
"""
CASE = "  c{}: {{generate: {{model: matmul.mlir, seed: {}, sets: [drawn], " \
       "draws: 1}}}}"


def write_manifest(folder, count):
    (folder / "matmul.mlir").write_text(
        (ROOT / "tests/lit/Inputs/matmul.mlir").read_text())
    (folder / "m.yaml").write_text(MANIFEST.format(
        name="m", cases="\n".join(CASE.format(i, i + 1)
                                  for i in range(count))))


class Plan:
    def __init__(self, cluster, folder, *flags, kind="slurm"):
        self.cluster = cluster
        self.folder = folder
        self.plan = folder / "plan"
        self.call("ci", "m.yaml", "--format", kind, "-o", "plan", "--program",
                  LH_RUN, *flags)

    def call(self, *words, code=0):
        done = subprocess.run([LH_RUN, *words], cwd=self.folder, text=True,
                              capture_output=True,
                              env=self.cluster.environment)
        require(code is None or done.returncode == code,
                f"{words}: exit code {done.returncode}\n{done.stdout}"
                f"{done.stderr}")
        return done

    def submit(self, *flags):
        return subprocess.run(["sh", str(self.plan / "submit.sh"), *flags],
                              text=True, capture_output=True,
                              env=self.cluster.environment)

    def merge(self):
        self.call("merge", "--expect", "plan/plan.json", "plan/results",
                  "--json", "merged.json", code=None)
        return self.merged(self.folder / "merged.json")

    @staticmethod
    def merged(path):
        return json.loads(path.read_text())["summary"]


def check_arrays(cluster, folder):
    """Each kind of machine has an array, in parts where it is too long; what
    no node has is skipped; the merge runs by itself."""
    write_manifest(folder, 3)
    plan = Plan(cluster, folder, "--device", "real")
    tasks = sum(len(path.read_text().splitlines())
                for path in (plan.plan / "tasks").glob("any.jsonl"))
    require(tasks == 3, f"{tasks} tasks for any machine")
    done = plan.submit()
    require(done.returncode == 1, f"submitted: {done.stdout}{done.stderr}")
    require("cuda-sm90: not submitted: sbatch: error:" in done.stderr,
            done.stderr)
    require(done.stdout.count("any: array") == 2,
            f"with indices below 2, three tasks take two arrays: {done.stdout}")
    cluster.wait_for_jobs(120)
    summary = plan.merged(plan.plan / "merged.json")
    require(summary == {"passed": 9, "skipped": 3}, f"merged: {summary}")
    for name in ("index.html", "junit.xml", "summary.md"):
        require((plan.plan / name).stat().st_size > 0, f"no {name}")
    hosts = {json.loads(path.read_text())["host"]
             for path in (plan.plan / "results").glob("*avx512*/exit")}
    require(hosts <= {"w1", "w3"}, f"AVX-512 on {hosts}")
    # All is done: nothing is submitted again.
    done = plan.submit()
    require("array" not in done.stdout, done.stdout)
    print(f"arrays: {summary}")


def check_wrong_use(cluster, folder):
    """One clear message each, and nothing is lost."""
    write_manifest(folder, 1)
    plan = Plan(cluster, folder, "--target", "host")
    done = plan.submit("--partition=none")
    require(done.returncode == 1 and done.stderr.count("not submitted") == 1 and
            "invalid partition" in done.stderr, f"partition: {done.stderr}")
    text = plan.call("merge", "--expect", "plan/plan.json", "plan/results",
                     code=None).stdout
    require("missing: m c0" in text and "invalid partition" in text, text)
    tasks = plan.plan / "tasks" / "any.jsonl"
    whole = tasks.read_text()
    tasks.write_text(whole[:100])
    done = plan.submit()
    require(done.returncode == 2 and done.stderr.count("error:") == 1 and
            "[driver-bad-plan]" in done.stderr, f"damaged: {done.stderr}")
    tasks.write_text(whole)
    require(plan.submit().returncode == 0, "it goes on")
    cluster.wait_for_jobs(60)
    summary = plan.merged(plan.plan / "merged.json")
    require(summary == {"passed": 1}, f"after all: {summary}")
    print("wrong use: told, and nothing is lost")


def check_full_disk(cluster, folder):
    """A node that can't write says so; when it can, the job is done."""
    write_manifest(folder, 2)
    plan = Plan(cluster, folder, "--target", "host", kind="local")
    results = plan.plan / "results"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none",
                       str(results)], capture_output=True).returncode:
        print("skipped: no file system can be mounted here")
        sys.exit(77)
    try:
        done = plan.call("work", "plan", code=1)
        require(done.stderr.count("error:") == 1 and
                "[driver-cannot-work]" in done.stderr,
                f"full: {done.stdout}{done.stderr}")
    finally:
        subprocess.run(["umount", str(results)], check=True)
    plan.call("work", "plan")
    require(plan.merge() == {"passed": 2}, "after a full disk")
    print("full disk: told, and nothing is lost")


def check_search(cluster, folder):
    """Rounds as arrays; what they find is logged as of the nodes."""
    write_manifest(folder, 1)
    manifest = folder / "m.yaml"
    manifest.write_text(manifest.read_text().replace(
        "loops: {use: lib:common/generalize}",
        "operands: {use: lib:cpu/operands}\n  optimize: {use: lib:cpu/optimize}"
    ).replace("import -> loops -> bufferize -> lower -> run",
              "import -> operands -> optimize -> run").replace(
        "  bufferize: {use: lib:common/bufferize}\n", "").replace(
        "  lower: {use: lib:cpu/lower-to-llvm}\n", "").replace(
        "[host, x86-avx2, x86-avx512, cuda-sm90]", "[host]"))
    plan = Plan(cluster, folder, "--target", "host")
    done = plan.call("tune", "m.yaml", "--target", "host", "--trials", "4",
                     "--batch", "2", "--batches", "2", "--dispatch", "slurm")
    log = (folder / "tune-trials.jsonl").read_text().splitlines()
    hosts = {json.loads(line)["host"] for line in log}
    require(len(log) == 4, f"{len(log)} trials\n{done.stdout}{done.stderr}")
    require(hosts <= set(cluster.nodes()), f"logged of {hosts}")
    print(f"search: {len(log)} trials on {', '.join(sorted(hosts))}")


def check_faults(cluster, folder):
    """Forty jobs; a node loses its power, and an lh-run is killed."""
    write_manifest(folder, 40)
    plan = Plan(cluster, folder, "--target", "x86-avx2")
    require(plan.submit().returncode == 0, "submitted")
    results = plan.plan / "results"
    ended = lambda: len(list(results.glob("*/exit")))
    cluster.wait("some jobs", lambda: ended() >= 6)
    cluster.wait("jobs on two nodes", lambda: len(nodes_at_work()) >= 2)
    (_, process), (node, _) = sorted(nodes_at_work().items())[:2]
    os.kill(process, signal.SIGKILL)
    cluster.kill_node(node)
    print(f"killed an lh-run and node {node} with {ended()} of 40 done")
    deadline = time.monotonic() + 90
    while ended() < 39 and time.monotonic() < deadline:
        time.sleep(0.5)
    print(f"without it: {plan.merge()}")
    cluster.wait("its loss to be noticed", lambda: "down" in cluster.run(
        "sinfo", "-h", "-n", node, "-o", "%T"), 120)
    cluster.start_node(node)
    begin = time.monotonic()
    require(plan.submit().returncode == 0, "submitted again")
    cluster.wait("all jobs", lambda: ended() == 40)
    print(f"after resubmission: {plan.merge()} "
          f"in {time.monotonic() - begin:.0f} s")
    # The lost element comes back too, and finds nothing left to do.
    cluster.wait_for_jobs(400)
    require(plan.merge() == {"passed": 40}, "all")
    starts = [len([each for each in job.iterdir() if each.is_dir()])
              for job in results.iterdir()]
    print(f"starts: {sum(starts)} for 40 jobs; "
          f"{starts.count(2)} jobs had two")
    restarted = [log for log in (plan.plan / "log").glob("lh-*.log")
                 if "have ended" in log.read_text() and
                 "passed" not in log.read_text()]
    require(restarted, "no element ran again")
    print(f"{len(restarted)} requeued elements found their jobs done")


def nodes_at_work():
    """The nodes that run a job, and its process."""
    found = {}
    for process in calls_of("run"):
        try:
            words = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue
        for word in words.split(b"\0"):
            if word.startswith(b"SLURMD_NODENAME="):
                found[word.split(b"=")[1].decode()] = process
    return found


def calls_of(command):
    """The processes that are `lh-run COMMAND`, without their workers: the
    death of one is a result."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if words[:2] == [LH_RUN.encode(), command.encode()]:
            parents[int(folder.name)] = int(status[1])
    return [process for process, parent in parents.items()
            if parent not in parents]


def essence(merged):
    """What doesn't differ between runs."""
    return {job["name"]: (job["state"], [
        (result["key"], result["status"], result["code"],
         result.get("outputs")) for result in job["run"]["results"]])
        for job in json.loads(merged.read_text())["merged"]}


def check_many_faults(cluster, folder):
    """A thousand jobs; at a hundred random moments a process dies, five times
    with its node: the record is that of a run that nobody disturbed."""
    write_manifest(folder, 1000)
    calm = Plan(cluster, folder, "--target", "host", kind="local")
    calm.call("work", "plan", "-j", "2")
    require(calm.merge() == {"passed": 1000}, "undisturbed")
    reference = essence(folder / "merged.json")
    shutil.move(folder / "merged.json", folder / "calm.json")
    shutil.rmtree(folder / "plan")
    plan = Plan(cluster, folder, "--target", "host", "--durations",
                "calm.json")
    results = plan.plan / "results"
    moments = random.Random(7)
    kills = {"work": 0, "run": 0, "merge": 0, "node": 0}
    submitted = 0
    while sum(kills.values()) < 100:
        # What was lost with a node is held back for two minutes.
        if not calls_of("work"):
            require(plan.submit().returncode == 0, "submitted")
            submitted += 1
            time.sleep(2)
        time.sleep(moments.uniform(0, 1))
        kind = moments.choice(list(kills))
        if kind == "node" and kills["node"] < 5:
            node = moments.choice(cluster.nodes())
            cluster.kill_node(node)
            cluster.start_node(node)
            kills["node"] += 1
        elif kind == "merge" and kills["merge"] < 30:
            merging = subprocess.Popen(
                [LH_RUN, "merge", "--expect", "plan/plan.json", "plan/results",
                 "--json", "merged.json", "-o", "page.html"], cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0, 0.2))
            merging.kill()
            merging.wait()
            kills["merge"] += 1
        elif kind in ("work", "run"):
            victims = calls_of(kind)
            if victims:
                os.kill(moments.choice(victims), signal.SIGKILL)
                kills[kind] += 1
    print(f"killed: {kills}; {len(list(results.glob('*/exit')))} of 1000 jobs "
          f"done, {submitted} submissions")
    while len(list(results.glob("*/exit"))) < 1000:
        if not calls_of("work"):
            require(plan.submit().returncode == 0, "submitted")
            submitted += 1
        time.sleep(5)
    summary = plan.merge()
    require(summary == {"passed": 1000}, f"{summary}")
    require(essence(folder / "merged.json") == reference, "another record")
    starts = sum(len([each for each in job.iterdir() if each.is_dir()])
                 for job in results.iterdir())
    print(f"1000 of 1000 passed as in the undisturbed run, after {submitted} "
          f"submissions and {starts} starts")


def main():
    reason = slurm.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    checks, most = [check_arrays, check_wrong_use, check_search], 2
    if "--full-disk" in sys.argv:
        checks = [check_full_disk]
    if "--faults" in sys.argv:
        checks, most = [check_faults, check_many_faults], 1001
    with slurm.Cluster(most_elements=most) as cluster:
        for check in checks:
            with tempfile.TemporaryDirectory(prefix="lh-cluster-") as folder:
                check(cluster, pathlib.Path(folder))


main()
