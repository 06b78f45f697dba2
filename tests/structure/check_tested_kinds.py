#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counts as a test of a kind of diagnostic, and what doesn't."""
import pathlib
import sys
import tempfile

from tested_kinds import kinds_tested_in

KINDS = {"ABad": "a-bad"}
FILES = {
    # name: (text, whether it demands the kind)
    "check.cpp": ("  CHECK(sink.kind() ==\n        DiagKind::ABad);", True),
    "text.cpp": ('  CHECK_THAT(only(sink), Contains("[a-bad]"));', True),
    "helper.cpp": ('  checkRefused(model, "a-bad", "opset 99");', True),
    "made.cpp": ("  sink.error(DiagKind::ABad, {});\n  CHECK(true);", False),
    "comment.cpp": ("  // CHECK(DiagKind::ABad);\n  CHECK(true);", False),
    "check.test": ("RUN: x | FileCheck %s\nCHECK: error: no [a-bad]", True),
    "prefix.test": ("RUN: x | FileCheck %s --check-prefix=BAD\n"
                    "BAD-NEXT: [a-bad]", True),
    "no-prefix.test": ("RUN: x | FileCheck %s\nBAD: [a-bad]", False),
    "not.test": ("RUN: x | FileCheck %s\nCHECK-NOT: [a-bad]", False),
    "prose.test": ("Then it says a-bad.\nRUN: x 2>&1 | cat", False),
    "bad.yaml": ("# expect: a-bad 7:35\nlighthouse: 1", True),
    "script.py": ('require("[a-bad]" in text, text)', True),
    "said.py": ('KIND = "a-bad"\nprint("a-bad")', False),
}

wrong = []
for name, (text, demands) in FILES.items():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / name).write_text(text)
        if bool(kinds_tested_in(pathlib.Path(folder), KINDS)) != demands:
            wrong.append(f"{name}: {'' if demands else 'no '}test was meant")
print("\n".join(wrong) or f"{len(FILES)} forms are told apart")
sys.exit(1 if wrong else 0)
