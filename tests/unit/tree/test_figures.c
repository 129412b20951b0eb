/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_figures.c - the figures of doc/tree.md, before and after each kind of write.
 *
 * A figure has a line for each level, the root's first.  An inner node is the number
 * of its children; a leaf its slots: a letter for an entry, a dot for a hole.  A node
 * that was not there before has a star.
 */

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "tree/tree_priv.h"

const char *const suite_name = "figures";

#define FIGURE_MAX 1024
#define NODES_MAX  64

/* Entry X is the address of letter['X']. */
static char letter[128];

struct figure {
	struct umaple_tree tree;
	struct node *before[NODES_MAX]; /* nodes there were */
	unsigned int nr_before;
	char text[FIGURE_MAX];
	size_t used;
};

#define DRAW(figure, ...)                                                      \
	((figure)->used +=                                                     \
	 (size_t)snprintf((figure)->text + (figure)->used,                     \
			  FIGURE_MAX - (figure)->used, __VA_ARGS__))

static bool is_new(const struct figure *figure, const struct node *node)
{
	unsigned int i;

	for (i = 0; i < figure->nr_before; i++)
		if (figure->before[i] == node)
			return false;
	return true;
}

static void draw_node(struct figure *figure, struct node *node)
{
	unsigned int i;

	if (node->level)
		DRAW(figure, "%u", (unsigned int)node->count);
	for (i = 0; !node->level && i < node->count; i++)
		DRAW(figure, "%c",
		     node->plain.slot[i]
			     ? (int)((char *)node->plain.slot[i] - letter)
			     : '.');
	if (is_new(figure, node))
		DRAW(figure, "*");
}

/* Nodes of a level below @node, the leftmost first; the first without a bar. */
static void draw_level(struct figure *figure, struct node *node,
		       unsigned int level, bool *first)
{
	unsigned int i;

	if (node->level == level) {
		DRAW(figure, *first ? "" : " | ");
		*first = false;
		draw_node(figure, node);
		return;
	}
	for (i = 0; i < node->count; i++)
		draw_level(figure, node_slots(node)[i], level, first);
}

static void draw(struct figure *figure, const char *title)
{
	void *root = tree_root(&figure->tree);
	unsigned int level = root_height(root);
	bool first;

	if (!root)
		DRAW(figure, "    %-9s empty\n", title);
	while (level--) {
		DRAW(figure, "    %-9s ", title);
		title = "";
		first = true;
		draw_level(figure, root_node(root), level, &first);
		DRAW(figure, "\n");
	}
}

static void remember(struct figure *figure, struct node *node)
{
	unsigned int i;

	ck_assert_uint_lt(figure->nr_before, NODES_MAX);
	figure->before[figure->nr_before++] = node;
	for (i = 0; node->level && i < node->count; i++)
		remember(figure, node_slots(node)[i]);
}

/* -- the writes --------------------------------------------------------------------- */

static const struct scene {
	const char *title;
	size_t count;	   /* ranges of 5 every 10, from a on */
	unsigned int fill; /* per cent of a node */
	uint64_t first;
	uint64_t last;
	char entry;    /* 0 for NULL */
	uint64_t to;   /* where [first, last] is moved; 0: it is stored */
	uint64_t hole; /* all from here on is emptied beforehand; 0: nothing */
} scenes[] = {
	{ "A: store [0, 4] = a", 0, 0, 0, 4, 'a', 0, 0 },
	{ "B: store [10, 14] = X", 3, 0, 10, 14, 'X', 0, 0 },
	{ "C: store [12, 17] = X", 3, 0, 12, 17, 'X', 0, 0 },
	{ "D, a new root: store [22, 22] = X", 8, 0, 22, 22, 'X', 0, 0 },
	{ "D, split: store [22, 22] = X", 16, 0, 22, 22, 'X', 0, 0 },
	{ "D, push: store [22, 22] = X", 16, 0, 22, 22, 'X', 0, 110 },
	{ "D, merge: store [60, 69] = NULL", 9, 50, 60, 69, 0, 0, 0 },
	{ "D, a level goes: store [20, 29] = NULL", 6, 50, 20, 29, 0, 0, 0 },
	{ "D, span: store [22, 172] = X", 24, 50, 22, 172, 'X', 0, 0 },
	{ "move [0, 14] to 200", 16, 50, 0, 14, 0, 200, 0 },
};

#define SCENES ((int)(sizeof(scenes) / sizeof(scenes[0])))

static void build(struct figure *figure, const struct scene *scene)
{
	struct umaple_range ranges[26];
	size_t i;

	umaple_tree_init(&figure->tree, 0);
	for (i = 0; i < scene->count; i++)
		ranges[i] = (struct umaple_range){ 10 * i, 10 * i + 4,
						   &letter['a' + i] };
	ck_assert_int_eq(umaple_tree_build(&figure->tree, ranges, scene->count,
					   scene->fill),
			 0);
	if (scene->hole)
		ck_assert_int_eq(umaple_store_range(&figure->tree, scene->hole,
						    UINT64_MAX, NULL),
				 0);
	if (scene->count)
		remember(figure, root_node(tree_root(&figure->tree)));
}

static int write_scene(struct figure *figure, const struct scene *scene)
{
	if (scene->to)
		return umaple_move_range(&figure->tree, scene->first,
					 scene->last, scene->to);
	return umaple_store_range(&figure->tree, scene->first, scene->last,
				  scene->entry ? &letter[(int)scene->entry]
					       : NULL);
}

static const char *manual(void)
{
	static char text[1 << 16];
	FILE *file = fopen(DOC_DIR "/tree.md", "r");

	ck_assert_msg(file != NULL, "no " DOC_DIR "/tree.md");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

START_TEST(figure_of_the_manual_is_right)
{
	const struct scene *scene = &scenes[_i];
	struct figure figure = { .used = 0 };

	DRAW(&figure, "    %s\n", scene->title);
	build(&figure, scene);
	draw(&figure, "before");
	/* So that no node comes back under the same address. */
	umaple_read_lock(&figure.tree);
	ck_assert_int_eq(write_scene(&figure, scene), 0);
	draw(&figure, "after");
	umaple_read_unlock(&figure.tree);
	umaple_tree_destroy(&figure.tree);
	ck_assert_msg(strstr(manual(), figure.text) != NULL,
		      "doc/tree.md should show\n%s", figure.text);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("figures");

	tcase_add_loop_test(tc, figure_of_the_manual_is_right, 0, SCENES);
	suite_add_tcase(s, tc);
}
