# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Whatever is done to a trace, the tool ends in good order: status 0, 1 or 2, and with 2 one
line on standard error and nothing on standard output.

UMAPLE_TEST_SEED repeats a run, UMAPLE_TEST_SCALE makes it longer or shorter."""
import lzma
import os
import random
import sys
import time
import unittest

from sample import FAULTS, TRACE, Folder, run

SEED = int(os.environ.get("UMAPLE_TEST_SEED") or time.time_ns())
SCALE = int(os.environ.get("UMAPLE_TEST_SCALE") or 1)
ROUNDS = 2000 * SCALE if SCALE else 100

NUMBERS = ["0", "1", "fff", "1000", "7fffffffffff", "7ffffffff000", "8000000000000000",
           "fffffffffffff000", "ffffffffffffffff", "10000000000000000", "-1", "4095", "4096"]


def flip_byte(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]


def drop_bytes(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 20):]


def repeat_bytes(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + text[at:at + 40] * rng.randint(2, 300) + text[at:]


def truncate(rng, text):
    return text[:rng.randrange(len(text))]


def change_lines(rng, text, change):
    lines = text.split(b"\n")
    change(lines, rng.randrange(len(lines)), rng.randrange(len(lines)))
    return b"\n".join(lines)


def repeat_line(rng, text):
    return change_lines(rng, text, lambda lines, i, j: lines.insert(j, lines[i]))


def drop_line(rng, text):
    return change_lines(rng, text, lambda lines, i, j: lines.pop(i))


def swap_lines(rng, text):
    def swap(lines, i, j):
        lines[i], lines[j] = lines[j], lines[i]
    return change_lines(rng, text, swap)


def change_number(rng, text):
    """A field becomes another number: the line stays in form, and the meaning goes astray."""
    def change(lines, i, _):
        fields = lines[i].split(b" ")
        fields[rng.randrange(len(fields))] = rng.choice(NUMBERS).encode()
        lines[i] = b" ".join(fields)
    return change_lines(rng, text, change)


def exchange_number(rng, text):
    """A field becomes one from elsewhere in the file."""
    def change(lines, i, j):
        fields = lines[i].split(b" ")
        fields[rng.randrange(len(fields))] = rng.choice(lines[j].split(b" "))
        lines[i] = b" ".join(fields)
    return change_lines(rng, text, change)


DAMAGE = [flip_byte, drop_bytes, repeat_bytes, truncate, repeat_line, drop_line, swap_lines,
          change_number, change_number, exchange_number, exchange_number]


class Damage(unittest.TestCase):
    def check(self, folder, what):
        done = run("--json", folder.path)
        if done.returncode == 2:
            good = done.stdout == b"" and done.stderr.count(b"\n") == 1
        else:
            good = done.returncode in (0, 1) and done.stdout.count(b"\n") == 1 and not done.stderr
        self.assertTrue(good, (SEED, what, done))
        return done.returncode

    def damage(self, rng, text):
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            if text:
                text = rng.choice(DAMAGE)(rng, text)
        return text

    def test_damaged_traces(self):
        rng = random.Random(SEED)
        ended = {0: 0, 1: 0, 2: 0}
        with Folder(faults=FAULTS) as folder:
            for number in range(ROUNDS):
                trace = self.damage(rng, TRACE.encode())
                folder.write("small.mmt", trace)
                ended[self.check(folder, (number, trace))] += 1
        # The damage is of a kind that gets behind the parser too.
        self.assertGreater(ended[1], 0, ended)

    def test_damaged_faults(self):
        rng = random.Random(SEED)
        with Folder(faults=FAULTS) as folder:
            for number in range(ROUNDS // 10):
                faults = self.damage(rng, FAULTS.encode())
                folder.write("small.flt", faults)
                self.check(folder, (number, faults))

    def test_damaged_xz(self):
        rng = random.Random(SEED)
        packed = lzma.compress(TRACE.encode())
        with Folder(packed, name="small.mmt.xz") as folder:
            for number in range(ROUNDS // 10):
                content = self.damage(rng, packed)
                folder.write("small.mmt.xz", content)
                self.check(folder, (number, content))


if __name__ == "__main__":
    print(f"UMAPLE_TEST_SEED={SEED} UMAPLE_TEST_SCALE={SCALE}", file=sys.stderr)
    unittest.main()
