#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Each name that umaple/kernel.h gives away is used by a test of it."""
import pathlib
import re
import sys

NAME = re.compile(r"\b((?:__)?(?:mtree|mt|mas|ma|xa|kmem|slab|gfp|gfpflags|MA|MT|MTREE|XA|GFP|SLAB|"
                  r"DEFINE)_\w*[a-zA-Z0-9])\b(?!_)")
headers = sorted(pathlib.Path("include/umaple").glob("kernel*.h"))
tests = "".join(path.read_text() for path in [*pathlib.Path("tests/api").glob("*kernel*"),
                                              *pathlib.Path("tests/fault").glob("*kernel*")])
used = set(re.findall(r"\w+", tests))
given = set()
for path in headers:
    code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    for line in code.splitlines():
        if not line.startswith("#include"):
            given.update(NAME.findall(line))
missing = sorted(given - used)
for name in missing:
    print(f"{name}: no test uses it")
if len(given) < 100:
    print(f"only {len(given)} names were read")
sys.exit(1 if missing or len(given) < 100 else 0)
