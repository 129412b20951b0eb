#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""umaple-bench keeps its contract: options, exit status, JSON that scripts read."""
import json
import subprocess
import sys

TOOL = sys.argv[1]
TREE_ROWS = ["load", "load_many", "dependent", "walk", "iterate", "step", "append",
             "build_random", "build_gaps", "erase_random", "overwrite", "overwrite_rcu",
             "gap_first", "gap_last", "mmap1", "reader"]
failures = 0


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)


def expect(condition, text):
    global failures
    if not condition:
        print(text)
        failures += 1


def refuses(*arguments):
    done = run(*arguments)
    expect(done.returncode == 2 and not done.stdout
           and done.stderr.startswith("umaple-bench: ") and done.stderr.count("\n") == 1,
           f"{arguments}: status {done.returncode}, stdout {done.stdout!r}, "
           f"stderr {done.stderr!r}")


def report(command, *arguments):
    done = run(command, "--json", *arguments)
    found = json.loads(done.stdout)
    expect(found["tool"] == "umaple-bench" and found["command"] == command
           and found["version"] and found["machine"]["cpus"] > 0, f"{command}: head")
    right = all(i["holds"] for i in found["identities"])
    expect(done.returncode == (0 if right else 1),
           f"{command}: status {done.returncode}, identities {right}")
    for identity in found["identities"]:
        # The equations of the cache's counters are the business of its own tests.
        if "=" in identity["name"] and "sheaf" not in identity["name"]:
            expect(identity["holds"], f"{command}: {identity}")
    return found


def check_tree():
    found = report("tree", "--n", "64", "300", "--seconds", "0.001", "--holes", "all")
    impls = {row["impl"] for row in found["rows"]}
    expect("umaple" in impls, "no row of umaple")
    for impl in impls:
        for n in (64, 300):
            names = [r["name"] for r in found["rows"] if r["impl"] == impl and r["n"] == n]
            expect(names == TREE_ROWS, f"{impl} {n}: {names}")
    for row in found["rows"]:
        expect(row["ns_per_op"] > 0 and row["ops_per_s"] > 0, f"{row}")
        if row["name"] in ("append", "build_random", "build_gaps"):
            expect(16 <= row["bytes_per_range"] <= 200, f"{row}")


def check_mmap1(level, *more):
    found = report("mmap1", "--level", level, "--threads", "3", "--seconds", "0.2", *more)
    tables = {table["name"]: table["rows"] for table in found["tables"]}
    statistics = {row["metric"]: row["after"] for row in tables["statistics"]}
    expect(statistics["sheaf_capacity"] == 32 and statistics["objs_per_slab"] == 64,
           f"{level}: {statistics}")
    expect(all(value >= 0 for value in statistics.values()), f"{level}: {statistics}")
    expect(len(tables["resident_bytes"]) == 11, f"{level}: resident_bytes")
    expect([row["metric"] for row in tables["published"]]
           == [row["metric"] for row in tables["per_iteration"]], f"{level}: figures")
    expect([row["name"] for row in found["rows"]] == ["mmap1"], f"{level}: rows")


for bad in ([], ["nothing"], ["tree", "--threads", "2"], ["tree", "--n"], ["tree", "--n", "1"],
            ["tree", "--n", "x"], ["tree", "--n", "-5"], ["tree", "--seconds", "0"],
            ["tree", "--seconds", "nan"], ["tree", "--holes", "some"], ["tree", "--seed"],
            ["mmap1", "--level", "kernel"], ["mmap1", "--barn-refill", "yes"],
            ["mmap1", "--park", "on"], ["mmap1", "--park"], ["tree", "--park", "never"],
            ["mmap1", "--threads", "0"],
            ["mmap1", "--threads", "99999999999999999999"], ["mmap1", "more"]):
    refuses(*bad)
expect(run("--help").returncode == 0 and "mmap1" in run("tree", "--help").stdout, "--help")
expect(run("--version").stdout.startswith("umaple-bench "), "--version")
with open("/dev/full", "w", encoding="ascii") as full:
    expect(subprocess.run([TOOL, "--help"], stdout=full, stderr=subprocess.PIPE,
                          check=False).returncode == 2, "output that cannot be written")
check_tree()
check_mmap1("cache")
check_mmap1("tree")
check_mmap1("cache", "--barn-refill", "off")
check_mmap1("tree", "--barn-refill", "off")
check_mmap1("cache", "--park", "always", "--unpark", "deferred", "--park-stack", "beside")
check_mmap1("cache", "--park", "always", "--park", "never", "--unpark", "at-once", "--park-stack", "apart")
sys.exit(1 if failures else 0)
