# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""What the tests of umaple-replay share: running it, and a small trace in which every
answer is right."""
import json
import os
import subprocess
import tempfile

TOOL = os.environ["UMAPLE_REPLAY"]

# Every kind of record once; the ranges are made up, the answers follow from FORMAT.md.
TRACE = """\
mmt 1
# program: written by hand
page 4096
space exec
base 7f0000100000
brk0 555500003000
init 4
r 555500000000 555500001000 5 p 1 0 -
r 555500001000 555500003000 3 p 1 1000 -
r 7f00000f0000 7f0000100000 5 p 2 0 -
r 7ffc00000000 7ffc00021000 3 p 0 0 stack
calls 12
brk 555500003000 @0
brk 555500024800 @0
mmap 7f00000ee000 1800 3 22 0 0 0 @0
mprotect 7f00000ee000 1000 1 @0
madvise 7f00000ee000 2000 4 @0
check 5 7
r 555500000000 555500001000 5 p 1 0 -
r 555500001000 555500003000 3 p 1 1000 -
r 555500003000 555500025000 3 p 0 0 heap
r 7f00000ee000 7f00000ef000 1 p 0 0 -
r 7f00000ef000 7f00000f0000 3 p 0 0 -
r 7f00000f0000 7f0000100000 5 p 2 0 -
r 7ffc00000000 7ffc00021000 3 p 0 0 stack
# fork here
munmap 7f00000ef000 1000 @1
err 12 madvise 7f00000ee000 2000 4 @0
err 17 mmap 0 1000 3 100022 0 0 7f00000ee000 @0
mremap 7f00000ee000 1000 3000 1 7f00000eb000 @0
err 12 mprotect 7f00000eb000 5000 3 @1
mmap 7f00000d0000 2000 5 12 3 4000 7f00000d0000 @0
mmap 7f00000d1000 1000 5 12 3 5000 7f00000d1000 @0
grow 7ffc00000000 7ffbffffe000
final 7
r 555500000000 555500001000 5 p 1 0 -
r 555500001000 555500003000 3 p 1 1000 -
r 555500003000 555500025000 3 p 0 0 heap
r 7f00000d0000 7f00000d2000 5 p 3 4000 -
r 7f00000eb000 7f00000ee000 3 p 0 0 -
r 7f00000f0000 7f0000100000 5 p 2 0 -
r 7ffbffffe000 7ffc00021000 3 p 0 0 stack
end
"""

FAULTS = """\
# page faults of a program that was never run
0 555500000
0 0
5 7f00000ee
12 7f00000d1
12 7ffbffffe
"""

COUNTS = {
    "calls": 12, "checks": 2, "checks_wrong": 0, "final_wrong": 0,
    "placements": 1, "placements_wrong": 0, "coverage": 5, "coverage_wrong": 0,
    "lookups": 5, "lookups_wrong": 0, "max_live": 7,
}


def run(*arguments, **how):
    """Run the tool; text comes back as bytes, since a broken file may hold any."""
    return subprocess.run([TOOL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False, **how)


def parse(done):
    """The JSON objects that a run printed."""
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def replace(text, old, new):
    """Replace what must be there exactly once, so that a test tests what it says."""
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


class Folder:
    """A temporary directory with a trace in it, and perhaps its faults."""

    def __init__(self, trace=TRACE, faults=None, name="small.mmt"):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, name)
        self.write(name, trace)
        if faults is not None:
            self.write(name.replace(".mmt", ".flt"), faults)

    def write(self, name, content):
        if isinstance(content, str):
            content = content.encode()
        with open(os.path.join(self.directory.name, name), "wb") as file:
            file.write(content)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()
