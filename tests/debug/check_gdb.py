#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""check_gdb.py SAMPLE PRINTERS SHOW DAMAGE: do the pretty printers tell the truth?

SHOW and DAMAGE are transcripts: "(gdb) COMMAND", then what it prints, where ADDR
is any address, ANY any text, and a line "..." any lines. SHOW is replayed on the running sample
program and on a core file of it; DAMAGE, which writes nonsense over trees and
caches, on the program only. Beside that, what is printed of the deep tree is
compared with its dump, and counters with the library's own.

Skipped without gdb, without Python in it, or where it may not trace.
"""
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUNNER = """
import gdb

def run(command):
    print("@@ " + command)
    try:
        gdb.execute(command)
    except gdb.error as error:
        print(error)
"""
SETTINGS = ("set width 0", "set height 0", "set confirm off",
            "set debuginfod enabled off", "set print elements 200")
WALKS = (0, 9, 10, 12345, 59989, 59990, 2**64 - 1)


def gdb(arguments, commands, timeout=60):
    """Run commands; the output of each, and of what came before the first."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(RUNNER)
        script.writelines(f"run({command!r})\n" for command in commands)
        script.flush()
        result = subprocess.run(
            ["gdb", "--batch", "-nx", "-x", script.name, *arguments], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=timeout, check=False)
    outputs = re.split(r"^@@ .*\n", result.stdout, flags=re.M)[1:]
    for command, output in zip(commands, outputs):
        if "Traceback" in output or "Python Exception" in output:
            sys.exit(f"Python failed: (gdb) {command}\n{output}")
    if len(outputs) != len(commands):
        sys.exit(f"gdb ended after {len(outputs)} commands:\n"
                 f"{result.stdout[-2000:]}")
    return outputs


def reason_to_skip():
    """Why gdb cannot be used here, or nothing."""
    if not shutil.which("gdb"):
        return "gdb is not installed"
    true = shutil.which("true")
    printed, started = gdb([true], ["python print('Py' + 'thon')", "starti"])
    if printed != "Python\n":
        return "gdb has no Python"
    return None if "Program stopped" in started else f"no tracing: {started}"


def parse(transcript):
    """Each command with the lines that it is to print."""
    steps = []
    for line in pathlib.Path(transcript).read_text().splitlines():
        if line.startswith("(gdb) "):
            steps.append((line.removeprefix("(gdb) "), []))
        elif line and not line.startswith("#"):
            steps[-1][1].append(line)
    return steps


def pattern_of(lines):
    """A regular expression for lines that are expected."""
    pattern = "".join(re.escape(line) + r"\n" for line in lines)
    for word, meaning in ((re.escape("...") + r"\n", r"(?:.*\n)*?"),
                          ("ADDR", "0x[0-9a-f]+"), ("ANY", ".*")):
        pattern = pattern.replace(word, meaning)
    return pattern


def check_transcript(name, steps, outputs):
    """Each command printed what it should; the number of a value does not count."""
    bad = 0
    for (command, lines), output in zip(steps, outputs):
        output = re.sub(r"^\$\d+ = ", "", output, flags=re.M)
        if not re.fullmatch(pattern_of(lines), output):
            wanted = "\n".join(lines)
            print(f"{name}: (gdb) {command}\n{output}-- is not\n{wanted}\n")
            bad += 1
    print(f"{name}: {len(steps) - bad} of {len(steps)} right")
    return bad


def nodes_of(dump):
    """Of a dump: the lines of each node, the node itself first, none indented."""
    nodes, open_nodes = {}, {}
    for line in dump.splitlines()[1:]:
        text = line.lstrip(" ")
        depth = (len(line) - len(text)) // 4
        if text.startswith(("node ", "leaf ")):
            nodes[text] = open_nodes[depth] = []
        else:
            open_nodes[depth].append(text)
    return nodes


def check_walk(index, output, nodes):
    """What umaple-walk shows is in the dump, and is where the index leads."""
    ends = None
    for line in output.splitlines()[1:]:
        if line.startswith(("node ", "leaf ")):
            slots = iter(nodes[line])
            assert ends is None or f" {ends} " in line, (ends, line)
            continue
        assert line[2:] == next(slots), line
        first, last = re.findall(r"0x[0-9a-f]+", line)[:2]
        taken = int(first, 16) <= index <= int(last, 16)
        assert line.startswith("> " if taken else "  "), (index, line)
        ends = f"[{first}, {last}]" if taken else ends
    assert line and next(slots, None) is None, "the last leaf is shown to its end"


def check_ranges(output, nodes):
    """All ranges of the printed tree, in the order of the dump."""
    printed = re.findall(r"(\[0x[0-9a-f]+, 0x[0-9a-f]+\]) = (0x[0-9a-f]+)",
                         output)
    leaves = [slots for node, slots in nodes.items() if node.startswith("leaf")]
    dumped = [tuple(line.split(" ", 1)[1].rsplit(" ", 1))
              for line in itertools.chain(*leaves) if not line.endswith("hole")]
    assert len(printed) == 3000 and printed == dumped, "ranges differ"


def check_counters(cache, stats):
    """Each counter that is not 0 is printed, and as the library counts."""
    stats = {name: int(value)
             for name, value in re.findall(r"(\w+) = (\d+)(?=[,}])", stats)}
    printed = {name: int(value)
               for name, value in re.findall(r"(\w+) = (\d+)(?=[,}])", cache)}
    events = list(stats)[:list(stats).index("alloc_slab")]
    limit = printed.pop("pending_limit")
    assert limit == 65536 and printed["sheaf_capacity"] == 8, printed
    for name, value in printed.items():
        assert stats[name] == value, (name, value, stats[name])
    missing = [name for name in events if stats[name] and name not in printed]
    assert not missing, missing


def check_session(name, arguments, start, transcript, dump_file):
    """Start, replay the transcript, then compare with the dump and the counters."""
    steps = parse(transcript)
    more = ["set print elements unlimited", "print deep_tree", "print *cache",
            "print/d stats", *(f"umaple-walk deep_tree {i}" for i in WALKS)]
    outputs = gdb(arguments, [*start, *(step[0] for step in steps), *more])
    bad = check_transcript(name, steps, outputs[len(start):])
    _, ranges, cache, stats, *walks = outputs[len(start) + len(steps):]
    nodes = nodes_of(dump_file.read_text())
    check_ranges(ranges, nodes)
    check_counters(cache, stats)
    for index, walk in zip(WALKS, walks):
        check_walk(index, walk, nodes)
    return bad


def main():
    """Live, from a core, and damaged."""
    sample, printers, show, damage = sys.argv[1:]
    reason = reason_to_skip()
    if reason:
        print(reason)
        return 77
    load = [*SETTINGS, f"source {printers}"]
    with tempfile.TemporaryDirectory() as scratch:
        dump, core = pathlib.Path(scratch, "dump"), pathlib.Path(scratch, "core")
        run = [*load, "break stop_here", f"run show {dump}"]
        bad = check_session("live", [sample], run, show, dump)
        gdb([sample], [*run, f"generate-core-file {core}"])
        # The addresses are those of the run that wrote the core.
        bad += check_session("core", [sample, str(core)], load, show, dump)
        steps = parse(damage)
        outputs = gdb([sample], [*run, *(step[0] for step in steps)])
        bad += check_transcript("damage", steps, outputs[len(run):])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
