/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cursor_table.c - the table of doc/cursor.md, cell by cell.
 *
 * The head of a column tells, between backquotes, how its state comes about; the
 * head of a row, the call that is made then.  Both are calls as scripts[] below has
 * them, done in a tree with {10..19: a, 30..39: b, 50..59: c}.  A cell is what comes
 * back and where the cursor stands afterwards.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/cursor.h>

#include "harness.h"

const char *const suite_name = "cursor_table";

#define MAX	  UINT64_MAX
#define COLUMNS	  16
#define LINE_MAX_ 4096

static const unsigned int tree_flags[] = {
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_EXTERNAL_LOCK,
	0,
};

/* Entries a to d; the arguments of a call. */
static char value[4];

struct scene {
	struct umaple_tree tree;
	struct umaple_cursor cursor;
	char result[32]; /* what the last call returned */
};

struct arguments {
	unsigned int nr;
	uint64_t number[3];
	void *entry; /* the last one, when it is an entry */
};

/* -- what comes back, as text -------------------------------------------------- */

static void say(struct scene *scene, const char *text)
{
	snprintf(scene->result, sizeof(scene->result), "%s ", text);
}

static void say_entry(struct scene *scene, const void *entry, const char *none)
{
	char letter[2] = { 0 };

	if (!entry) {
		say(scene, none);
		return;
	}
	letter[0] = (char)('a' + ((const char *)entry - value));
	say(scene, letter);
}

static void say_error(struct scene *scene, int error)
{
	say(scene, error == 0	      ? "0"
		   : error == -EINVAL ? "-EINVAL"
		   : error == -EBUSY  ? "-EBUSY"
				      : "?");
}

/* -- calls ------------------------------------------------------------------------ */

static void call_set(struct scene *scene, const struct arguments *args)
{
	umaple_cursor_set_range(&scene->cursor, args->number[0],
				args->number[args->nr - 1]);
}

static void call_reset(struct scene *scene, const struct arguments *args)
{
	umaple_cursor_reset(&scene->cursor);
}

static void call_pause(struct scene *scene, const struct arguments *args)
{
	umaple_cursor_pause(&scene->cursor);
}

static void call_walk(struct scene *scene, const struct arguments *args)
{
	say_entry(scene, umaple_cursor_walk(&scene->cursor), "hole");
}

typedef void *search_fn(struct umaple_cursor *cursor, uint64_t limit);
typedef bool search_range_fn(struct umaple_cursor *cursor, uint64_t limit,
			     void **ret_entry);

static void search(struct scene *scene, const struct arguments *args,
		   search_fn *fn)
{
	say_entry(scene, fn(&scene->cursor, args->number[0]), "none");
}

static void search_range(struct scene *scene, const struct arguments *args,
			 search_range_fn *fn)
{
	void *entry = NULL;

	if (fn(&scene->cursor, args->number[0], &entry))
		say_entry(scene, entry, "hole");
	else
		say(scene, "none");
}

#define SEARCH(name, how)                                                      \
	static void call_##name(struct scene *scene,                           \
				const struct arguments *args)                  \
	{                                                                      \
		how(scene, args, umaple_cursor_##name);                        \
	}

SEARCH(find, search)
SEARCH(find_rev, search)
SEARCH(next, search)
SEARCH(prev, search)
SEARCH(find_range, search_range)
SEARCH(find_range_rev, search_range)
SEARCH(next_range, search_range)
SEARCH(prev_range, search_range)

static void call_store(struct scene *scene, const struct arguments *args)
{
	say_error(scene, umaple_cursor_store(&scene->cursor, args->entry));
}

static void call_erase(struct scene *scene, const struct arguments *args)
{
	void *entry;

	ck_assert_int_eq(umaple_cursor_erase(&scene->cursor, &entry), 0);
	say_entry(scene, entry, "hole");
}

static void call_prealloc(struct scene *scene, const struct arguments *args)
{
	say_error(scene, umaple_cursor_prealloc(&scene->cursor, args->entry));
}

static void call_store_prealloc(struct scene *scene,
				const struct arguments *args)
{
	say_error(scene,
		  umaple_cursor_store_prealloc(&scene->cursor, args->entry));
}

static void call_finish(struct scene *scene, const struct arguments *args)
{
	umaple_cursor_finish(&scene->cursor);
}

/* Of this size, between these two. */
static void call_gap_first(struct scene *scene, const struct arguments *args)
{
	say_error(scene,
		  umaple_cursor_gap_first(&scene->cursor, args->number[0], 1,
					  args->number[1], args->number[2]));
}

static void call_gap_last(struct scene *scene, const struct arguments *args)
{
	say_error(scene,
		  umaple_cursor_gap_last(&scene->cursor, args->number[0], 1,
					 args->number[1], args->number[2]));
}

static void call_is_fresh(struct scene *scene, const struct arguments *args)
{
	say(scene, umaple_cursor_is_fresh(&scene->cursor) ? "yes" : "no");
}

static void call_is_cut(struct scene *scene, const struct arguments *args)
{
	say(scene, umaple_cursor_is_cut(&scene->cursor) ? "yes" : "no");
}

/* Somebody else stores. */
static void call_others(struct scene *scene, const struct arguments *args)
{
	struct umaple_cursor other;

	umaple_cursor_init(&other, &scene->tree, args->number[0],
			   args->number[1]);
	ck_assert_int_eq(umaple_cursor_store(&other, args->entry), 0);
}

static const struct script {
	const char *name;
	void (*call)(struct scene *scene, const struct arguments *args);
	unsigned int numbers[2]; /* at least, at most */
	bool entry;
} scripts[] = {
	{ "set", call_set, { 1, 2 }, false },
	{ "reset", call_reset, { 0, 0 }, false },
	{ "pause", call_pause, { 0, 0 }, false },
	{ "walk", call_walk, { 0, 0 }, false },
	{ "find", call_find, { 1, 1 }, false },
	{ "find_rev", call_find_rev, { 1, 1 }, false },
	{ "next", call_next, { 1, 1 }, false },
	{ "prev", call_prev, { 1, 1 }, false },
	{ "find_range", call_find_range, { 1, 1 }, false },
	{ "find_range_rev", call_find_range_rev, { 1, 1 }, false },
	{ "next_range", call_next_range, { 1, 1 }, false },
	{ "prev_range", call_prev_range, { 1, 1 }, false },
	{ "store", call_store, { 0, 0 }, true },
	{ "erase", call_erase, { 0, 0 }, false },
	{ "prealloc", call_prealloc, { 0, 0 }, true },
	{ "store_prealloc", call_store_prealloc, { 0, 0 }, true },
	{ "finish", call_finish, { 0, 0 }, false },
	{ "gap_first", call_gap_first, { 3, 3 }, false },
	{ "gap_last", call_gap_last, { 3, 3 }, false },
	{ "is_fresh", call_is_fresh, { 0, 0 }, false },
	{ "is_cut", call_is_cut, { 0, 0 }, false },
	{ "others", call_others, { 2, 2 }, true },
};

/* -- reading calls --------------------------------------------------------------- */

static void read_argument(const char *word, struct arguments *args)
{
	char *end;

	if (!strcmp(word, "NULL")) {
		args->entry = NULL;
	} else if (strlen(word) == 1 && *word >= 'a' && *word <= 'd') {
		args->entry = &value[*word - 'a'];
	} else {
		ck_assert_uint_lt(args->nr, 3);
		args->number[args->nr++] =
			strcmp(word, "max") ? strtoull(word, &end, 10) : MAX;
	}
}

/* One call, such as others(33,45,d). */
static void run_call(struct scene *scene, char *call)
{
	struct arguments args = { 0 };
	char *name = call, *word, *rest;
	size_t i;

	if (strchr(call, '(')) {
		name = strtok_r(call, "(", &rest);
		while ((word = strtok_r(NULL, ",)", &rest)))
			read_argument(word, &args);
	}
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (!strcmp(name, scripts[i].name))
			break;
	ck_assert_msg(i < sizeof(scripts) / sizeof(scripts[0]), "no call %s",
		      name);
	ck_assert_msg(args.nr >= scripts[i].numbers[0] &&
			      args.nr <= scripts[i].numbers[1],
		      "arguments of %s", name);
	scene->result[0] = '\0';
	scripts[i].call(scene, &args);
}

/* What stands between the backquotes of a cell, call by call. */
static void run_cell(struct scene *scene, const char *cell)
{
	const char *open = strchr(cell, '`');
	const char *close = open ? strchr(open + 1, '`') : NULL;
	char text[128], *call, *rest;

	ck_assert_msg(close != NULL, "no calls in '%s'", cell);
	snprintf(text, sizeof(text), "%.*s", (int)(close - open - 1), open + 1);
	for (call = strtok_r(text, " ", &rest); call;
	     call = strtok_r(NULL, " ", &rest))
		run_call(scene, call);
}

/* -- the table -------------------------------------------------------------------- */

static void say_place(const struct scene *scene, char *text, size_t size)
{
	const struct umaple_cursor *cursor = &scene->cursor;
	char last[24] = "max";

	if (cursor->last != MAX)
		snprintf(last, sizeof(last), "%llu",
			 (unsigned long long)cursor->last);
	snprintf(text, size, "%s%llu..%s%s", scene->result,
		 (unsigned long long)cursor->index, last,
		 umaple_cursor_is_fresh(cursor) ? "*" : "");
}

/* What the cell of this column and row has to say. */
static void play(unsigned int flags, const char *column, const char *row,
		 char *text, size_t size)
{
	bool locks = !(flags & UMAPLE_TREE_EXTERNAL_LOCK);
	struct scene scene;
	uint64_t i;

	umaple_tree_init(&scene.tree, flags);
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(umaple_store_range(&scene.tree, 20 * i + 10,
						    20 * i + 19, &value[i]),
				 0);
	umaple_cursor_init(&scene.cursor, &scene.tree, 0, 0);
	if (locks)
		umaple_lock(&scene.tree);
	run_cell(&scene, column);
	run_cell(&scene, row);
	say_place(&scene, text, size);
	umaple_cursor_finish(&scene.cursor);
	if (locks)
		umaple_unlock(&scene.tree);
	umaple_tree_destroy(&scene.tree);
}

/* Cut a line of a table into its cells; 0 if it is none. */
static unsigned int split(char *line, char *cells[COLUMNS])
{
	unsigned int nr = 0;
	char *cell, *rest;

	if (strncmp(line, "| ", 2))
		return 0;
	for (cell = strtok_r(line, "|\n", &rest); cell;
	     cell = strtok_r(NULL, "|\n", &rest)) {
		ck_assert_uint_lt(nr, COLUMNS);
		while (*cell == ' ')
			cell++;
		while (*cell && cell[strlen(cell) - 1] == ' ')
			cell[strlen(cell) - 1] = '\0';
		cells[nr++] = cell;
	}
	return nr;
}

/* Are all cells of a row right?  Otherwise print what it should be. */
static bool row_is_right(unsigned int flags, char *columns[COLUMNS],
			 char *cells[COLUMNS], unsigned int nr)
{
	char line[LINE_MAX_], text[64];
	bool right = true;
	unsigned int i;
	size_t used;

	used = (size_t)snprintf(line, sizeof(line), "| %s |", cells[0]);
	for (i = 1; i < nr; i++) {
		play(flags, columns[i], cells[0], text, sizeof(text));
		right = right && !strcmp(text, cells[i]);
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 " %s |", text);
	}
	if (!right)
		fprintf(stderr, "%s\n", line);
	return right;
}

/* The document, where the rows begin; @head receives the head of the table. */
static FILE *open_table(char *head, size_t size)
{
	FILE *file = fopen(DOC_DIR "/cursor.md", "r");

	ck_assert_msg(file != NULL, "no " DOC_DIR "/cursor.md");
	while (fgets(head, (int)size, file))
		if (!strncmp(head, "| call |", 8))
			return file;
	ck_abort_msg("no table in " DOC_DIR "/cursor.md");
}

START_TEST(table_of_the_manual_is_right)
{
	static char head[LINE_MAX_], line[LINE_MAX_];
	char *columns[COLUMNS], *cells[COLUMNS];
	FILE *file = open_table(head, sizeof(head));
	unsigned int nr = split(head, columns), checked = 0, wrong = 0;

	while (fgets(line, sizeof(line), file) && split(line, cells)) {
		if (!strncmp(cells[0], "---", 3))
			continue;
		if (strstr(cells[0], "gap_") &&
		    !(tree_flags[_i] & UMAPLE_TREE_GAPS))
			continue;
		checked++;
		wrong += !row_is_right(tree_flags[_i], columns, cells, nr);
	}
	fclose(file);
	ck_assert_uint_gt(checked, 20);
	ck_assert_msg(!wrong, "%u rows of doc/cursor.md should be as printed",
		      wrong);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cursor_table");

	tcase_add_loop_test(tc, table_of_the_manual_is_right, 0, 4);
	suite_add_tcase(s, tc);
}
