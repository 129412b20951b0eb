# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Right answers are counted as right, and each kind of wrong answer as what it is."""
import lzma
import unittest

from sample import COUNTS, FAULTS, TRACE, Folder, parse, replace, run


class Answers(unittest.TestCase):
    def counts_of(self, trace=TRACE, faults=FAULTS, status=0):
        with Folder(trace, faults) as folder:
            done = run("--json", folder.path)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr, b"")
        (row,) = parse(done)
        return row

    def expect_wrong(self, trace=TRACE, faults=FAULTS, **wrong):
        """Exactly the counters given are not 0."""
        row = self.counts_of(trace, faults, status=1)
        got = {name: value for name, value in row.items() if name.endswith("_wrong") and value}
        self.assertEqual(got, wrong)

    def test_a_right_trace_has_no_wrong_answer(self):
        row = self.counts_of()
        for name, value in COUNTS.items():
            self.assertEqual(row[name], value, name)

    def test_compression_changes_no_answer(self):
        plain = self.counts_of()
        with Folder(lzma.compress(TRACE.encode()), lzma.compress(FAULTS.encode()),
                    "small.mmt.xz") as folder:
            (packed,) = parse(run("--json", folder.path))
        plain.pop("ns_per_call")
        packed.pop("ns_per_call")
        self.assertEqual(packed, plain)

    def test_a_trace_without_faults_has_no_lookups(self):
        self.assertEqual(self.counts_of(faults=None)["lookups"], 0)

    def test_list_with_other_protection(self):
        self.expect_wrong(replace(TRACE, "r 7f00000ee000 7f00000ef000 1 p",
                                  "r 7f00000ee000 7f00000ef000 5 p"), checks_wrong=1)

    def test_list_with_other_file(self):
        first = "check 5 7\nr 555500000000 555500001000 5 p "
        self.expect_wrong(replace(TRACE, first + "1", first + "2"), checks_wrong=1)

    def test_list_with_other_offset(self):
        first = "check 5 7\nr 555500000000 555500001000 5 p 1 "
        self.expect_wrong(replace(TRACE, first + "0", first + "1000"), checks_wrong=1)

    def test_list_with_other_sharing(self):
        first = "check 5 7\nr 555500000000 555500001000 5 "
        self.expect_wrong(replace(TRACE, first + "p", first + "s"), checks_wrong=1)

    def test_list_with_a_range_more(self):
        self.expect_wrong(replace(TRACE, "check 5 7\n", "check 5 8\nr 1000 2000 1 p 0 0 -\n"),
                          checks_wrong=1)

    def test_list_with_a_range_less(self):
        self.expect_wrong(replace(TRACE, "check 5 7\nr 555500000000 555500001000 5 p 1 0 -\n",
                                  "check 5 6\n"), checks_wrong=1)

    def test_list_that_cuts_what_is_one_is_right(self):
        self.counts_of(replace(TRACE, "final 7\nr 555500000000 555500001000 5 p 1 0 -\n"
                               "r 555500001000 555500003000 3 p 1 1000 -\n",
                               "final 8\nr 555500000000 555500001000 5 p 1 0 -\n"
                               "r 555500001000 555500002000 3 p 1 1000 -\n"
                               "r 555500002000 555500003000 3 p 1 2000 -\n"))

    def test_final_list(self):
        self.expect_wrong(replace(TRACE, "r 7ffbffffe000", "r 7ffbfffff000"),
                          checks_wrong=1, final_wrong=1)

    def test_placement_elsewhere(self):
        moved = replace(TRACE, "mmap 7f00000ee000 1800", "mmap 7f00000dd000 1800")
        moved = replace(moved, "mprotect 7f00000ee000 1000 1 @0\nmadvise 7f00000ee000 2000",
                        "mremap 7f00000dd000 2000 2000 3 7f00000ee000 @0\n"
                        "mprotect 7f00000ee000 1000 1")
        self.expect_wrong(moved.replace(" 1 4 @0\ncheck", " 1 @0\ncheck"), placements_wrong=1)

    def test_placement_where_something_is(self):
        self.expect_wrong(replace(TRACE, "mmap 7f00000ee000 1800 3 22 0 0 0",
                                  "mmap 7f00000ee000 3000 5 22 2 0 7f00000ee000"),
                          placements_wrong=1, coverage_wrong=1, checks_wrong=2, final_wrong=1)

    def test_placement_that_is_said_to_be_fixed_is_not_checked(self):
        self.assertEqual(self.counts_of(replace(TRACE, "1800 3 22 0 0 0",
                                                "1800 3 32 0 0 7f00000ee000"))["placements"], 0)

    def test_advice_on_a_hole(self):
        self.expect_wrong(replace(TRACE, "madvise 7f00000ee000 2000 4 @0\ncheck",
                                  "madvise 7f00000ed000 2000 4 @0\ncheck"), coverage_wrong=1)

    def test_hole_that_is_none(self):
        self.expect_wrong(replace(TRACE, "err 12 madvise 7f00000ee000 2000",
                                  "err 12 madvise 7f00000ee000 1000"), coverage_wrong=1)

    def test_hole_of_mprotect_that_is_none(self):
        self.expect_wrong(replace(TRACE, "err 12 mprotect 7f00000eb000 5000",
                                  "err 12 mprotect 7f00000eb000 3000"), coverage_wrong=1)

    def test_taken_place_that_is_free(self):
        self.expect_wrong(replace(TRACE, "100022 0 0 7f00000ee000", "100022 0 0 7f00000ef000"),
                          coverage_wrong=1)

    def test_free_place_that_is_taken(self):
        self.expect_wrong(replace(TRACE, "mmap 7f00000d1000 1000 5 12",
                                  "mmap 7f00000d1000 1000 5 100002"), coverage_wrong=1)

    def test_move_of_what_is_not_there(self):
        self.expect_wrong(replace(TRACE, "mmap 7f00000d1000 1000 5 12 3 5000 7f00000d1000",
                                  "mremap 7f00000a0000 1000 1000 1 7f00000a1000"),
                          coverage_wrong=1)

    def test_lookup_in_a_hole(self):
        self.expect_wrong(faults=replace(FAULTS, "7f00000d1", "7f00000d2"), lookups_wrong=1)

    def test_lookup_before_its_range_is_there(self):
        self.expect_wrong(faults=replace(FAULTS, "0 555500000\n", "0 7f00000ee\n"),
                          lookups_wrong=1)

    def test_page_0_in_a_range(self):
        mapped = replace(TRACE, "init 4\n", "init 5\nr 0 1000 1 p 0 0 -\n")
        mapped = replace(mapped, "check 5 7\n", "check 5 8\nr 0 1000 1 p 0 0 -\n")
        mapped = replace(mapped, "final 7\n", "final 8\nr 0 1000 1 p 0 0 -\n")
        self.expect_wrong(mapped, lookups_wrong=1)

    def test_wrong_answers_are_named(self):
        with Folder(faults=replace(FAULTS, "7f00000d1", "7f00000d2")) as folder:
            done = run("--verbose", folder.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"small.flt:5: page 7f00000d2 is not in a range", done.stderr)
        self.assertIn(b"WRONG", done.stdout)

    def test_call_that_wraps_changes_nothing(self):
        self.counts_of(replace(TRACE, "err 12 mprotect 7f00000eb000 5000 3 @1\n",
                               "err 12 mprotect 7f00000eb000 fffffffffffff000 0 @1\n")
                       .replace("r 7f00000eb000 7f00000ee000 3", "r 7f00000eb000 7f00000ee000 1"))


if __name__ == "__main__":
    unittest.main()
