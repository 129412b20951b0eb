#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""check_models.py MODEL VARIANT: let spin follow all states of one variant of a model.

VARIANT is a list of -D options, joined by commas; "broken" runs each fault that the
model can have built in, and expects that it is found. Exit 77: spin is not installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

DEPTH = 5_000_000  # steps; no variant of today's models goes as deep
ON_EMPTY, DEFERRED = "-DUNPARK=0", "-DUNPARK=1"

# The faults, and the variants in which each must be found.
EITHER = (ON_EMPTY, DEFERRED)
FAULTS = {
    "NO_AWAIT": (ON_EMPTY,),
    "LATE_AWAIT": (ON_EMPTY,),
    "EARLY_LOOK": (ON_EMPTY,),
    "PARK_EMPTY": (ON_EMPTY,),
    "READ_AGAIN": (ON_EMPTY,),
    "LAST_UNLOCKED": EITHER,
    "LATE_UNLINK": EITHER,
    "STORED_PUSH": EITHER,
    "NO_PRECHECK": EITHER,
    "BLIND_SHRINK": EITHER,
    "NO_WANT": (DEFERRED,),
    "EARLY_WANT": (DEFERRED,),
}


def explore(model, options, optimise="-O2"):
    """Return the first violated assertion or other error, or None; and what pan said."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["spin", "-a", *options, model], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cc", "-w", optimise, "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=4000",
                        "-o", "pan", "pan.c"], cwd=scratch, check=True)
        run = subprocess.run(["./pan", f"-m{DEPTH}", "-n"], cwd=scratch,
                             stdout=subprocess.PIPE, text=True, check=False)
    error = re.search(r"^pan:\d+: (.*) \(at depth", run.stdout, re.M)
    done = re.search(r"errors: 0$", run.stdout, re.M)
    whole = "max search depth too small" not in run.stdout and "Search not completed" not in run.stdout
    if error:
        return error.group(1), run.stdout
    return (None if done and whole else "the search was not completed"), run.stdout


def check_sound(model, options):
    error, output = explore(model, options)
    if error:
        sys.stdout.write(output)
        print(f"{model} {' '.join(options)}: {error}")
        return 1
    states = re.search(r"(\d+) states, stored", output)
    print(f"{model} {' '.join(options)}: {states.group(1)} states, no error")
    return 0


def check_broken(model):
    missed = 0
    source = open(model, encoding="ascii").read()
    built_in = set(re.findall(r"\bBREAK_(\w+)", source))
    if built_in != set(FAULTS):
        print(f"faults of {model} and of this test differ: {built_in ^ set(FAULTS)}")
        return 1
    for fault, variants in FAULTS.items():
        for variant in variants:
            error, _ = explore(model, [variant, f"-DBREAK_{fault}"], "-O0")
            found = error is not None and error.startswith("assertion violated")
            print(f"{fault} {variant}: {error if found else 'NOT FOUND: ' + str(error)}")
            missed += not found
    return 1 if missed else 0


def main():
    model, variant = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not shutil.which("spin"):
        print("spin is not installed")
        return 77
    if variant == "broken":
        return check_broken(model)
    return check_sound(model, variant.split(","))


if __name__ == "__main__":
    sys.exit(main())
