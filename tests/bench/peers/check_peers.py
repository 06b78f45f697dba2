#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what peers.py makes of its workers' answers, with workers that give
made-up ones. Needs none of the libraries."""
import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
# pylint: disable=wrong-import-position
import peers
import table
import workers
import works

FAKE = """#!/usr/bin/python3
import sys
start = {start!r}
print(start, flush=True)
for line in sys.stdin if "ready" in start else []:
    word = line.split()[0]
    print({time!r} if word == "time" else {check!r}, flush=True)
"""


def sample(seconds, before=100.0, after=100.0, preempted=0):
    return workers.Sample(seconds, before, after, preempted)


def candidate(name, *samples, threads=1):
    made = workers.Candidate(types.SimpleNamespace(threads=threads), 0, True,
                             name, 0.0)
    made.samples = list(samples)
    return made


def measure(start, time="sample 0.001 100 100 0", check="error 0"):
    """The figures of a work that one made-up library does."""
    with tempfile.TemporaryDirectory() as folder:
        program = workers.program(folder, "openblas")
        program.parent.mkdir()
        program.write_text(FAKE.format(start=start, time=time, check=check))
        program.chmod(0o755)
        options = types.SimpleNamespace(
            build=pathlib.Path(folder), threads=1, ours=False, ort=None,
            rounds=3, seconds=0.001)
        work = works.Work("w", "matmul", [], [], [], 1000, "fma", 0.1)
        return peers.measure(works.Recipe("w", (1,), lambda _: work), options)


class Answers(unittest.TestCase):
    def test_a_wrong_candidate_is_named_and_not_timed(self):
        figures = measure("candidate Good 0.01\nwrong Bad 0.5\nready")
        self.assertEqual(["Good"], [each["name"] for each
                                    in figures["candidates"]])
        self.assertEqual(["WRONG: Bad, error 0.5"], figures["complaints"])

    def test_what_turns_wrong_is_named(self):
        figures = measure("candidate Good 0.01\nready", check="error 0.2")
        self.assertIn("WRONG after it was timed: Good",
                      figures["complaints"][0])

    def test_nan_is_wrong(self):
        figures = measure("candidate Good 0.01\nready", check="error nan")
        self.assertIn("WRONG", figures["complaints"][0])

    def test_a_worker_that_can_not_start_is_named(self):
        self.assertEqual(["openblas: no library"],
                         measure("unusable no library\n")["complaints"])
        self.assertEqual(["openblas died while it started"],
                         measure("what?\n", time="")["complaints"][:1])

    def test_an_answer_that_is_none_ends_the_work(self):
        figures = measure("candidate Good 0.01\nready", time="oops")
        self.assertIn("openblas answers 'oops'", figures["complaints"][0])

    def test_the_speed_is_that_of_the_samples(self):
        (good,) = measure("candidate Good 0.01\nready")["candidates"]
        self.assertAlmostEqual(1e6, good["speed"])
        self.assertAlmostEqual(1e4, good["of_peak"])


class Figures(unittest.TestCase):
    def test_a_sample_between_unlike_probes_is_dropped(self):
        one = candidate("lh-run", sample(1, 100, 104), sample(2, 100, 106))
        self.assertEqual([1], [each.seconds for each in peers.clean(one)])

    def test_a_preempted_sample_counts_by_cpu_time_alone(self):
        preempted = sample(1, preempted=2)
        self.assertEqual(1, len(peers.clean(candidate("x", preempted))))
        self.assertEqual([], peers.clean(candidate("x", preempted, threads=2)))

    def test_a_ratio_is_of_rounds_in_which_both_are_clean(self):
        ours = candidate("lh-run", sample(2), sample(2), sample(2, 100, 150))
        other = candidate("x", sample(1), sample(9, 100, 150), sample(9))
        self.assertEqual((0.5, 1), peers.ratio(ours, other))

    def test_the_fastest_with_no_more_packing_is_compared_with(self):
        plain = candidate("lh-run", sample(2))
        packed = candidate("lh-run-prepacked", sample(2))
        others = [candidate("slow", sample(4)), candidate("fast", sample(3)),
                  candidate("fast-prepacked", sample(2)),
                  candidate("x-blocked", sample(1))]
        self.assertEqual((1.5, 1, "fast"), peers.best_ratio(plain, others))
        self.assertEqual((1, 1, "fast-prepacked"),
                         peers.best_ratio(packed, others))
        self.assertIsNone(peers.best_ratio(plain, [packed]))

    def test_a_ratio_without_a_clean_round_says_so(self):
        self.assertEqual("x | 0.50× (no clean round)",
                         table.comparison((0.5, 0, "x")))


if __name__ == "__main__":
    unittest.main()
