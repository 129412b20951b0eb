# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Every recorded trace of data/traces replays without a wrong answer, and counts what its
manifest says."""
import csv
import hashlib
import lzma
import os
import unittest

from sample import parse, run

TRACES = os.environ["UMAPLE_TRACES"]

# our field: the manifest's column
COLUMNS = {"calls": "calls", "checks": "lists", "placements": "placements",
           "coverage": "coverage_queries", "lookups": "lookups", "max_live": "maxlive_joined"}


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(TRACES, "MANIFEST.tsv"), encoding="ascii") as file:
            cls.manifest = {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}

    def replay(self, *options):
        done = run("--json", *options, TRACES)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        rows = parse(done)
        self.assertEqual({row["trace"] for row in rows}, set(self.manifest))
        for row in rows:
            with self.subTest(row["trace"]):
                want = self.manifest[row["trace"]]
                for name, value in row.items():
                    if name.endswith("_wrong"):
                        self.assertEqual(value, 0, name)
                for ours, theirs in COLUMNS.items():
                    self.assertEqual(row[ours], int(want[theirs]), ours)
        return rows

    def test_data_are_what_the_manifest_says(self):
        self.assertEqual(len(self.manifest), 39)
        for name, row in self.manifest.items():
            with lzma.open(os.path.join(TRACES, name + ".mmt.xz")) as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            self.assertEqual(digest[:16], row["sha256_16_of_plain_mmt"], name)

    def test_no_answer_is_wrong(self):
        self.replay()

    def test_no_answer_is_wrong_in_a_tree_without_readers(self):
        self.replay("--serial")


if __name__ == "__main__":
    unittest.main()
