#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""check_dump.py json|dot SAMPLE: are dumps what readers of their format accept?

JSON is read by Python's json and compared with the text of the same tree: each
node and slot is there, covers what its parent says, and a gap is the size of the
largest hole below. DOT is read by graphviz; without it the test is skipped.
"""
import json
import shutil
import subprocess
import sys

NAMES = ("empty", "leaf", "whole", "gap", "deep")
MAX_INDEX = 2**64 - 1


def number(text):
    """A word of 64 bits as the dumps write it."""
    assert text.startswith("0x"), text
    value = int(text, 16)
    assert 0 <= value <= MAX_INDEX, text
    return value


def hexed(value):
    """The same, back: leading zeroes would not be seen otherwise."""
    return f"{value:#x}"


def check_leaf_slot(slot):
    """Text for a leaf's slot, and the size of the hole that it is."""
    entry = slot.pop("entry")
    size = number(slot["last"]) - number(slot["first"]) + 1
    if entry is None:
        return "hole", size
    if entry != "reserved":
        assert number(entry) and entry == hexed(number(entry)), entry
    return entry, 0


def check_node(node, first, last, indent, lines):
    """Append the node's text to the lines; return the size of its largest hole."""
    level, slots, largest = node["level"], node["slots"], 0
    assert (number(node["min"]), number(node["max"])) == (first, last), node
    assert node["count"] == len(slots) and node["dead"] is False, node
    lines.append(f"{indent}{'node' if level else 'leaf'} {node['node']} level "
                 f"{level} [{node['min']}, {node['max']}] {len(slots)} slots")
    for i, slot in enumerate(slots):
        assert number(slot["first"]) == first, slot
        text = f"{indent}  {i} [{slot['first']}, {slot['last']}]"
        if level:
            gap = f" gap {slot['gap']}" if "gap" in slot else ""
            lines.append(text + gap)
            assert slot["child"]["level"] == level - 1, slot
            size = check_node(slot["child"], first, number(slot["last"]),
                              indent + "    ", lines)
            assert not gap or number(slot["gap"]) == size, (slot["gap"], size)
        else:
            what, size = check_leaf_slot(slot)
            lines.append(f"{text} {what}")
        largest = max(largest, size)
        first = number(slot["last"]) + 1
    assert first == last + 1, "the last slot ends where the node does"
    return largest


def check_json(name, text, dump):
    """The JSON dump, made into text, is the text dump."""
    tree = json.loads(dump)
    lines = [f"tree {tree['tree']} height {tree['height']} "
             f"flags {{{', '.join(tree['flags'])}}}"]
    if tree["root"]:
        assert tree["root"]["level"] + 1 == tree["height"], name
        check_node(tree["root"], 0, MAX_INDEX, "", lines)
    assert (tree["root"] is None) == (name == "empty"), name
    assert "\n".join(lines) + "\n" == text, f"{name}: JSON and text differ"


def check_dot(name, text, dump):
    """Graphviz reads it without complaint, and finds each node and edge."""
    result = subprocess.run(["dot", "-Tplain"], input=dump, text=True,
                            capture_output=True, check=False)
    assert result.returncode == 0 and not result.stderr, (name, result.stderr)
    kinds = [line.split(" ", 1)[0] for line in result.stdout.splitlines()]
    nodes = text.count(" level ")
    assert kinds.count("node") == nodes + 1, "each node, and the tree"
    assert kinds.count("edge") == nodes, "one edge to each node"


def main():
    """Check each tree that the sample program has."""
    kind, sample = sys.argv[1:]
    if kind == "dot" and not shutil.which("dot"):
        print("graphviz is not installed")
        return 77
    for name in NAMES:
        printed = subprocess.run([sample, "dump", name], text=True,
                                 capture_output=True, check=True).stdout
        text, json_dump, dot_dump = printed.split("--\n")
        if kind == "json":
            check_json(name, text, json_dump)
        else:
            check_dot(name, text, dot_dump)
        print(f"{name}: right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
