# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs commands in a folder of their own, and watches what they do: how they
end, how long they take, what they write where, and what they say."""
import os
import pathlib
import re
import resource
import shutil
import stat
import subprocess
import tempfile
import time

MEMORY = 8 << 30  # bytes of address space; MLIR itself maps about one GiB
PROCESSOR_SECONDS = 10  # of one process; a command takes a tenth of a second
SECONDS = 60      # by the clock, for what waits; the machine may be busy
DEPTH = "a/b/c/d/e/f"  # so many '..' end in the folder that is watched

# All but line ends and tabs; then what is one beyond ASCII.
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f"
                      "\u2028-\u202e\u2066-\u2069]")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU,
                       (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 1))


def listing(folder, but):
    """Everything in the folder, with what would show a change; `but` what lies
    in that one."""
    found = {}
    for path, folders, files in os.walk(folder):
        if pathlib.Path(path) == but:
            folders.clear()
            continue
        for name in folders + files:
            whole = os.path.join(path, name)
            info = os.lstat(whole)
            changes = () if stat.S_ISDIR(info.st_mode) else (
                info.st_size, info.st_mtime_ns)
            link = os.readlink(whole) if stat.S_ISLNK(info.st_mode) else ""
            found[whole] = (info.st_mode, link, *changes)
    return found


class Watched:
    """A folder with inputs in in/, a working folder, a temporary folder, and
    out/, where alone things may be written. All go when it is closed."""

    def __init__(self, base, environment):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=base))
        self.folder = self.root / DEPTH
        self.inputs, self.work, self.out, self.tmp = (
            self.folder / name for name in ("in", "work", "out", "tmp"))
        for folder in (self.inputs, self.work, self.out, self.tmp):
            folder.mkdir(parents=True)
        self.environment = {**environment, "TMPDIR": str(self.tmp),
                            "HOME": str(self.work)}
        self.ran, self.longest = [], 0

    def put(self, name, content):
        place = self.inputs / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def close(self):
        shutil.rmtree(self.root)

    def keep(self, folder):
        """For whoever looks into a fault."""
        shutil.copytree(self.folder, folder, symlinks=True, ignore=special)

    def run(self, words, inputs=1):
        """What is wrong with what the command did; empty if nothing."""
        words = [os.fsencode(word) if isinstance(word, (str, os.PathLike))
                 else word for word in words]
        self.ran.append(" ".join(map(repr, words)))
        before = listing(self.root, self.out)
        start = time.monotonic()
        try:
            done = subprocess.run(
                words, capture_output=True, cwd=self.work,
                stdin=subprocess.DEVNULL, env=self.environment,
                timeout=SECONDS + inputs, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return f"took longer than {SECONDS + inputs} s"
        finally:
            self.longest = max(self.longest, time.monotonic() - start)
        faults = [*ending(done), *spoken(done.stdout), *spoken(done.stderr)]
        after = listing(self.root, self.out)
        faults += [f"touched {path!r}" for path in before.keys() | after.keys()
                   if before.get(path) != after.get(path)]
        if faults:
            faults.append(repr(done.stderr[-1500:]))
        return "\n".join(faults)


def special(folder, names):
    """What can't be copied: a pipe would never end."""
    return [name for name in names if not stat.S_ISREG(
        mode := os.lstat(os.path.join(folder, name)).st_mode)
        and not stat.S_ISDIR(mode) and not stat.S_ISLNK(mode)]


def ending(done):
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode not in (0, 1, 2, 77):
        yield f"exit code {done.returncode}"
    elif done.returncode != 0 and not re.search(
            r"error: |failed|differ|skipped|unverified|usage", said):
        yield f"exit code {done.returncode} without a word"
    if "internal error" in said:
        yield "an internal error"


def spoken(output):
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        yield f"says what is no UTF-8: {error}"
        return
    if found := CONTROLS.search(text):
        around = text[max(0, found.start() - 60):found.end() + 20]
        yield f"says a control character: {around!r}"
