#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks gpu_bench.py: every kernel right on a simulated device, and what it
says of results that are wrong, of marks and of what it couldn't do.

    check_gpu_bench.py BUILD_DIR
"""
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).parent))
# pylint: disable=wrong-import-position
import numpy

import gpu_bench
import gpu_works

OPTIONS = types.SimpleNamespace(device="sim", rounds=1, minutes=60, only=[],
                                cublas="none")


def judged(work, target="cuda-sm90"):
    with tempfile.TemporaryDirectory() as folder:
        return gpu_bench.judge(work, target, gpu_bench.Place(BUILD), OPTIONS,
                               pathlib.Path(folder))


def small_product(kind="f16"):
    return gpu_works.product(kind, 17, 9, 33, numpy.random.default_rng(1))


class OnASimulatedDevice(unittest.TestCase):
    def test_every_kernel_is_right(self):
        everything, skipped = gpu_bench.run_all(
            OPTIONS, gpu_bench.Place(BUILD), 3)
        for figures in everything:
            self.assertIn(" right", gpu_bench.line(figures))
        self.assertEqual(9, len(everything))
        self.assertTrue(gpu_bench.summarize(everything, skipped))

    def test_one_wrong_number_is_seen(self):
        work = small_product()
        work.output.values[3, 4] += 1e-3 * numpy.abs(work.output.values).max()
        figures = judged(work)
        self.assertIn("WRONG", gpu_bench.line(figures))
        self.assertFalse(gpu_bench.summarize([figures], []))

    def test_the_device_that_is_not_there_is_told(self):
        real = types.SimpleNamespace(**{**vars(OPTIONS), "device": "real"})
        with mock.patch(f"{__name__}.OPTIONS", real), \
                mock.patch.dict("os.environ", {"LD_LIBRARY_PATH": ""}):
            figures = judged(small_product())
        if "not_done" not in figures:
            self.skipTest("there is a GPU here")
        self.assertIn("can't run here", figures["not_done"])
        self.assertFalse(gpu_bench.summarize([figures], []))


class Libraries(unittest.TestCase):
    """By a driver and a library that stand for NVIDIA's."""

    def started(self, work, check):
        folder = BUILD / "fake-driver"
        options = types.SimpleNamespace(
            cublas=str(folder / "liblh-fake-driver.so"))
        with tempfile.TemporaryDirectory() as name, \
                mock.patch.dict("os.environ", LD_LIBRARY_PATH=str(folder)), \
                gpu_bench.contextlib.ExitStack() as stack:
            name = pathlib.Path(name)
            inputs = list(gpu_works.save(name, work.inputs, "in"))
            words = ["threads=0", "peak=none", f"limit={work.limit}",
                     *gpu_works.save(name, [work.output], "out")]
            check(gpu_bench.start_library(
                work, options, stack, gpu_bench.Place(BUILD), inputs, words,
                name))

    def test_a_library_multiplies_by_rows_and_is_timed(self):
        def check(candidate):
            self.assertEqual([], candidate.worker.complaints)
            self.assertGreater(candidate.time(0.001).seconds, 0)
            candidate.check_again(1e-6)
            self.assertEqual([], candidate.worker.complaints)
        self.started(small_product("f32"), check)

    def test_a_copy_moves_all(self):
        work = gpu_works.row_work("softmax", 5, 7, numpy.random.default_rng(1))
        self.started(work, lambda candidate: self.assertEqual(
            (True, 0.0), (candidate.right, candidate.error)))

    def test_what_the_library_refuses_is_told(self):
        with self.assertRaisesRegex(gpu_bench.Refused, "cublasGemmEx fails"):
            self.started(small_product("f16"), self.fail)


class Figures(unittest.TestCase):
    def test_marks_are_reached_or_missed(self):
        figures = {"mark": 0.7, "ratio": 0.7}
        self.assertEqual("reached (70%)", gpu_bench.mark_text(figures))
        figures["ratio"] = 0.69
        self.assertEqual("MISSED (70%)", gpu_bench.mark_text(figures))
        self.assertEqual("no mark", gpu_bench.mark_text({"ratio": 1}))

    def test_a_ratio_is_of_turns_next_to_each_other(self):
        def candidate(*seconds):
            turns = iter(seconds)
            return types.SimpleNamespace(
                time=lambda _: types.SimpleNamespace(seconds=next(turns)),
                check_again=lambda _: None)
        options = types.SimpleNamespace(rounds=3)
        figures = gpu_bench.measure(
            small_product(), "cuda-sm90", candidate(2, 4, 8),
            candidate(1, 3, 2), options)
        self.assertEqual(0.5, figures["ratio"])
        self.assertEqual(4, figures["seconds"])

    def test_what_there_was_no_time_for_is_not_well(self):
        self.assertFalse(gpu_bench.summarize([], ["f16 8192x8192x8192"]))

    def test_models_are_what_onnx_reads(self):
        try:
            import onnx
        except ImportError:
            self.skipTest("there is no onnx package here")
        for kind in ("softmax", "layernorm"):
            model = onnx.load_from_string(gpu_bench.gpu_works.rows.model(
                kind, 300, 7))
            onnx.checker.check_model(model, full_check=True)


if __name__ == "__main__":
    unittest.main()
