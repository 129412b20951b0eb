/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_tree_dump.c - tree/tree_dump.c: each format shows each node and each slot
 * once, with the right range, and comes to an end in a damaged tree.
 *
 * That JSON and DOT are what their readers accept is for tests/debug/.
 */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/debug.h>

#include "harness.h"
#include "shape.h"

const char *const suite_name = "tree_dump";

static struct twin twin;

/* The dump as text; valid until the next call. */
static const char *dump(enum umaple_dump_format format)
{
	static char *text;
	size_t size;
	FILE *stream;

	free(text);
	stream = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(stream);
	umaple_tree_dump(&twin.tree, format, stream);
	ck_assert_int_eq(fclose(stream), 0);
	return text;
}

/* Put the address of a node or the tree into a text that has "%". */
static void expect(enum umaple_dump_format format, const char *wanted,
		   const void *const *addresses)
{
	char text[4096], *end = text;

	for (; *wanted; wanted++) {
		ck_assert(end < text + sizeof(text) - 32);
		if (*wanted == '%')
			end += sprintf(end, "0x%" PRIxPTR,
				       (uintptr_t)*addresses++);
		else
			*end++ = *wanted;
	}
	*end = '\0';
	ck_assert_str_eq(dump(format), text);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* -- exact, in small trees ------------------------------------------------------ */

static const struct {
	unsigned int flags;
	const char *shape;
	const char *text;
	const char *json;
} exact[] = {
	{ 0, "", "tree % height 0 flags {}\n",
	  "{\"tree\": \"%\", \"height\": 0, \"flags\": [], \"root\": null}\n" },
	{ UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK | UMAPLE_TREE_MERGE,
	  "1",
	  "tree % height 1 flags {serial, external_lock, merge}\n"
	  "leaf % level 0 [0x0, 0xffffffffffffffff] 1 slots\n"
	  "  0 [0x0, 0xffffffffffffffff] 0x10000\n",
	  "{\"tree\": \"%\", \"height\": 1, "
	  "\"flags\": [\"serial\", \"external_lock\", \"merge\"], \"root\":\n"
	  " {\"node\": \"%\", \"level\": 0, \"count\": 1, \"dead\": false, "
	  "\"min\": \"0x0\", \"max\": \"0xffffffffffffffff\", \"slots\": [\n"
	  "  {\"first\": \"0x0\", \"last\": \"0xffffffffffffffff\", "
	  "\"entry\": \"0x10000\"}]}}\n" },
	{ UMAPLE_TREE_GAPS, "x.x",
	  "tree % height 1 flags {gaps}\n"
	  "leaf % level 0 [0x0, 0xffffffffffffffff] 3 slots\n"
	  "  0 [0x0, 0x9] 0x10000\n"
	  "  1 [0xa, 0x13] hole\n"
	  "  2 [0x14, 0xffffffffffffffff] 0x10002\n",
	  "{\"tree\": \"%\", \"height\": 1, \"flags\": [\"gaps\"], \"root\":\n"
	  " {\"node\": \"%\", \"level\": 0, \"count\": 3, \"dead\": false, "
	  "\"min\": \"0x0\", \"max\": \"0xffffffffffffffff\", \"slots\": [\n"
	  "  {\"first\": \"0x0\", \"last\": \"0x9\", \"entry\": \"0x10000\"},\n"
	  "  {\"first\": \"0xa\", \"last\": \"0x13\", \"entry\": null},\n"
	  "  {\"first\": \"0x14\", \"last\": \"0xffffffffffffffff\", "
	  "\"entry\": \"0x10002\"}]}}\n" },
};

START_TEST(small_tree_is_printed_in_full)
{
	const void *addresses[2] = { &twin.tree };

	twin_init(&twin, exact[_i].flags);
	if (*exact[_i].shape) {
		shape_build(&twin, exact[_i].shape);
		addresses[1] = shape_root(&twin.tree);
	}

	expect(UMAPLE_DUMP_TEXT, exact[_i].text, addresses);
	expect(UMAPLE_DUMP_JSON, exact[_i].json, addresses);

	twin_fini(&twin);
}
END_TEST

START_TEST(children_stand_below_their_slot_with_its_gap)
{
	const void *addresses[4] = { &twin.tree };

	twin_init(&twin, UMAPLE_TREE_GAPS);
	shape_build(&twin, "2/xxxx. 5");
	addresses[1] = shape_root(&twin.tree);
	addresses[2] = shape_leaf(&twin.tree, 0);
	addresses[3] = shape_leaf(&twin.tree, 1);

	expect(UMAPLE_DUMP_TEXT,
	       "tree % height 2 flags {gaps}\n"
	       "node % level 1 [0x0, 0xffffffffffffffff] 2 slots\n"
	       "  0 [0x0, 0x31] gap 0xa\n"
	       "    leaf % level 0 [0x0, 0x31] 5 slots\n"
	       "      0 [0x0, 0x9] 0x10000\n"
	       "      1 [0xa, 0x13] 0x10001\n"
	       "      2 [0x14, 0x1d] 0x10002\n"
	       "      3 [0x1e, 0x27] 0x10003\n"
	       "      4 [0x28, 0x31] hole\n"
	       "  1 [0x32, 0xffffffffffffffff] gap 0x0\n"
	       "    leaf % level 0 [0x32, 0xffffffffffffffff] 5 slots\n"
	       "      0 [0x32, 0x3b] 0x10005\n"
	       "      1 [0x3c, 0x45] 0x10006\n"
	       "      2 [0x46, 0x4f] 0x10007\n"
	       "      3 [0x50, 0x59] 0x10008\n"
	       "      4 [0x5a, 0xffffffffffffffff] 0x10009\n",
	       addresses);

	twin_fini(&twin);
}
END_TEST

START_TEST(dot_has_a_table_for_the_node_and_greys_the_hole)
{
	const void *addresses[5] = { &twin.tree };

	twin_init(&twin, 0);
	shape_build(&twin, "x.");
	addresses[1] = addresses[2] = addresses[3] = shape_root(&twin.tree);

	expect(UMAPLE_DUMP_DOT,
	       "digraph umaple {\n"
	       "\trankdir=LR\n"
	       "\tnode [shape=plain fontname=monospace]\n"
	       "\ttree [shape=ellipse "
	       "label=\"tree %\\nheight 1\\nflags {}\"]\n"
	       "\ttree -> \"%\"\n"
	       "\t\"%\" [label=<\n"
	       "\t\t<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n"
	       "\t\t<tr><td colspan=\"2\">leaf %<br/>"
	       "[0x0, 0xffffffffffffffff]</td></tr>\n"
	       "\t\t<tr><td>[0x0, 0x9]</td>"
	       "<td port=\"s0\">0x10000</td></tr>\n"
	       "\t\t<tr><td bgcolor=\"lightgrey\">"
	       "[0xa, 0xffffffffffffffff]</td>"
	       "<td bgcolor=\"lightgrey\" port=\"s1\">hole</td></tr>\n"
	       "\t\t</table>>]\n"
	       "}\n",
	       addresses);

	twin_fini(&twin);
}
END_TEST

START_TEST(reserved_range_is_called_so)
{
	twin_init(&twin, 0);
	shape_build(&twin, "2/5*2");
	ck_assert_int_eq(umaple_store(&twin.tree, 3, UMAPLE_RESERVED), 0);

	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), "0x3] reserved\n"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_DOT), ">reserved<"), 1);
	ck_assert_uint_eq(
		count(dump(UMAPLE_DUMP_JSON), "\"entry\": \"reserved\"}"), 1);

	twin_fini(&twin);
}
END_TEST

/* -- complete, in trees of each height ------------------------------------------- */

static const struct {
	unsigned int flags;
	const char *shape;
} deep[] = {
	{ 0, "3" },
	{ 0, "2/5*2" },
	{ 0, "2/5*2/5*10/5*50/x.xxx*125 .x.xx*125" },
	{ 0, "2/5*2/5*10/5*50/5*250/x.xxx*1250" },
	{ UMAPLE_TREE_GAPS, "2/5*2" },
	{ UMAPLE_TREE_GAPS, "2/4*2/4*8/4*32/4*128/x.xxx*511 .x.xx" },
};

#define NR_DEEP ((int)(sizeof(deep) / sizeof(deep[0])))

static struct umaple_tree_info build_deep(int i)
{
	struct umaple_tree_info info;

	twin_init(&twin, deep[i].flags);
	shape_build(&twin, deep[i].shape);
	umaple_tree_measure(&twin.tree, &info);
	return info;
}

/* Is the line a leaf's slot?  If so, what it says. */
static bool parse_slot(const char *line, struct umaple_range *range)
{
	uint64_t entry = 0;
	int length = 0;

	if (sscanf(line, " %*u [0x%" SCNx64 ", 0x%" SCNx64 "] %n",
		   &range->first, &range->last, &length) != 2 ||
	    !length)
		return false;
	if (strncmp(line + length, "hole\n", 5) &&
	    sscanf(line + length, "0x%" SCNx64 "\n", &entry) != 1)
		return false;
	range->entry = (void *)(uintptr_t)entry;
	return true;
}

START_TEST(text_tells_ranges_and_holes_in_order)
{
	struct umaple_tree_info info = build_deep(_i);
	const char *line = dump(UMAPLE_DUMP_TEXT);
	struct umaple_range got, wanted = { .last = UINT64_MAX };
	uint64_t slots = 0;

	ck_assert_uint_eq(count(line, " level "), info.nodes);
	for (; *line; line = strchr(line, '\n') + 1) {
		if (!parse_slot(line, &got))
			continue;
		wanted = model_at(&twin.model, wanted.last + 1);
		ck_assert_uint_eq(got.first, wanted.first);
		ck_assert_uint_eq(got.last, wanted.last);
		ck_assert_ptr_eq(got.entry, wanted.entry);
		slots++;
	}
	ck_assert_uint_eq(wanted.last, UINT64_MAX);
	ck_assert_uint_eq(slots, info.ranges + info.holes);

	twin_fini(&twin);
}
END_TEST

START_TEST(json_has_each_node_and_slot_once)
{
	struct umaple_tree_info info = build_deep(_i);
	const char *text = dump(UMAPLE_DUMP_JSON);

	ck_assert_uint_eq(count(text, "{\"node\": "), info.nodes);
	ck_assert_uint_eq(count(text, "\"child\":"), info.nodes - 1);
	ck_assert_uint_eq(count(text, "\"entry\": \"0x"), info.ranges);
	ck_assert_uint_eq(count(text, "\"entry\": null"), info.holes);
	ck_assert_uint_eq(count(text, "\"gap\": \"0x"),
			  deep[_i].flags & UMAPLE_TREE_GAPS ? info.nodes - 1
							    : 0);
	ck_assert_uint_eq(count(text, "{"), count(text, "}"));

	twin_fini(&twin);
}
END_TEST

START_TEST(dot_has_each_node_and_edge_once)
{
	struct umaple_tree_info info = build_deep(_i);
	const char *text = dump(UMAPLE_DUMP_DOT);

	ck_assert_uint_eq(count(text, "<table "), info.nodes);
	ck_assert_uint_eq(count(text, " -> "), info.nodes);
	ck_assert_uint_eq(count(text, "port=\"s"),
			  info.nodes - 1 + info.ranges + info.holes);
	ck_assert_uint_eq(count(text, ">hole<"), info.holes);
	ck_assert_uint_eq(count(text, "<td>gap 0x"),
			  deep[_i].flags & UMAPLE_TREE_GAPS ? info.nodes - 1
							    : 0);

	twin_fini(&twin);
}
END_TEST

/* -- damaged trees ---------------------------------------------------------------- */

START_TEST(dead_node_is_marked)
{
	struct node *leaf;

	twin_init(&twin, 0);
	shape_build(&twin, "2/5*2");
	leaf = shape_leaf(&twin.tree, 1);
	leaf->dead = 1;

	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), " 5 slots dead\n"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_DOT), " dead<br/>"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_DOT), "lightpink"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_JSON), "\"dead\": true"), 1);

	leaf->dead = 0;
	twin_fini(&twin);
}
END_TEST

/* Not a child: nothing, no node's address, the node itself, one two levels down. */
static void *bad_child(int i, struct node *root)
{
	struct node *child = root->plain.slot[1];
	void *bad[] = { NULL, (char *)child + 8, root, child->plain.slot[0] };

	return bad[i];
}

START_TEST(bad_child_is_shown_and_not_followed)
{
	struct node *root;
	char wanted[64];
	void *child;

	twin_init(&twin, 0);
	shape_build(&twin, "2/5*2/5*10");
	root = shape_root(&twin.tree);
	child = root->plain.slot[1];
	root->plain.slot[1] = bad_child(_i, root);

	snprintf(wanted, sizeof(wanted),
		 "ffffffffffffffff] bad child 0x%" PRIxPTR "\n",
		 (uintptr_t)root->plain.slot[1]);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), wanted), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), " level "), 7);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_DOT), ">bad child<"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_DOT), " -> "), 7);
	snprintf(wanted, sizeof(wanted), "\"bad_child\": \"0x%" PRIxPTR "\"}",
		 (uintptr_t)root->plain.slot[1]);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_JSON), wanted), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_JSON), "\"child\":"), 6);

	root->plain.slot[1] = child;
	twin_fini(&twin);
}
END_TEST

START_TEST(no_more_slots_are_shown_than_a_node_has)
{
	struct node *root;
	uint8_t right;

	twin_init(&twin, UMAPLE_TREE_GAPS);
	shape_build(&twin, "2/5*2");
	root = shape_root(&twin.tree);
	right = root->count;
	root->count = 40;

	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), "] 40 slots\n"), 1);
	ck_assert_uint_eq(count(dump(UMAPLE_DUMP_TEXT), " gap 0x"),
			  NODE_GAP_SLOTS);

	root->count = right;
	twin_fini(&twin);
}
END_TEST

START_TEST(unknown_format_dies)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;

	umaple_tree_dump(&tree, (enum umaple_dump_format)3, stdout);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("tree_dump.exact");

	tcase_add_loop_test(tc, small_tree_is_printed_in_full, 0,
			    sizeof(exact) / sizeof(exact[0]));
	tcase_add_test(tc, children_stand_below_their_slot_with_its_gap);
	tcase_add_test(tc, dot_has_a_table_for_the_node_and_greys_the_hole);
	tcase_add_test(tc, reserved_range_is_called_so);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree_dump.deep");
	tcase_add_loop_test(tc, text_tells_ranges_and_holes_in_order, 0,
			    NR_DEEP);
	tcase_add_loop_test(tc, json_has_each_node_and_slot_once, 0, NR_DEEP);
	tcase_add_loop_test(tc, dot_has_each_node_and_edge_once, 0, NR_DEEP);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree_dump.damaged");
	tcase_add_test(tc, dead_node_is_marked);
	tcase_add_loop_test(tc, bad_child_is_shown_and_not_followed, 0, 4);
	tcase_add_test(tc, no_more_slots_are_shown_than_a_node_has);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree_dump.misuse");
	tcase_set_tags(tc, "death");
	tcase_add_test_raise_signal(tc, unknown_format_dies, SIGABRT);
	suite_add_tcase(s, tc);
}
