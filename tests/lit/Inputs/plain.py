#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes text on; fails where it gives a terminal orders."""
import re
import sys

text = sys.stdin.buffer.read().decode()
found = re.search("[^\n\t -~\u00a0-\u200d\u2010-\u2027\u202f-\u2065"
                  "\u206a-\U0010ffff]", text)
sys.stdout.write(ascii(text[found.start():]) if found else text)
sys.exit(found is not None)
