#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of functions and forms of names, by clang-tidy and .clang-tidy.

    check_tidy.py BUILD_DIR LLVM_VERSION          files that changed last
    check_tidy.py BUILD_DIR LLVM_VERSION --all    all files of engine/

Which files changed last, git knows; without it the test is skipped (77), as it
is without a clang-tidy of the LLVM version that the engine is built with."""
import concurrent.futures
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = "-*,readability-function-size,readability-identifier-naming"
# A file takes some 5 s: MLIR's headers are read again for each.
AT_ONCE, CHANGED_LAST = 2, 16
SKIPPED = 77


def changed_last():
    """Sources of the engine, those of the last commits first."""
    log = subprocess.run(
        ["git", "-C", ROOT, "log", "-n", "200", "--name-only", "--format=",
         "--diff-filter=d", "--", "engine/*.cpp"],
        capture_output=True, text=True, check=False)
    if log.returncode:
        return []
    names = dict.fromkeys(log.stdout.split())
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def commands(build):
    """(file, words that compile it) for all sources of the engine; those that
    are compiled several at a time share the words of their batch."""
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        words = shlex.split(entry["command"])
        flags = [word for word in words[1:words.index("-o")]
                 if not word.startswith("-Wno-") and word != "-Werror"]
        file = pathlib.Path(entry["file"])
        if ROOT / "engine" in file.parents:
            yield file, flags
        elif build / "engine" in file.parents:
            for line in file.read_text().splitlines():
                if line.startswith('#include "') and "/engine/" in line:
                    yield pathlib.Path(line.split('"')[1]), flags


def complaints(tidy, file, flags):
    done = subprocess.run(
        [tidy, "--quiet", f"--checks={CHECKS}", "--header-filter=engine/.*",
         str(file), "--", *flags], capture_output=True, text=True, check=False,
        cwd=ROOT)
    # What it says of itself, when it fails, goes to the standard error.
    return done.stdout + done.stderr if done.returncode else ""


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    tidy = shutil.which(f"clang-tidy-{sys.argv[2]}")
    if not tidy:
        print(f"skipped: there is no clang-tidy-{sys.argv[2]} here")
        return SKIPPED
    flags_of = dict(commands(build))
    if "--all" in sys.argv:
        files = sorted(flags_of)
    else:
        files = [f for f in changed_last() if f in flags_of][:CHANGED_LAST]
    if not files:
        print("skipped: git does not know what changed here")
        return SKIPPED
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(
            lambda file: complaints(tidy, file, flags_of[file]), files))
    print("".join(dict.fromkeys(found)))
    print(f"{len(files)} files of {len(flags_of)}, "
          f"{sum(map(bool, found))} with complaints")
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
