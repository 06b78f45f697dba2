#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command in a terminal's stead: sends SIGINT once its standard error
or output says WORD, and reports the exit code. The command hangs otherwise:
that it ends at all is what is seen."""
import pathlib
import signal
import subprocess
import sys


def running(words):
    """How many processes, workers included, still have this command line."""
    wanted = [word.encode() for word in words]
    count = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += path.read_bytes().split(b"\0")[:-1] == wanted
        except OSError:  # it ended meanwhile
            pass
    return count


word, command = sys.argv[1], sys.argv[2:]
process = subprocess.Popen(command, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
for line in process.stdout:
    print(line, end="")
    if word in line:
        break
else:
    sys.exit(f"never said '{word}'")
print("workers", running(command) > 1)
process.send_signal(signal.SIGINT)
rest, _ = process.communicate()
print(rest, end="")
print("exit code", process.returncode)
print("survivors", running(command))
