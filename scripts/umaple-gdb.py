# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
"""umaple in gdb: pretty printers, and the command umaple-walk.

    (gdb) source /usr/share/umaple/umaple-gdb.py

Printers for trees, nodes, cursors, caches and sheaves. Everything is read from
memory, and nothing is called in the program: they work on a core file too. What
is inside a tree or a cache needs the library's debug information. Whatever is
wrong in memory is shown as <error: ...>. For gdb 10 or newer with Python 3.9.
"""
import functools
import re

import gdb
import gdb.printing
import gdb.types

# What is a macro in the library, and so not in its debug information.
# tests/debug/ compares what is printed with real trees.
NODE_BYTES = 256
MAX_HEIGHT = 16
MAX_INDEX = 2**64 - 1
TREE_FLAGS = {1: "gaps", 2: "serial", 4: "external_lock", 8: "merge"}
CURSOR_AT = 1
CURSOR_PATH = 2
GUARD_BYTES = 512
GUARD_POP_SHIFT = 12

NO_DEBUG = "no debug information of libumaple"

library_types = {}  # by name: see library_type()


class Damage(Exception):
    """What is in memory cannot be what it should be."""


# Memory that cannot be read is a gdb.error, which is a RuntimeError; numbers and
# texts that make no sense are of the other two.
TROUBLE = (Damage, RuntimeError, ValueError, OverflowError)



def known(value):
    """Trouble if the program knows the type by name only."""
    if not gdb.types.get_basic_type(value.type).fields():
        raise Damage(NO_DEBUG)


def told(method):
    """Make of trouble the text that is printed instead."""
    @functools.wraps(method)
    def tell(self):
        try:
            known(self.value)
            return method(self)
        except TROUBLE as trouble:
            return f"<error: {trouble}>"
    return tell


def told_last(method):
    """The same for an iterator of children: trouble is the last of them."""
    @functools.wraps(method)
    def tell(self):
        try:
            known(self.value)
            yield from method(self)
        except TROUBLE as trouble:
            yield "trouble", f"<error: {trouble}>"
    return tell


def library_type(name, field):
    """The struct or enum of that name that has the field: the program may have
    one of the same name. Remembered until files with symbols come or go."""
    if name not in library_types:
        symbols = gdb.lookup_static_symbols(name, gdb.SYMBOL_STRUCT_DOMAIN)
        types = [symbol.type for symbol in symbols
                 if field in (f.name for f in symbol.type.fields())]
        if not types:
            raise Damage(NO_DEBUG)
        library_types[name] = types[0]
    return library_types[name]


def node_at(address):
    """The struct node at an address."""
    if not address or address % NODE_BYTES:
        raise Damage(f"{address:#x} is not the address of a node")
    pointer = gdb.Value(address).cast(library_type("node", "gapped").pointer())
    return pointer.dereference()


def name_of_entry(value):
    """What a leaf's slot holds: the value, or a word for what is no entry."""
    reserved = gdb.lookup_global_symbol("umaple_reserved_mark")
    if not int(value):
        return "hole"
    if reserved and int(value) == int(reserved.value().address):
        return "reserved"
    return value


def text_of_range(first, last):
    """A range; None is an end that is not known."""
    ends = ("?" if end is None else f"{end:#x}" for end in (first, last))
    return f"[{', '.join(ends)}]"


# -- trees -------------------------------------------------------------------

class Slot:
    """One slot of a node: what it covers and what it holds."""

    def __init__(self, number, first, last, gap, value):
        self.number = number
        self.first = first
        self.last = last
        self.gap = gap
        self.value = value

    def where(self):
        """The range, and the gap if there is one."""
        where = text_of_range(self.first, self.last)
        return where if self.gap is None else f"{where} gap {self.gap:#x}"


class Node:
    """A node in memory, found to be possible. Ends that are None are unknown."""

    def __init__(self, value, low=None, high=None):
        value.fetch_lazy()
        self.low = low
        self.high = high
        self.address = None if value.address is None else int(value.address)
        self.count = int(value["count"])
        self.level = int(value["level"])
        self.dead = int(value["dead"])
        self.gapped = int(value["gapped"])
        self.fields = value["gap" if self.gapped else "plain"]
        self.capacity = self.fields["slot"].type.range()[1] + 1
        if self.gapped > 1 or self.level >= MAX_HEIGHT:
            raise Damage(f"no node: level {self.level}, gaps {self.gapped}")
        if not 0 < self.count <= self.capacity:
            raise Damage(f"no node: {self.count} slots of {self.capacity}")

    def text(self):
        """As umaple_tree_dump() has it, without address and range."""
        where = "" if self.low is None else \
            f" {text_of_range(self.low, self.high)}"
        return (f"level {self.level}{where} {self.count} slots"
                f"{' dead' if self.dead else ''}")

    def kind(self):
        """Leaves are not called nodes."""
        return "node" if self.level else "leaf"

    def last_of(self, number):
        """The last index of a slot."""
        if number + 1 == self.count:
            return self.high
        return int(self.fields["pivot"][number])

    def slots(self):
        """Each slot in order."""
        first = self.low
        for number in range(self.count):
            last = self.last_of(number)
            if None not in (first, last) and last < first:
                raise Damage(f"slot {number} is {text_of_range(first, last)}")
            gap = int(self.fields["gap"][number]) if self.gapped else None
            yield Slot(number, first, last, gap, self.fields["slot"][number])
            first = None if last is None else last + 1


class Tree:
    """A tree in memory."""

    def __init__(self, value):
        self.value = value
        word = int(value["root_"])
        self.flags = int(value["flags_"])
        self.height = word % NODE_BYTES
        self.root = word - self.height
        if self.height > MAX_HEIGHT or bool(self.root) != bool(self.height):
            raise Damage(f"root word {word:#x}")

    def text(self):
        """Height and flags, as umaple_tree_dump() has them."""
        names = [TREE_FLAGS.get(1 << bit, hex(1 << bit)) for bit in range(32)
                 if self.flags >> bit & 1]
        return f"height {self.height} flags {{{', '.join(names)}}}"

    def node(self, address, level, low, high):
        """The node at an address, which must be of the level given."""
        node = Node(node_at(address), low, high)
        if node.level != level:
            raise Damage(f"{address:#x} has level {node.level}, not {level}")
        return node

    def top(self):
        """The root node; the tree is not empty."""
        return self.node(self.root, self.height - 1, 0, MAX_INDEX)

    def child(self, node, slot):
        """The node below a slot of an inner node."""
        return self.node(int(slot.value), node.level - 1, slot.first, slot.last)

    def entries_below(self, node):
        """The slots of leaves that are no holes."""
        for slot in node.slots():
            if node.level:
                yield from self.entries_below(self.child(node, slot))
            elif int(slot.value):
                yield slot

    def path(self, index):
        """The way to an index, from the root: each node, and the slot taken."""
        node = self.top() if self.height else None
        while node:
            taken = next(slot for slot in node.slots() if index <= slot.last)
            yield node, taken
            node = self.child(node, taken) if node.level else None


class TreePrinter:
    """struct umaple_tree: what it is, then each range with its entry."""

    def __init__(self, value):
        self.value = value

    @told
    def to_string(self):
        """Height, flags, and whether a writer is at work."""
        tree = Tree(self.value)
        locked = ", locked" if int(self.value["lock_"]) else ""
        return f"tree {tree.text()}{locked}" if tree.height else \
               f"empty tree {tree.text()}{locked}"

    @told_last
    def children(self):
        """Made one by one: gdb stops asking at the limit `print elements`."""
        tree = Tree(self.value)
        if tree.height:
            for slot in tree.entries_below(tree.top()):
                yield slot.where(), name_of_entry(slot.value)


class NodePrinter:
    """struct node by itself: only its parent knows where it begins and ends."""

    def __init__(self, value):
        self.value = value

    @told
    def to_string(self):
        """Kind, level, count, dead."""
        node = Node(self.value)
        return f"{node.kind()} {node.text()}"

    @told_last
    def children(self):
        """Its slots."""
        for slot in Node(self.value).slots():
            yield slot.where(), name_of_entry(slot.value)


# -- cursors -----------------------------------------------------------------

class LevelPrinter:
    """struct umaple_level_: one level of a cursor's path."""

    def __init__(self, value):
        self.value = value

    @told
    def to_string(self):
        """The node, and the slot taken; its range is for the levels above."""
        node = Node(node_at(int(self.value["node"])))
        return (f"{node.kind()} {node.address:#x} {node.text()}, "
                f"at slot {int(self.value['slot'])}")


class CursorPrinter:
    """struct umaple_cursor: the range at hand, its state, and its path."""

    def __init__(self, value):
        self.value = value

    def has_path(self):
        """Only then do the fields of the path mean anything."""
        return bool(int(self.value["state_"]) & CURSOR_PATH)

    def path_text(self):
        """Whether there is a path, and whether the tree is still the same."""
        if not self.has_path():
            return "no path"
        tree = self.value["tree_"].dereference()
        same = int(tree["generation_"]) == int(self.value["generation_"])
        return "path" if same else "path from before the tree's last change"

    @told
    def to_string(self):
        """[index, last], state."""
        where = text_of_range(int(self.value["index"]), int(self.value["last"]))
        at_range = int(self.value["state_"]) & CURSOR_AT
        return f"cursor {where} {'at' if at_range else 'fresh'}, " \
               f"{self.path_text()}"

    @told_last
    def children(self):
        """The tree's address, and the path from the root down."""
        yield "tree", self.value["tree_"]
        if int(self.value["promised_"]):
            where = text_of_range(int(self.value["promised_first_"]),
                                  int(self.value["promised_last_"]))
            count = self.value["promised_"]["count"]
            yield "promised", f"{count} nodes to store {where}"
        if not self.has_path():
            return
        height = int(self.value["path_"]["height"])
        if height > MAX_HEIGHT:
            raise Damage(f"path of {height} levels")
        for level in reversed(range(height)):
            yield f"level {level}", self.value["path_"]["at"][level]


# -- caches ------------------------------------------------------------------

class SheafPrinter:
    """struct umaple_sheaf: how full it is, and its objects."""

    def __init__(self, value):
        self.value = value

    @staticmethod
    def display_hint():
        """Objects have numbers, not names."""
        return "array"

    def count(self):
        """Objects held."""
        count, capacity = int(self.value["count"]), int(self.value["capacity"])
        if count > capacity:
            raise Damage(f"no sheaf: {count} of {capacity} objects")
        return count

    @told
    def to_string(self):
        """Fill, and whether it is lent."""
        lent = ", borrowed" if int(self.value["owner"]) else ""
        return f"sheaf, {self.count()} of {self.value['capacity']} objects{lent}"

    @told_last
    def children(self):
        """The stack from its bottom."""
        for number in range(self.count()):
            yield str(number), self.value["objects"][number]


class Cpu:
    """What a cache has for one CPU."""

    def __init__(self, table, number):
        cpu_type = library_type("cache_cpu", "rcu_free")
        address = int(table["base"]) + number * GUARD_BYTES
        self.value = gdb.Value(address).cast(cpu_type.pointer()).dereference()
        self.value.fetch_lazy()
        self.stacks = self.value["guard"]["stacks"]

    def level(self, stack):
        """Pointers that an installed sheaf holds, and pops from it."""
        level = int(self.stacks[stack]["level"])
        return level % (1 << GUARD_POP_SHIFT), level >> GUARD_POP_SHIFT

    def events(self, name):
        """What has been counted here, with what installed sheaves tell."""
        held, pops = self.level(0)
        return {
            "ALLOC_FASTPATH": pops,
            "FREE_FASTPATH": held + pops - int(self.value["main_base"]),
            "FREE_RCU_SHEAF": self.level(1)[0],
        }.get(name, 0)

    def text(self):
        """Its sheaves; empty if it has none. The count of an installed sheaf is
        in its stack's level."""
        texts = [f"{name} {self.level(stack)[0]} of "
                 f"{int(self.value[name]['capacity'])}"
                 for stack, name in enumerate(("main", "rcu_free"))
                 if int(self.value[name])]
        spare, waiting = self.value["spare"], int(self.value["queue_length"])
        if int(spare):
            texts.append(f"spare {spare['count']} of {spare['capacity']}")
        if waiting:
            texts.append(f"{waiting} sheaves waiting")
        return ", ".join(texts)


class CachePrinter:
    """struct umaple_cache: what it is for, what it holds, what it has counted."""

    def __init__(self, value):
        self.value = value

    def cpus(self):
        """What it has for each CPU."""
        table = self.value["table"]
        return [Cpu(table, number) for number in range(int(table["count"]))]

    def barn(self):
        """How many sheaves it keeps, and what its partial one holds."""
        barn = self.value["barn"]
        text = f"{barn['nr_full']} full, {barn['nr_empty']} empty"
        if int(barn["partial"]):
            partial = barn["partial"].dereference()
            text += f", partial {partial['count']} of {partial['capacity']}"
        return text

    def counters(self, cpus):
        """As umaple_cache_stats_get() sums them: name and value."""
        fields = library_type("cache_event", "EVENT_ENTER").fields()
        last = next(f.enumval for f in fields if f.name == "NR_STAT_EVENTS")
        for field in fields:
            event, name = field.enumval, field.name.removeprefix("EVENT_")
            if event < last:
                total = int(self.value["stray"][event]) + sum(
                    int(cpu.value["counts"][event]) + cpu.events(name)
                    for cpu in cpus)
                yield name.lower(), total - int(self.value["baseline"][event])

    @told
    def to_string(self):
        """Name, objects, flavour."""
        if self.value.address is None:
            raise Damage("a copy of a cache")
        name = self.value["name"].address.reinterpret_cast(
            gdb.lookup_type("char").pointer()).string("utf-8", "replace")
        flavour = self.value["head"]["flavor"].format_string(symbols=True)
        return (f'cache "{name}", '
                f"{int(self.value['node']['geo']['object_size'])} bytes, "
                f"flavour {flavour}")

    @told_last
    def children(self):
        """Levels, each CPU's sheaves, then the counters that are not 0."""
        cpus = self.cpus()
        yield "sheaf_capacity", self.value["capacity"]
        yield "slabs", self.value["node"]["nr_slabs"]
        yield "barn", self.barn()
        yield "pending", int(self.value["pending"]) + sum(
            cpu.level(1)[0] for cpu in cpus)
        yield "pending_limit", self.value["pending_limit"]
        for number, cpu in enumerate(cpus):
            if cpu.text():
                yield f"cpu {number}", cpu.text()
        for name, count in self.counters(cpus):
            if count > 0:
                yield name, count


# -- commands ---------------------------------------------------------------

class WalkCommand(gdb.Command):
    """Show the way to an index of a tree: umaple-walk TREE INDEX

TREE is a struct umaple_tree or a pointer to one, INDEX an expression without
blanks. Prints each node on the way with its slots, as umaple_tree_dump()
does; ">" marks the slot that the index is in."""

    def __init__(self):
        super().__init__("umaple-walk", gdb.COMMAND_DATA,
                         gdb.COMPLETE_EXPRESSION)

    @staticmethod
    def parse(argument):
        """The tree's value and the index."""
        tree, _, index = argument.strip().rpartition(" ")
        if not tree:
            raise gdb.GdbError("usage: umaple-walk TREE INDEX")
        value = gdb.parse_and_eval(tree)
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            value = value.dereference()
        if gdb.types.get_basic_type(value.type).tag != "umaple_tree":
            raise gdb.GdbError(f"{tree} is not a struct umaple_tree")
        return value, int(gdb.parse_and_eval(index)) & MAX_INDEX

    @staticmethod
    def slot_text(node, slot):
        """A slot as umaple_tree_dump() has it."""
        text = f"{slot.number} {slot.where()}"
        if node.level:
            return text
        entry = name_of_entry(slot.value)
        if isinstance(entry, gdb.Value):
            entry = entry.format_string(symbols=True)
        return f"{text} {entry}"

    def invoke(self, argument, _from_tty):
        """Print; trouble is an error of the command."""
        try:
            value, index = self.parse(argument)
            tree = Tree(value)
            where = "" if value.address is None else f" {int(value.address):#x}"
            print(f"tree{where} {tree.text()}")
            for node, taken in tree.path(index):
                print(f"{node.kind()} {node.address:#x} {node.text()}")
                for slot in node.slots():
                    mark = ">" if slot.number == taken.number else " "
                    print(f"{mark} {self.slot_text(node, slot)}")
        except TROUBLE as trouble:
            raise gdb.GdbError(str(trouble)) from None


class NodeFunction(gdb.Function):
    """The node of a tree at an address: $umaple_node(ADDRESS)

The low eight bits do not matter, so that a root word will do. As a cast to
struct node *, but right when the program has a struct node of its own."""

    def __init__(self):
        super().__init__("umaple_node")

    def invoke(self, address):
        """The value; trouble is an error of the expression."""
        try:
            return node_at(int(address) & MAX_INDEX - NODE_BYTES + 1)
        except TROUBLE as trouble:
            raise gdb.GdbError(str(trouble)) from None


# -- registration -----------------------------------------------------------------

def is_ours(value, *fields):
    """Not just a type of the same name: it has these fields."""
    names = gdb.types.get_basic_type(value.type).keys()
    return all(field in names for field in fields)


def node_printer(value):
    """For the library's struct node only."""
    return NodePrinter(value) if is_ours(value, "dead", "gapped") else None


def register():
    """Printers by name, which `info pretty-printer` shows; and the command."""
    printers = gdb.printing.RegexpCollectionPrettyPrinter("umaple")
    for name, printer in (("umaple_tree", TreePrinter),
                          ("node", node_printer),
                          ("umaple_level_", LevelPrinter),
                          ("umaple_cursor", CursorPrinter),
                          ("umaple_sheaf", SheafPrinter),
                          ("umaple_cache", CachePrinter)):
        printers.add_printer(name, f"^{re.escape(name)}$", printer)
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers,
                                         replace=True)
    WalkCommand()
    NodeFunction()
    for event in (gdb.events.new_objfile, gdb.events.clear_objfiles):
        event.connect(lambda _event: library_types.clear())


register()
