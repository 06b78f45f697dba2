#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a pseudo terminal and says what a watcher would see."""
import os
import pty
import re
import sys

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
chunks = []
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:  # how Linux says that the other end is closed
        break
    if not data:
        break
    chunks.append(data)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
text = b"".join(chunks).decode().replace("\r\n", "\n")
updates = text.count("\r\x1b[K")
print("live updates:", "many" if updates > 5 else updates)
# What remains once each erased line is gone.
seen = re.sub(r"[^\n]*\r\x1b\[K", "", text)
print("lines left of them:", len(re.findall(r"^\[\d+/\d+\]", seen, re.M)))
print("colours:", "yes" if re.search(r"\x1b\[[0-9;]*m", text) else "no")
print("exit code", code)
print(seen)
