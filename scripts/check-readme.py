#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""The README's program is examples/01_hello_ranges.c, and its links lead somewhere."""
import pathlib
import re
import sys

bad = 0
example = pathlib.Path("examples/01_hello_ranges.c").read_text()
program = example[example.index("#include"):]
if f"```c\n{program}```" not in pathlib.Path("README.md").read_text():
    print("README.md does not quote examples/01_hello_ranges.c as it is")
    bad += 1
for page in [pathlib.Path("README.md"), *pathlib.Path("doc").rglob("*.md"),
             *pathlib.Path(".").glob("[cets]*/README.md"), pathlib.Path("lib/README.md")]:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not (page.parent / target).exists():
            print(f"{page}: link to {target}, which does not exist")
            bad += 1
sys.exit(1 if bad else 0)
