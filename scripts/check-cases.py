#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Each case of doc/known-cases.md has the tests it names, and they name the case."""
import pathlib
import re
import sys

bad = 0
page = pathlib.Path("doc/known-cases.md").read_text()
tests = {path.stem: path for path in sorted(pathlib.Path("tests").rglob("*.c"))}
listed = set()
for label, rest in re.findall(r"^\| ([TU]\d+b?) \|(.*)$", page, flags=re.M):
    if label in listed:
        print(f"{label}: listed twice")
        bad += 1
    listed.add(label)
    for stem, name in re.findall(r"`(test_\w+|torture_\w+) (\w+)`", rest):
        text = tests[stem].read_text() if stem in tests else ""
        if f"START_TEST({name})" not in text:
            print(f"{label}: no test {name} in {stem}.c")
            bad += 1
        if not re.search(rf"\b{label}\b", text):
            print(f"{label}: {stem}.c does not name it")
            bad += 1
for stem, path in tests.items():
    for label in set(re.findall(r"\b(?:Cases? |/\* |, |and )([TU]\d+b?)\b", path.read_text())):
        if label not in listed and path.parts[1] != "unit":
            print(f"{path}: names {label}, which is not in doc/known-cases.md")
            bad += 1
if len(listed) < 60:
    print(f"only {len(listed)} cases were read")
    bad += 1
sys.exit(1 if bad else 0)
