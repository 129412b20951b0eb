# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""Bad input: one line on standard error with file, line and reason, nothing else."""
import lzma
import os
import unittest

from sample import FAULTS, TRACE, Folder, replace, run

INIT = "r 555500001000 555500003000 3 p 1 1000 -\nr 7f00000f0000 7f0000100000 5 p 2 0 -\n" \
    "r 7ffc00000000"
HUGE = "x" * 5000

# name: (what stands in TRACE, what stands there instead, how many lines below the first of
# these it is refused, and why)
RECORDS = {
    "another format": ("mmt 1", "mmx 1", 0, "not a trace: no 'mmt 1' at the start"),
    "another version": ("mmt 1", "mmt 2", 0, "format version is not 1"),
    "another page size": ("page 4096", "page 16384", 0, "page size is not 4096"),
    "page size missing": ("page 4096", "page", 0, "page size is missing"),
    "header missing": ("space exec\n", "", 2, "'space' is missing"),
    "header twice": ("space exec\n", "space exec\nspace exec\n", 1, "second 'space'"),
    "unknown header": ("space exec\n", "colour red\n", 0, "unknown header 'colour'"),
    "unknown origin": ("space exec\n", "space clone\n", 0,
                       "space is neither 'exec' nor 'fork'"),
    "base not aligned": ("base 7f0000100000", "base 7f0000100001", 0,
                         "base 7f0000100001 is not a multiple of a page"),
    "break overflows": ("brk0 555500003000", "brk0 fffffffffffff001", 0, "break overflows"),
    "number exceeds 64 bits": ("base 7f0000100000", "base 10000000000000000", 0,
                               "base '10000000000000000' exceeds 64 bits"),
    "number with a prefix": ("base 7f0000100000", "base 0x7f0000100000", 0,
                             "base '0x7f0000100000' is not hexadecimal"),
    "number with a sign": ("init 4", "init -4", 0, "count of ranges '-4' is not decimal"),
    "hexadecimal where decimal must be": ("init 4", "init a", 0,
                                          "count of ranges 'a' is not decimal"),
    "fewer ranges than announced": ("init 4", "init 5", 5, "4 of 5 ranges, then 'calls'"),
    "more ranges than announced": ("init 4", "init 3", 4,
                                   "more ranges than 'init' announced"),
    "more ranges than can be": ("init 4", "init 18446744073709551615", 5,
                                "4 of 18446744073709551615 ranges, then 'calls'"),
    "ranges overlap": (INIT, INIT.replace("7f00000f0000", "555500002000"), 1,
                       "range overlaps the one before it, or is not in order"),
    "ranges not in order": (INIT, INIT.replace("7f00000f0000 7f0000100000",
                                               "1000 2000"), 1,
                            "range overlaps the one before it, or is not in order"),
    "range is empty": (INIT, INIT.replace("7f0000100000", "7f00000f0000"), 1,
                       "START is not below END"),
    "range runs backwards": (INIT, INIT.replace("7f0000100000", "7f00000e0000"), 1,
                             "START is not below END"),
    "start not aligned": (INIT, INIT.replace("7f00000f0000", "7f00000f0800"), 1,
                          "START 7f00000f0800 is not a multiple of a page"),
    "end not aligned": (INIT, INIT.replace("7f0000100000", "7f0000100001"), 1,
                        "END 7f0000100001 is not a multiple of a page"),
    "protection of no kind": (INIT, INIT.replace("5 p 2", "8 p 2"), 1, "PROT exceeds 7"),
    "neither shared nor private": (INIT, INIT.replace("5 p 2", "5 q 2"), 1,
                                   "'q' is neither s nor p"),
    "file number too large": (INIT, INIT.replace("5 p 2", "5 p 4294967296"), 1,
                              "FILE exceeds 32 bits"),
    "file offset not aligned": (INIT, INIT.replace("p 2 0", "p 2 10"), 1,
                                "OFF 10 is not a multiple of a page"),
    "file offset overflows": (INIT, INIT.replace("p 2 0", "p 2 fffffffffffff000"), 1,
                              "OFF + length overflows"),
    "unknown kind": (INIT, INIT.replace("2 0 -", "2 0 hole"), 1, "unknown kind 'hole'"),
    "kind missing": (INIT, INIT.replace("2 0 -", "2 0"), 1, "KIND is missing"),
    "range with more": (INIT, INIT.replace("2 0 -", "2 0 - -"), 1,
                        "'-' is one field too many"),
    "no count of calls": ("calls 12\n", "", 0, "'brk' where 'calls' must be"),
    "fewer calls than announced": ("calls 12", "calls 13", 23,
                                   "12 calls, but 'calls' announced 13"),
    "more calls than announced": ("calls 12", "calls 11", 21,
                                  "more calls than 'calls' announced"),
    "unknown call": ("munmap 7f00000ef000", "mummap 7f00000ef000", 0,
                     "unknown record 'mummap'"),
    "unknown call that failed": ("err 17 mmap", "err 17 mmop", 0, "unknown call 'mmop'"),
    "errno that is none": ("err 17 mmap", "err 0 mmap", 0, "ERRNO 0 is none"),
    "errno too large": ("err 17 mmap", "err 4096 mmap", 0, "ERRNO 4096 is none"),
    "call that failed, missing": ("err 12 madvise 7f00000ee000 2000 4 @0", "err 12", 0,
                                  "call is missing"),
    "field missing": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000", 0,
                      "LEN is missing"),
    "thread missing": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000", 0,
                       "thread is missing"),
    "thread without a number": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 @", 0,
                                "'@' is not a thread: '@' and a number"),
    "thread of another form": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 1", 0,
                               "'1' is not a thread: '@' and a number"),
    "thread with more": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 @1 @1", 0,
                         "'@1' is one field too many"),
    "very many fields": ("munmap 7f00000ef000 1000 @1", "munmap" + " 1" * 400, 0,
                         "more than 12 fields"),
    "two spaces": ("munmap 7f00000ef000 1000 @1", "munmap  7f00000ef000 1000 @1", 0,
                   "empty field: one space between fields, none around"),
    "space at the end": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 @1 ", 0,
                         "empty field: one space between fields, none around"),
    "space at the start": ("munmap 7f00000ef000 1000 @1", " munmap 7f00000ef000 1000 @1", 0,
                           "empty field: one space between fields, none around"),
    "tab": ("munmap 7f00000ef000 1000 @1", "munmap\t7f00000ef000 1000 @1", 0,
            "byte 0x09 in a record"),
    "carriage return": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 @1\r", 0,
                        "byte 0x0d in a record"),
    "NUL": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000\0 1000 @1", 0,
            "NUL byte in a line"),
    "not ASCII": ("munmap 7f00000ef000 1000 @1", "munmap 7f00000ef000 1000 @\u0661", 0,
                  "byte 0xd9 in a record"),
    "very long record": ("munmap 7f00000ef000 1000 @1", "munmap " + HUGE, 0,
                         "line longer than 4095 bytes"),
    "very long comment": ("# program: written by hand", "#" + HUGE, 0,
                          "line longer than 4095 bytes"),
    "address not aligned": ("munmap 7f00000ef000", "munmap 7f00000ef001", 0,
                            "ADDR 7f00000ef001 is not a multiple of a page"),
    "length overflows": ("munmap 7f00000ef000 1000", "munmap 7f00000ef000 ffffffffffffffff", 0,
                         "LEN: ffffffffffffffff bytes at 7f00000ef000 overflow the address "
                         "space"),
    "address + length overflows": ("munmap 7f00000ef000 1000",
                                   "munmap 7f00000ef000 ffff80ffffff2000", 0,
                                   "LEN: ffff80ffffff2000 bytes at 7f00000ef000 overflow the "
                                   "address space"),
    "empty mapping": ("mmap 7f00000ee000 1800", "mmap 7f00000ee000 0", 0, "LEN is 0"),
    "mapping at an odd offset": ("12 3 4000", "12 3 4001", 0,
                                 "OFF 4001 is not a multiple of a page"),
    "mapping past the end of a file": ("12 3 4000", "12 3 fffffffffffff000", 0,
                                       "OFF + LEN overflows"),
    "mapping of file too large": ("12 3 4000", "12 99999999999 4000", 0,
                                  "FILE exceeds 32 bits"),
    "break that overflows": ("brk 555500024800", "brk ffffffffffffffff", 0,
                             "break ffffffffffffffff overflows"),
    "move to an odd place": ("1 7f00000eb000 @0", "1 7f00000eb00f @0", 0,
                             "NEW 7f00000eb00f is not a multiple of a page"),
    "move of an odd place": ("mremap 7f00000ee000", "mremap 7f00000ee00f", 0,
                             "OLD 7f00000ee00f is not a multiple of a page"),
    "move past the end": ("1000 3000 1 7f00000eb000", "1000 3000 1 fffffffffffff000", 0,
                          "NEWLEN: 3000 bytes at fffffffffffff000 overflow the address space"),
    "move onto itself": ("1000 3000 1 7f00000eb000", "1000 3000 1 7f00000ec000", 0,
                         "the old place and the new one overlap"),
    "move to nothing": ("1000 3000 1 7f00000eb000", "1000 0 1 7f00000eb000", 0, "NEWLEN is 0"),
    "growth upwards": ("grow 7ffc00000000 7ffbffffe000", "grow 7ffc00000000 7ffc00001000", 0,
                       "NEW is not below OLD"),
    "growth with a thread": ("grow 7ffc00000000 7ffbffffe000",
                             "grow 7ffc00000000 7ffbffffe000 @0", 0,
                             "'@0' is one field too many"),
    "list at another place": ("check 5 7", "check 4 7", 0,
                              "check after 4 calls stands after 5"),
    "list too short": ("check 5 7", "check 5 8", 9, "7 of 8 ranges, then 'munmap'"),
    "list too long": ("check 5 7", "check 5 6", 7,
                      "range outside of a list, or one more than announced"),
    "list without a count": ("check 5 7", "check 5", 0, "count of ranges is missing"),
    "final list too short": ("final 7", "final 8", 8, "7 of 8 ranges, then 'end'"),
    "final list too long": ("final 7", "final 6", 7, "'r' where 'end' must be"),
    "no final list": ("final 7\n", "", 0,
                      "range outside of a list, or one more than announced"),
    "end with more": ("\nend\n", "\nend of file\n", 1, "'of' is one field too many"),
    "end missing": ("\nend\n", "\n", 0, "file ends without 'end'"),
    "something behind the end": ("\nend\n", "\nend\nbrk 555500003000 @0\n", 2,
                                 "text behind 'end'"),
    "header among the calls": ("munmap 7f00000ef000 1000 @1", "base 7f0000100000", 0,
                               "unknown record 'base'"),
}

# the same for FAULTS
LOOKUPS = {
    "after too many calls": ("12 7f00000d1", "13 7f00000d1", 0, "after 13 calls of 12"),
    "not in order": ("5 7f00000ee\n12 7f00000d1", "12 7f00000ee\n5 7f00000d1", 1,
                     "lines are not in order of calls"),
    "page missing": ("5 7f00000ee", "5", 0, "page is missing"),
    "page too large": ("5 7f00000ee", "5 10000000000000", 0, "page exceeds the address space"),
    "page of no kind": ("5 7f00000ee", "5 page", 0, "page 'page' is not hexadecimal"),
    "one field more": ("5 7f00000ee", "5 7f00000ee 1", 0, "'1' is one field too many"),
    "count of no kind": ("5 7f00000ee", "five 7f00000ee", 0,
                         "count of calls 'five' is not decimal"),
    "cut in a line": ("12 7ffbffffe\n", "12 7ffb", 0, "line is cut: no newline at its end"),
}


def line_of(text, old, below):
    return text[:text.index(old)].count("\n") + 1 + below


class Input(unittest.TestCase):
    def refuse(self, path, line, reason, *options, name=None):
        """One line on standard error and nothing else; @reason None: any."""
        done = run(*options, path)
        shown = name or path
        start = f"umaple-replay: {shown}:{line}: "
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, b"")
        text = done.stderr.decode()
        self.assertTrue(text.startswith(start), text)
        self.assertTrue(text.endswith("\n") and text.count("\n") == 1, text)
        if reason is not None:
            self.assertEqual(text[len(start):-1], reason)

    def test_records(self):
        for name, (old, new, below, reason) in RECORDS.items():
            line = line_of(TRACE, old, below)
            with self.subTest(name), Folder(replace(TRACE, old, new)) as folder:
                self.refuse(folder.path, line, reason)
                self.refuse(folder.path, line, reason, "--json")

    def test_lookups(self):
        for name, (old, new, below, reason) in LOOKUPS.items():
            line = line_of(FAULTS, old, below)
            with self.subTest(name), Folder(TRACE, replace(FAULTS, old, new)) as folder:
                self.refuse(folder.path, line, reason,
                            name=folder.path.replace(".mmt", ".flt"))

    def test_every_truncation_is_refused(self):
        text = TRACE.encode()
        # without the last newline the file is still whole
        for length in range(len(text) - 1):
            with self.subTest(length), Folder(text[:length]) as folder:
                whole = text[:length].count(b"\n")
                at = whole + (length > 0 and text[length - 1:length] != b"\n")
                self.refuse(folder.path, at, None)

    def test_a_missing_last_newline_is_no_truncation(self):
        with Folder(TRACE[:-1]) as folder:
            self.assertEqual(run(folder.path).returncode, 0)

    def test_empty_file(self):
        with Folder("") as folder:
            self.refuse(folder.path, 0, "file ends without 'end'")

    def test_xz_that_is_none(self):
        with Folder(TRACE, name="small.mmt.xz") as folder:
            self.refuse(folder.path, 1, "not in .xz format")

    def test_empty_xz(self):
        with Folder("", name="small.mmt.xz") as folder:
            self.refuse(folder.path, 1, "truncated .xz file")

    def test_truncated_xz(self):
        packed = lzma.compress(TRACE.encode())
        for length in range(6, len(packed), 7):
            with self.subTest(length), Folder(packed[:length], name="small.mmt.xz") as folder:
                done = run(folder.path)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"truncated .xz file", done.stderr)

    def test_damaged_xz(self):
        packed = bytearray(lzma.compress(TRACE.encode()))
        packed[len(packed) // 2] ^= 0xff
        with Folder(bytes(packed), name="small.mmt.xz") as folder:
            done = run(folder.path)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"damaged .xz file", done.stderr)

    def test_garbage_behind_xz(self):
        with Folder(lzma.compress(TRACE.encode()) + b"garbage", name="small.mmt.xz") as folder:
            self.assertEqual(run(folder.path).returncode, 2)

    def test_two_streams_in_one_xz_are_one_file(self):
        half = len(TRACE) // 2
        packed = lzma.compress(TRACE[:half].encode()) + lzma.compress(TRACE[half:].encode())
        with Folder(packed, name="small.mmt.xz") as folder:
            self.assertEqual(run(folder.path).returncode, 0)

    def test_xz_under_another_name(self):
        with Folder(lzma.compress(TRACE.encode())) as folder:
            self.assertEqual(run(folder.path).returncode, 0)

    def test_file_that_is_not_there(self):
        with Folder() as folder:
            self.refuse(folder.path + "x", 0, "cannot open: No such file or directory")

    def test_empty_directory(self):
        with Folder() as folder:
            os.unlink(folder.path)
            self.refuse(folder.directory.name, 0, "no .mmt or .mmt.xz file in it")

    def test_name_that_would_break_the_line(self):
        with Folder("", name="a\nb.mmt") as folder:
            self.refuse(folder.path, 0, None, name=folder.path.replace("\n", "?"))

    def test_very_long_name(self):
        done = run("x" * 100000)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"File name too long", done.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may read any file")
    def test_file_that_may_not_be_read(self):
        with Folder() as folder:
            os.chmod(folder.path, 0)
            self.refuse(folder.path, 0, "cannot open: Permission denied")

    def test_one_bad_trace_of_several_prints_nothing_else(self):
        with Folder() as folder:
            folder.write("bad.mmt", TRACE[:-10])
            done = run(folder.path, os.path.join(folder.directory.name, "bad.mmt"))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    unittest.main()
