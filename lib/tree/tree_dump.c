/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/tree_dump.c - a tree as text for eyes, as DOT for graphviz, as JSON for
 * programs.
 *
 * There is one walk; a format is a table of what to print on the way.  Trees that
 * are damaged are what one most wants to see, so the walk only follows a child
 * whose level is one below its parent's: it comes to an end in any case, and
 * reads no slot that a node does not have.
 *
 * Numbers of 64 bits are hexadecimal in all formats.  In JSON they are strings,
 * since many readers of JSON keep numbers in a double, exact only up to 2^53.
 *
 * Locks: the tree's lock is held, or nobody writes.
 */

#include <inttypes.h>

#include <umaple/debug.h>

#include "tree/tree_priv.h"

/* A range, and any word of 64 bits. */
#define HEX   "0x%" PRIx64
#define RANGE "[" HEX ", " HEX "]"

struct dump {
	const struct umaple_tree *tree;
	const struct dump_format *format;
	FILE *stream;
	int depth; /* nodes above the one at hand */
};

/* A node, and what its parent says of it. */
struct dump_node {
	struct node *node;
	uint64_t min;
	uint64_t max;
	unsigned int count; /* slots that can be shown */
};

struct dump_slot {
	unsigned int i;
	uint64_t first;
	uint64_t last;
	const uint64_t *gap; /* NULL where there are none */
	void *value;
	struct node *child; /* the value, if it is a node of the level below */
};

/* Called in this order; what is NULL is left out. */
struct dump_format {
	void (*tree_open)(const struct dump *dump, const struct node *root);
	void (*node_open)(const struct dump *dump, const struct dump_node *at);
	void (*slot_open)(const struct dump *dump, const struct dump_node *at,
			  const struct dump_slot *slot);
	/* here the child, if there is one */
	void (*slot_close)(const struct dump *dump, const struct dump_node *at,
			   const struct dump_slot *slot);
	void (*node_close)(const struct dump *dump, const struct dump_node *at);
	void (*tree_close)(const struct dump *dump);
};

/* -- the walk ----------------------------------------------------------------- */

static struct dump_node make_node(struct node *node, uint64_t min, uint64_t max)
{
	unsigned int capacity = node_capacity(node->gapped);

	return (struct dump_node){
		.node = node,
		.min = min,
		.max = max,
		.count = node->count < capacity ? node->count : capacity,
	};
}

/* The child at @value, or NULL if that cannot be one of @node. */
static struct node *child_of(const struct node *node, void *value)
{
	struct node *child = value;

	if (!node->level || !child || (uintptr_t)child & (NODE_BYTES - 1))
		return NULL;
	return child->level + 1 == node->level ? child : NULL;
}

static struct dump_slot make_slot(const struct dump_node *at, unsigned int i)
{
	void *value = node_slots(at->node)[i];

	return (struct dump_slot){
		.i = i,
		.first = node_slot_first(at->node, i, at->min),
		.last = node_slot_last(at->node, i, at->max),
		.gap = at->node->gapped ? &at->node->gap.gap[i] : NULL,
		.value = value,
		.child = child_of(at->node, value),
	};
}

static void walk_node(struct dump *dump, struct dump_node at)
{
	const struct dump_format *format = dump->format;
	struct dump_slot slot;
	unsigned int i;

	format->node_open(dump, &at);
	for (i = 0; i < at.count; i++) {
		slot = make_slot(&at, i);
		format->slot_open(dump, &at, &slot);
		dump->depth++;
		if (slot.child)
			walk_node(dump,
				  make_node(slot.child, slot.first, slot.last));
		dump->depth--;
		if (format->slot_close)
			format->slot_close(dump, &at, &slot);
	}
	if (format->node_close)
		format->node_close(dump, &at);
}

static void walk_tree(struct dump *dump)
{
	struct node *root = root_node(tree_root(dump->tree));

	dump->format->tree_open(dump, root);
	if (root)
		walk_node(dump, make_node(root, 0, UINT64_MAX));
	if (dump->format->tree_close)
		dump->format->tree_close(dump);
}

/* -- what the formats share --------------------------------------------------- */

static uint64_t word(const void *pointer)
{
	return (uintptr_t)pointer;
}

static unsigned int dump_height(const struct dump *dump)
{
	return root_height(tree_root(dump->tree));
}

static const char *node_kind(const struct dump_node *at)
{
	return at->node->level ? "node" : "leaf";
}

/* Names of the tree's flags, each between @quote, commas between them. */
static void put_flags(const struct dump *dump, const char *quote)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ UMAPLE_TREE_GAPS, "gaps" },
		{ UMAPLE_TREE_SERIAL, "serial" },
		{ UMAPLE_TREE_EXTERNAL_LOCK, "external_lock" },
		{ UMAPLE_TREE_MERGE, "merge" },
	};
	const char *comma = "";
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(dump->tree->flags_ & names[i].flag))
			continue;
		fprintf(dump->stream, "%s%s%s%s", comma, quote, names[i].name,
			quote);
		comma = ", ";
	}
}

/* Room for an entry as text. */
#define ENTRY_SIZE sizeof("0x0123456789abcdef")

/* What a leaf's slot holds; written to @text, or a constant. */
static const char *entry_name(const struct dump_slot *slot,
			      char text[ENTRY_SIZE])
{
	if (!slot->value)
		return "hole";
	if (slot->value == reserved_entry())
		return "reserved";
	snprintf(text, ENTRY_SIZE, HEX, word(slot->value));
	return text;
}

/* -- text ---------------------------------------------------------------------- */

static void text_tree_open(const struct dump *dump, const struct node *root)
{
	fprintf(dump->stream, "tree " HEX " height %u flags {",
		word(dump->tree), dump_height(dump));
	put_flags(dump, "");
	fputs("}\n", dump->stream);
}

static void text_node_open(const struct dump *dump, const struct dump_node *at)
{
	fprintf(dump->stream, "%*s%s " HEX " level %u " RANGE " %u slots%s\n",
		4 * dump->depth, "", node_kind(at), word(at->node),
		at->node->level, at->min, at->max, at->node->count,
		at->node->dead ? " dead" : "");
}

static void text_slot_open(const struct dump *dump, const struct dump_node *at,
			   const struct dump_slot *slot)
{
	char text[ENTRY_SIZE];

	fprintf(dump->stream, "%*s%u " RANGE, 4 * dump->depth + 2, "", slot->i,
		slot->first, slot->last);
	if (slot->gap)
		fprintf(dump->stream, " gap " HEX, *slot->gap);
	if (!at->node->level)
		fprintf(dump->stream, " %s", entry_name(slot, text));
	else if (!slot->child)
		fprintf(dump->stream, " bad child " HEX, word(slot->value));
	fputc('\n', dump->stream);
}

/* -- DOT ------------------------------------------------------------------------ */

static void dot_tree_open(const struct dump *dump, const struct node *root)
{
	fputs("digraph umaple {\n"
	      "\trankdir=LR\n"
	      "\tnode [shape=plain fontname=monospace]\n",
	      dump->stream);
	fprintf(dump->stream,
		"\ttree [shape=ellipse label=\"tree " HEX
		"\\nheight %u\\nflags {",
		word(dump->tree), dump_height(dump));
	put_flags(dump, "");
	fputs("}\"]\n", dump->stream);
	if (root)
		fprintf(dump->stream, "\ttree -> \"" HEX "\"\n", word(root));
}

/* Holes are grey, what is wrong is pink. */
static const char *dot_colour(const struct dump_node *at,
			      const struct dump_slot *slot)
{
	if (at->node->level)
		return slot->child ? "" : " bgcolor=\"lightpink\"";
	return slot->value ? "" : " bgcolor=\"lightgrey\"";
}

/* A row of the table: the slot, its gap, and what a leaf has in it. */
static void dot_row(const struct dump *dump, const struct dump_node *at,
		    const struct dump_slot *slot)
{
	const char *colour = dot_colour(at, slot);
	const char *label = slot->child ? "" : "bad child";
	char text[ENTRY_SIZE];

	fprintf(dump->stream, "\t\t<tr><td%s>" RANGE "</td>", colour,
		slot->first, slot->last);
	if (slot->gap)
		fprintf(dump->stream, "<td>gap " HEX "</td>", *slot->gap);
	fprintf(dump->stream, "<td%s port=\"s%u\">%s</td></tr>\n", colour,
		slot->i, at->node->level ? label : entry_name(slot, text));
}

static void dot_node_open(const struct dump *dump, const struct dump_node *at)
{
	struct dump_slot slot;
	unsigned int i;

	fprintf(dump->stream,
		"\t\"" HEX "\" [label=<\n"
		"\t\t<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n"
		"\t\t<tr><td colspan=\"%u\"%s>%s " HEX "%s<br/>" RANGE
		"</td></tr>\n",
		word(at->node), at->node->gapped ? 3 : 2,
		at->node->dead ? " bgcolor=\"lightpink\"" : "", node_kind(at),
		word(at->node), at->node->dead ? " dead" : "", at->min,
		at->max);
	for (i = 0; i < at->count; i++) {
		slot = make_slot(at, i);
		dot_row(dump, at, &slot);
	}
	fputs("\t\t</table>>]\n", dump->stream);
}

static void dot_slot_open(const struct dump *dump, const struct dump_node *at,
			  const struct dump_slot *slot)
{
	if (slot->child)
		fprintf(dump->stream, "\t\"" HEX "\":s%u:e -> \"" HEX "\"\n",
			word(at->node), slot->i, word(slot->child));
}

static void dot_tree_close(const struct dump *dump)
{
	fputs("}\n", dump->stream);
}

/* -- JSON ----------------------------------------------------------------------- */

static void json_tree_open(const struct dump *dump, const struct node *root)
{
	fprintf(dump->stream,
		"{\"tree\": \"" HEX "\", \"height\": %u, \"flags\": [",
		word(dump->tree), dump_height(dump));
	put_flags(dump, "\"");
	fprintf(dump->stream, "], \"root\":%s", root ? "" : " null");
}

static void json_node_open(const struct dump *dump, const struct dump_node *at)
{
	fprintf(dump->stream,
		"\n%*s{\"node\": \"" HEX "\", \"level\": %u, \"count\": %u, "
		"\"dead\": %s, \"min\": \"" HEX "\", \"max\": \"" HEX "\", "
		"\"slots\": [",
		2 * dump->depth + 1, "", word(at->node), at->node->level,
		at->node->count, at->node->dead ? "true" : "false", at->min,
		at->max);
}

static void json_slot_open(const struct dump *dump, const struct dump_node *at,
			   const struct dump_slot *slot)
{
	char text[ENTRY_SIZE];

	fprintf(dump->stream,
		"%s\n%*s{\"first\": \"" HEX "\", \"last\": \"" HEX "\", ",
		slot->i ? "," : "", 2 * dump->depth + 2, "", slot->first,
		slot->last);
	if (slot->gap)
		fprintf(dump->stream, "\"gap\": \"" HEX "\", ", *slot->gap);
	if (slot->child)
		fputs("\"child\":", dump->stream);
	else if (at->node->level)
		fprintf(dump->stream, "\"bad_child\": \"" HEX "\"",
			word(slot->value));
	else if (slot->value)
		fprintf(dump->stream, "\"entry\": \"%s\"",
			entry_name(slot, text));
	else
		fputs("\"entry\": null", dump->stream);
}

static void json_slot_close(const struct dump *dump, const struct dump_node *at,
			    const struct dump_slot *slot)
{
	fputc('}', dump->stream);
}

static void json_node_close(const struct dump *dump, const struct dump_node *at)
{
	fputs("]}", dump->stream);
}

static void json_tree_close(const struct dump *dump)
{
	fputs("}\n", dump->stream);
}

static const struct dump_format formats[] = {
	[UMAPLE_DUMP_TEXT] = {
		.tree_open = text_tree_open,
		.node_open = text_node_open,
		.slot_open = text_slot_open,
	},
	[UMAPLE_DUMP_DOT] = {
		.tree_open = dot_tree_open,
		.node_open = dot_node_open,
		.slot_open = dot_slot_open,
		.tree_close = dot_tree_close,
	},
	[UMAPLE_DUMP_JSON] = {
		.tree_open = json_tree_open,
		.node_open = json_node_open,
		.slot_open = json_slot_open,
		.slot_close = json_slot_close,
		.node_close = json_node_close,
		.tree_close = json_tree_close,
	},
};

void umaple_tree_dump(const struct umaple_tree *tree,
		      enum umaple_dump_format format, FILE *stream)
{
	struct dump dump = { .tree = tree, .stream = stream };

	if ((size_t)format >= sizeof(formats) / sizeof(formats[0]))
		umaple_die("tree dump: no format %d", (int)format);
	dump.format = &formats[format];
	walk_tree(&dump);
}
