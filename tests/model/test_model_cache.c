/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_model_cache.c - random use of a cache beside a model of who owns what.
 *
 * The model knows every object in the user's hands, in borrowed sheaves as a
 * number, and those freed inside the read-side section that is open.  None of them
 * may be handed out; contents stay as written; promises are kept; invariants hold
 * after each step.
 */

#include <errno.h>
#include <stdlib.h>

#include "caches.h"
#include "platform/rcu.h"
#include "quick.h"

const char *const suite_name = "model_cache";

#define MAX_HELD   600
#define MAX_LOANS  6
#define TABLE_SIZE 4096 /* a power of two, several times all that is known */

enum state {
	STATE_NONE = 0,
	STATE_HELD,
	STATE_WAITING /* freed in the open section: must stay as it is */
};

struct known {
	unsigned char *object;
	enum state state;
	unsigned char pattern;
};

struct loan {
	struct umaple_sheaf *sheaf;
	size_t promised; /* at least so many are still in it */
};

struct model {
	struct umaple_cache *cache;
	struct rng rng;
	size_t size;
	struct known table[TABLE_SIZE];
	unsigned char *held[MAX_HELD];
	size_t nr_held;
	unsigned char *waiting[MAX_HELD];
	size_t nr_waiting;
	struct loan loans[MAX_LOANS];
	bool reading;
};

static struct known *model_find(struct model *m, const void *object)
{
	size_t i = ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15u >> 32;

	for (;; i++) {
		struct known *k = &m->table[i % TABLE_SIZE];

		if (!k->object || k->object == object)
			return k;
	}
}

static void expect_contents(const struct model *m, const struct known *known)
{
	for (size_t i = 0; i < m->size; i++)
		quick_assert(known->object[i] == known->pattern,
			     "byte %zu of %p changed", i,
			     (void *)known->object);
}

static void hold(struct model *m, void *object)
{
	struct known *known = model_find(m, object);

	quick_assert(object, "no object");
	quick_assert(known->state == STATE_NONE, "%p handed out twice", object);
	known->object = object;
	known->state = STATE_HELD;
	known->pattern = (unsigned char)rng_next(&m->rng);
	memset(object, known->pattern, m->size);
	m->held[m->nr_held++] = object;
}

static struct known *let_go(struct model *m)
{
	size_t i = rng_below(&m->rng, m->nr_held);
	struct known *known = model_find(m, m->held[i]);

	m->held[i] = m->held[--m->nr_held];
	expect_contents(m, known);
	return known;
}

/* --- steps --- */

static void step_alloc(struct model *m)
{
	size_t n = rng_below(&m->rng, 40);

	while (n-- && m->nr_held < MAX_HELD)
		hold(m, umaple_cache_alloc(m->cache));
}

static void step_free(struct model *m)
{
	size_t n = rng_below(&m->rng, 40);

	while (n-- && m->nr_held) {
		struct known *known = let_go(m);

		known->state = STATE_NONE;
		umaple_cache_free(m->cache, known->object);
	}
}

static void step_alloc_bulk(struct model *m)
{
	size_t n = rng_below(&m->rng, 5 * m->cache->capacity);
	void *batch[MAX_HELD];

	if (n > MAX_HELD - m->nr_held)
		n = MAX_HELD - m->nr_held;
	quick_assert(!umaple_cache_alloc_bulk(m->cache, batch, n),
		     "no memory for %zu", n);
	for (size_t i = 0; i < n; i++)
		hold(m, batch[i]);
}

static void step_free_bulk(struct model *m)
{
	size_t n = rng_below(&m->rng, 5 * m->cache->capacity), i;
	void *batch[MAX_HELD];

	for (i = 0; i < n && m->nr_held; i++) {
		struct known *known = let_go(m);

		known->state = STATE_NONE;
		batch[i] = known->object;
	}
	umaple_cache_free_bulk(m->cache, batch, i);
}

static void step_free_rcu(struct model *m)
{
	size_t n = rng_below(&m->rng, 40);

	while (n-- && m->nr_held && m->nr_waiting < MAX_HELD) {
		struct known *known = let_go(m);

		known->state = m->reading ? STATE_WAITING : STATE_NONE;
		if (m->reading)
			m->waiting[m->nr_waiting++] = known->object;
		umaple_cache_free_rcu(m->cache, known->object);
	}
}

static struct loan *pick_loan(struct model *m)
{
	return &m->loans[rng_below(&m->rng, MAX_LOANS)];
}

static size_t pick_count(struct model *m)
{
	size_t capacity = m->cache->capacity;

	if (rng_below(&m->rng, 8) == 0)
		return capacity + 1 + rng_below(&m->rng, 3 * capacity);
	return 1 + rng_below(&m->rng, capacity);
}

static void step_borrow(struct model *m)
{
	struct loan *loan = pick_loan(m);

	if (loan->sheaf) {
		umaple_cache_return(m->cache, loan->sheaf);
		loan->sheaf = NULL;
		return;
	}
	loan->promised = pick_count(m);
	loan->sheaf = umaple_cache_prefill(m->cache, loan->promised);
	quick_assert(loan->sheaf, "no sheaf");
	quick_assert(umaple_cache_sheaf_count(loan->sheaf) >= loan->promised,
		     "promise of %zu broken", loan->promised);
}

static void step_take(struct model *m)
{
	struct loan *loan = pick_loan(m);
	size_t n = loan->sheaf ? rng_below(&m->rng, loan->promised + 1) : 0;

	for (; n && m->nr_held < MAX_HELD; n--, loan->promised--)
		hold(m, umaple_cache_take(m->cache, loan->sheaf));
}

static void step_refill(struct model *m)
{
	struct loan *loan = pick_loan(m);
	size_t count = pick_count(m);

	if (!loan->sheaf)
		return;
	quick_assert(!umaple_cache_refill(m->cache, &loan->sheaf, count),
		     "refill failed");
	quick_assert(umaple_cache_sheaf_count(loan->sheaf) >= count,
		     "refill to %zu did not", count);
	loan->promised = count;
}

static void step_section(struct model *m)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();

	m->reading = !m->reading;
	if (m->reading) {
		umaple_rcu_read_lock(bp);
		return;
	}
	while (m->nr_waiting) {
		struct known *known =
			model_find(m, m->waiting[--m->nr_waiting]);

		expect_contents(m, known);
		known->state = STATE_NONE;
	}
	umaple_rcu_read_unlock(bp);
}

static void step_barrier(struct model *m)
{
	int expected = m->reading ? -EDEADLK : 0;

	umaple_cache_throttle(m->cache);
	quick_assert(umaple_cache_barrier(m->cache) == expected, "barrier");
}

static void step_shrink(struct model *m)
{
	size_t before, after;

	umaple_cache_shrink(m->cache, &before, &after);
	quick_assert(after <= before, "%zu slabs shrank to %zu", before, after);
}

static const struct {
	void (*act)(struct model *m);
	unsigned int weight;
} steps[] = {
	{ step_alloc, 20 },	{ step_free, 10 },     { step_free_rcu, 12 },
	{ step_borrow, 15 },	{ step_take, 12 },     { step_refill, 5 },
	{ step_section, 4 },	{ step_barrier, 2 },   { step_shrink, 1 },
	{ step_alloc_bulk, 6 }, { step_free_bulk, 6 },
};

static void step(struct model *m)
{
	unsigned int total = 0, pick;
	size_t i = 0;

	for (size_t k = 0; k < ARRAY_SIZE(steps); k++)
		total += steps[k].weight;
	pick = (unsigned int)rng_below(&m->rng, total);
	while (pick >= steps[i].weight)
		pick -= steps[i++].weight;
	steps[i].act(m);
}

static void verify(struct model *m)
{
	char text[256] = "";

	quick_assert(!umaple_cache_check(m->cache, text, sizeof(text)), "%s",
		     text);
}

/*
 * The table only learns addresses; forget those of objects that nobody holds
 * before it fills up.
 */
static void forget(struct model *m)
{
	static struct known kept[2 * MAX_HELD];
	size_t n = 0;

	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (m->table[i].state != STATE_NONE)
			kept[n++] = m->table[i];
	}
	memset(m->table, 0, sizeof(m->table));
	while (n--)
		*model_find(m, kept[n].object) = kept[n];
}

static void finish(struct model *m)
{
	if (m->reading)
		step_section(m);
	for (int i = 0; i < MAX_LOANS; i++)
		umaple_cache_return(m->cache, m->loans[i].sheaf);
	while (m->nr_held)
		umaple_cache_free_rcu(m->cache, let_go(m)->object);
	quick_assert(!umaple_cache_barrier(m->cache), "barrier");
	umaple_cache_shrink(m->cache, NULL, NULL);
	quick_assert(cache_stats(m->cache).objects == 0, "objects left");
	cache_end(m->cache);
}

static const struct shape {
	size_t size;
	unsigned int capacity;
	int form;
	unsigned int study;
} shapes[] = {
	{ 256, 32, 1, 0 },
	{ 256, 32, 0, 0 },
	{ 256, 3, 1, UMAPLE_STUDY_PARK_ALWAYS },
	{ 256, 3, 0, UMAPLE_STUDY_PARK_ALWAYS | UMAPLE_STUDY_UNPARK_DEFERRED },
	{ 64, 1, 1, UMAPLE_STUDY_PARK_NEVER },
	{ 24, 7, 0, UMAPLE_STUDY_PARK_BESIDE_LOCK },
	{ 1000, 12, 1, UMAPLE_STUDY_UNPARK_DEFERRED },
	{ 5000, 4, 1, UMAPLE_STUDY_PARK_ALWAYS },
	{ 256, 32, 1, UMAPLE_STUDY_NO_BARN_REFILL },
	{ 256, 3, 0, UMAPLE_STUDY_NO_BARN_REFILL },
};

START_TEST(random_use_agrees_with_the_model)
{
	const struct shape *shape = &shapes[_i];
	const struct umaple_cache_attr attr = {
		.size = shape->size,
		.name = "model",
		.sheaf_capacity = shape->capacity,
		.study = shape->study,
	};
	unsigned long rounds = test_scaled(4000);
	struct model *m = calloc(1, sizeof(*m));

	ck_assert_ptr_nonnull(m);
	rng_seed(&m->rng, test_seed() + (uint64_t)_i);
	m->cache = cache_make_attr(&attr, shape->form);
	m->size = umaple_cache_object_size(m->cache);
	for (unsigned long i = 0; i < rounds; i++) {
		step(m);
		if (UMAPLE_ASSERT_LEVEL >= 3 || i % 64 == 0)
			verify(m);
		if (i % 16 == 0)
			forget(m);
	}
	finish(m);
	free(m);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_use_agrees_with_the_model, 0,
			    ARRAY_SIZE(shapes));
	suite_add_tcase(s, tc);
}
