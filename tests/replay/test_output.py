# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Options, exit statuses, what is printed, and what happens when it cannot be."""
import os
import re
import subprocess
import time
import unittest

from sample import TOOL, TRACE, Folder, parse, replace, run

FIELDS = ["trace", "calls", "checks", "checks_wrong", "final_wrong", "placements",
          "placements_wrong", "coverage", "coverage_wrong", "lookups", "lookups_wrong",
          "max_live", "nodes", "bytes_per_range", "ns_per_call"]


class Output(unittest.TestCase):
    def bad_usage(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done)
        self.assertRegex(done.stderr.decode(), r"\Aumaple-replay: [^\n]+\n\Z")
        return done.stderr.decode()

    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for option in ("--json", "--seconds-per-trace", "--serial", "--verbose", "--version"):
            self.assertIn(option, done.stdout.decode())

    def test_version(self):
        done = run("--version")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertRegex(done.stdout.decode(), r"\Aumaple-replay \d+\.\d+\.\d+\n\Z")

    def test_bad_usage(self):
        self.assertIn("no trace given", self.bad_usage())
        self.assertIn("no trace given", self.bad_usage("--json"))
        self.assertIn("'--colour'", self.bad_usage("--colour", "x.mmt"))
        self.assertIn("'-x'", self.bad_usage("-x", "x.mmt"))
        self.assertIn("--json=yes", self.bad_usage("--json=yes", "x.mmt"))
        self.assertIn("needs a value", self.bad_usage("--seconds-per-trace"))
        for seconds in ("", "x", "1x", "-1", "nan", "inf", "1e30"):
            self.assertIn("number of seconds",
                          self.bad_usage("--seconds-per-trace", seconds, "x.mmt"))

    def test_json_fields(self):
        with Folder() as folder:
            done = run("--json", folder.path)
        (row,) = parse(done)
        self.assertEqual(list(row), FIELDS)
        self.assertEqual(row["trace"], "small")
        self.assertGreater(row["nodes"], 0)
        self.assertAlmostEqual(row["bytes_per_range"], row["nodes"] * 256 / row["max_live"],
                               places=1)
        self.assertGreater(row["ns_per_call"], 0)

    def test_json_escapes_names(self):
        for name in ('a"b\\c.mmt', "a\tb.mmt", "\u00e4\u20ac\U0001f333.mmt"):
            with self.subTest(name), Folder(name=name) as folder:
                (row,) = parse(run("--json", folder.path))
                self.assertEqual(row["trace"], name[:-4])

    def test_json_of_a_name_that_is_no_text(self):
        with Folder() as folder:
            name = os.path.join(folder.directory.name.encode(), b"a\xff\xc0\xafb.mmt")
            os.rename(folder.path, name)
            done = subprocess.run([TOOL, "--json", name], capture_output=True, check=True)
        (row,) = parse(done)
        self.assertEqual(row["trace"], "a\ufffd\ufffd\ufffdb")

    def test_table(self):
        with Folder() as folder:
            done = run(folder.path)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertRegex(text, r"small +12 +7 +\d+ +\d+\.\d +\d+ +0/2 +0/1 +0/5 +0/0\n")
        self.assertTrue(text.endswith("1 traces, 12 calls: 0 wrong answers\n"))

    def test_directory_stands_for_its_traces(self):
        with Folder() as folder:
            folder.write("b.mmt", TRACE)
            folder.write("a.mmt", TRACE)
            folder.write("small.flt", "0 0\n")
            folder.write("README", "not a trace")
            rows = parse(run("--json", folder.directory.name))
        self.assertEqual([row["trace"] for row in rows], ["a", "b", "small"])
        self.assertEqual([row["lookups"] for row in rows], [0, 0, 1])

    def test_double_dash_ends_the_options(self):
        with Folder(name="--json") as folder:
            done = run("--", "--json", cwd=folder.directory.name)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"wrong answers", done.stdout)

    def test_pipe(self):
        with Folder() as folder, open(folder.path, "rb") as trace:
            done = subprocess.run(f"cat '{folder.path}' | '{TOOL}' --json /dev/stdin", shell=True,
                                  stdin=trace, capture_output=True, check=True)
        self.assertEqual(parse(done)[0]["calls"], 12)

    def test_serial_gives_the_same_answers(self):
        with Folder() as folder:
            (rcu,) = parse(run("--json", folder.path))
            (serial,) = parse(run("--json", "--serial", folder.path))
        for row in (rcu, serial):
            row.pop("ns_per_call")
            row.pop("nodes")
            row.pop("bytes_per_range")
        self.assertEqual(rcu, serial)

    def test_repeats_until_the_time_has_passed(self):
        with Folder() as folder:
            start = time.monotonic()
            done = run("--json", "--seconds-per-trace", "0.3", folder.path)
            self.assertGreaterEqual(time.monotonic() - start, 0.3)
        self.assertEqual(parse(done)[0]["calls"], 12)

    def test_a_wrong_trace_among_right_ones_shows_in_the_status(self):
        with Folder() as folder:
            folder.write("a.mmt", replace(TRACE, "final 7\nr 555500000000",
                                          "final 7\nr 5554fffff000"))
            done = run("--json", folder.directory.name)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([row["final_wrong"] for row in parse(done)], [1, 0])

    def test_output_that_cannot_be_written(self):
        with Folder() as folder, open("/dev/full", "wb") as full:
            for arguments in (["--help"], ["--version"], [folder.path], ["--json", folder.path]):
                done = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      check=False)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertRegex(done.stderr.decode(), r"\Aumaple-replay: cannot write[^\n]*\n\Z")

    def test_closed_pipe(self):
        with Folder() as folder:
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([TOOL, folder.path], stdout=write, stderr=subprocess.PIPE,
                                  check=False)
            os.close(write)
        self.assertEqual(done.returncode, 2)

    def test_closed_output(self):
        with Folder() as folder:
            done = subprocess.run(f"'{TOOL}' '{folder.path}' >&-", shell=True,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)

    def test_progress_is_shown_on_a_terminal_only(self):
        with Folder() as folder:
            primary, terminal = os.openpty()
            done = subprocess.run([TOOL, "--json", folder.path], stdout=subprocess.PIPE,
                                  stderr=terminal, check=True)
            os.close(terminal)
            shown = os.read(primary, 4096).decode()
            os.close(primary)
        self.assertTrue(re.search(r"1 of 1: small", shown), shown)
        self.assertEqual(len(parse(done)), 1)


if __name__ == "__main__":
    unittest.main()
