#!/usr/bin/env python3
"""Runs a command in a terminal's stead: sends SIGINT once its standard error
or output says WORD, and reports the exit code and whether it ended soon."""
import pathlib
import signal
import subprocess
import sys
import time

SOON = 10  # seconds; an idle machine needs a few hundredths of one


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
begin = time.monotonic()
try:
    rest, _ = process.communicate(timeout=60)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("did not end")
print(rest, end="")
print("soon" if time.monotonic() - begin < SOON else "late")
print("exit code", process.returncode)
print("survivors", running(command))
