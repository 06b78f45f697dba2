# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nets of make-nets.py, one file per family."""
