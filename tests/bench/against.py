#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures this tree beside an earlier commit: speed, and the code they emit.

    against.py BUILD_DIR COMMIT [--only NAME]... [--rounds N] [--threads 1|2]
    against.py BUILD_DIR COMMIT --objects       what they emit, compared

The commit is checked out and built in BUILD_DIR/against/. Speed: each of
peers.py's works is lowered by both trees, each with its own lh-run, schedules
and targets; two processes run them by turns, with the probes and the rules of
peers.py. Where a process's pages lie in memory can make it 5 % slower for as
long as it lives, so each pair of processes gives one ratio, the median over its
rounds of this tree's time by the commit's (below 1 this tree is faster), and
the result is the median over the pairs. Its interval holds 90 % of bootstrapped
medians. What is slower by more than 2 % with an interval that excludes 1 makes
the exit code 1; so does a wrong result.

Objects: every shipped manifest, pipeline and case of a model is compiled for
every target that it declares, to assembly, by both (of GPUs: the kernels);
what differs, or is made by one of them alone, is listed, and makes the exit
code 1."""
import argparse
import contextlib
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))
import code_of_ours  # noqa: E402  (its folder was only just named)
import peers  # noqa: E402
import works  # noqa: E402
import workers  # noqa: E402

ROOT = HERE.parents[1]
# Slower than this, and surely so, is a regression.
ALLOWED, DRAWS = 1.02, 2000
# Begins the names of files that are put beside shipped manifests for a while.
ASIDE = ".against-"


def parse_arguments():
    parser = peers.base_parser(__doc__, rounds=3)
    parser.add_argument("commit")
    parser.add_argument("--processes", type=int, default=7, metavar="N",
                        help="pairs of processes for each work")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    parser.add_argument("--target")
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def run(*words, **more):
    done = subprocess.run(words, text=True, capture_output=True, check=False,
                          **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


class Tree:
    """One side: a checkout and what is built of it."""

    def __init__(self, label, root, build):
        self.label, self.root, self.build = label, root, build

    def of(self, path):
        """This side's own copy of a file of the repository."""
        return self.root / path.relative_to(ROOT)

    def make(self):
        run("cmake", "-S", self.root, "-B", self.build, "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON")
        run("cmake", "--build", self.build, "--target", "lh-run",
            "peer-lighthouse")


def check_out(build, commit):
    """The commit's tree below the build folder, made once."""
    revision = run("git", "-C", ROOT, "rev-parse", "--verify",
                   f"{commit}^{{commit}}")
    folder = build.resolve() / "against" / revision[:12]
    source = folder / "source"
    if not source.exists():
        run("git", "-C", ROOT, "worktree", "prune")
        run("git", "-C", ROOT, "worktree", "add", "--detach", source, revision)
    # Inside the source, as this tree's own mostly is: ccache knows what it
    # compiled by paths relative to the source.
    return Tree(revision[:12], source, source / "build")


# Speed.

def lower(tree, payload, options, folder):
    """The payload and the file of its module, lowered by this side."""
    own = argparse.Namespace(
        **{**vars(options), "build": tree.build,
           "manifest": tree.root / "manifests" / "onnx-to-cpu.yaml"})
    if payload.manifest:
        payload = payload._replace(manifest=tree.of(payload.manifest))
    place = folder / tree.label
    place.mkdir(exist_ok=True)
    return payload, code_of_ours.lower(payload, own, place)


def start(stack, tree, lowered, words, options):
    """A process of this side's."""
    payload, module = lowered
    return stack.enter_context(workers.Worker(
        tree.build, "lighthouse", options.threads,
        [*words, f"label={payload.label}", f"module={module}",
         f"target={tree.root}/targets/{options.target}.yaml"]))


def interval(ratios):
    """The median, and where 90 % of the medians of resampled ratios lie."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios)))
                     for _ in range(DRAWS))
    return (statistics.median(ratios), medians[int(0.05 * DRAWS)],
            medians[int(0.95 * DRAWS)])


def ratio(before, after):
    """The median of after's time by before's, and the clean rounds."""
    pairs = list(zip(before.samples, after.samples))
    good = [pair for pair in pairs
            if all(peers.is_clean(each, before.worker.threads)
                   for each in pair)]
    return (statistics.median(a.seconds / b.seconds for b, a in good or pairs),
            len(good))


def compare(trees, payload, words, options, folder, complaints):
    """(median, low, high, clean rounds) of the last tree's time by the
    first's, over pairs of processes."""
    lowered = [lower(tree, payload, options, folder) for tree in trees]
    ratios, clean = [], 0
    for _ in range(options.processes):
        with contextlib.ExitStack() as stack:
            sides = [start(stack, *each, words, options)
                     for each in zip(trees, lowered)]
            complaints.update(text for side in sides
                              for text in side.complaints)
            before, after = (side.candidates[0] for side in sides)
            peers.sample_rounds([before, after], options)
            own, good = ratio(before, after)
            ratios.append(own)
            clean += good
    return (*interval(ratios), clean)


def measure(recipe, trees, options):
    """A row per payload, and what went wrong."""
    rows, complaints = [], set()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        work = recipe.make(folder)
        words = [work.kind, *works.save(folder, work),
                 f"threads={options.threads}", f"peak={work.peak}",
                 f"limit={work.limit}"]
        words += [f"{key}={value}" for key, value in work.options.items()]
        for payload in work.payloads:
            try:
                rows.append((f"{recipe.name} {payload.label}",
                             *compare(trees, payload, words, options, folder,
                                      complaints)))
            except (code_of_ours.Refused, workers.Died, IndexError) as error:
                complaints.add(str(error))
    return rows, [f"{recipe.name}: {text}" for text in sorted(complaints)]


def verdict(row):
    _, median, low, high, clean = row
    if median > ALLOWED and low > 1:
        word = "slower"
    else:
        word = "faster" if high < 1 else ""
    return word + ("" if clean else " (no clean round)")


def compare_speed(trees, options):
    print(workers.describe_machine(options.threads))
    print(f"| work | {trees[1].label} by {trees[0].label} | 90 % interval "
          "| clean rounds | |\n|---|---|---|---|---|", flush=True)
    everything, complaints = [], []
    for recipe in peers.chosen(options):
        rows, wrong = measure(recipe, trees, options)
        for row in rows:
            name, median, low, high, clean = row
            print(f"| {name} | {median:.3f} | {low:.3f} to {high:.3f} "
                  f"| {clean} | {verdict(row)} |", flush=True)
        everything += rows
        complaints += wrong
    print("\n".join(complaints))
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return bool(complaints) or any(
        verdict(row).startswith("slower") for row in everything)


# Objects.

def manifest_that_emits(manifest):
    """A shipped manifest whose paths end in an assembly file. Model files may
    be named relative to it, so it must stay in its folder's place."""
    declared = dict(code_of_ours.read_manifest(manifest))
    declared["bubbles"] = {
        name: {"emit": "assembly", "path": "code.s"} if "execute" in bubble
        else bubble for name, bubble in declared["bubbles"].items()}
    declared.pop("verify", None)
    return declared


def assembly_of(tree, manifest, choice, folder):
    """What the tree compiles one case to; None when it refuses."""
    path = tree.of(manifest).with_name(f"{ASIDE}{manifest.stem}.json")
    flags = [word for key, name in choice for word in (f"--{key}", name)]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        subprocess.run([tree.build / "lh-run", "run", path, *flags,
                        "--out", place], cwd=place, capture_output=True,
                       check=False)
        return next((found.read_bytes()
                     for found in sorted(pathlib.Path(place).rglob("code.s"))),
                    None)


def choices_of(declared):
    """Each pipeline on each target for each case of one model."""
    for pipeline in declared["pipelines"]:
        for target in declared["targets"]:
            for case, source in declared.get("cases", {}).items():
                if "onnx-test" not in source:
                    yield (("pipeline", pipeline), ("target", target),
                           ("case", case))


@contextlib.contextmanager
def placed(trees, manifest):
    """The manifest that emits, beside the shipped one of each tree."""
    paths = []
    try:
        for tree in trees:
            own = tree.of(manifest)
            paths.append(own.with_name(f"{ASIDE}{own.stem}.json"))
            paths[-1].write_text(json.dumps(manifest_that_emits(own)))
        yield
    finally:
        for path in paths:
            path.unlink()


def compare_objects(trees, options):
    same, differing = 0, []
    for manifest in sorted((ROOT / "manifests").glob("*.yaml")):
        if not trees[0].of(manifest).exists():
            continue
        declared = code_of_ours.read_manifest(trees[0].of(manifest))
        with placed(trees, manifest), tempfile.TemporaryDirectory() as folder:
            for choice in choices_of(declared):
                name = " ".join([manifest.stem, *(each for _, each in choice)])
                if options.only and not any(part in name
                                            for part in options.only):
                    continue
                before, after = (assembly_of(tree, manifest, choice, folder)
                                 for tree in trees)
                if before == after:
                    same += before is not None
                    continue
                differing.append(name)
                print(f"{name}: " + (
                    "differs" if before and after else
                    "only by " + trees[after is not None].label), flush=True)
    print(f"{same} the same, {len(differing)} not")
    return bool(differing) or not same


def main():
    options = parse_arguments()
    trees = [check_out(options.build, options.commit),
             Tree("this tree", ROOT, options.build.resolve())]
    for tree in trees:
        tree.make()
    compare_all = compare_objects if options.objects else compare_speed
    return 1 if compare_all(trees, options) else 0


if __name__ == "__main__":
    sys.exit(main())
