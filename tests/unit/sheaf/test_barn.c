/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_barn.c - sheaf/barn.h: limits, exchanges, and nothing lost between
 * threads.
 */

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "harness.h"
#include "platform/lock.h"
#include "sheaf/barn.h"

const char *const suite_name = "barn";

#define CAPACITY 4

static struct umaple_barn barn;
static char pool[256];
static unsigned int pool_used;

static void set_up(void)
{
	umaple_barn_init(&barn);
	pool_used = 0;
}

static void delete_sheaf(struct umaple_sheaf *sheaf)
{
	sheaf->count = 0;
	umaple_sheaf_delete(sheaf);
}

static void tear_down(void)
{
	struct umaple_sheaf *sheaf, *next;

	ck_assert_int_eq(umaple_barn_check(&barn, NULL, 0), 0);
	for (sheaf = umaple_barn_take_all(&barn); sheaf; sheaf = next) {
		next = sheaf->next;
		delete_sheaf(sheaf);
	}
	umaple_barn_fini(&barn);
}

/* A new sheaf holding @count objects that no other sheaf holds. */
static struct umaple_sheaf *sheaf_of(unsigned int count)
{
	struct umaple_sheaf *sheaf = umaple_sheaf_new(CAPACITY);

	ck_assert_ptr_nonnull(sheaf);
	for (; count; count--)
		umaple_sheaf_push(sheaf, &pool[pool_used++]);
	return sheaf;
}

static void put_fulls(int n)
{
	for (; n; n--)
		ck_assert(
			umaple_barn_put_full(&barn, sheaf_of(CAPACITY), false));
}

static void put_empties(int n)
{
	for (; n; n--)
		ck_assert(umaple_barn_put_empty(&barn, sheaf_of(0)));
}

static void assert_counts(unsigned int full, unsigned int empty)
{
	char text[128] = "";

	ck_assert_uint_eq(umaple_barn_nr_full(&barn), full);
	ck_assert_uint_eq(umaple_barn_nr_empty(&barn), empty);
	ck_assert_msg(!umaple_barn_check(&barn, text, sizeof(text)), "%s",
		      text);
}

START_TEST(empty_barn_gives_nothing)
{
	ck_assert_ptr_null(umaple_barn_get_full(&barn));
	ck_assert_ptr_null(umaple_barn_get_empty(&barn));
	ck_assert_ptr_null(umaple_barn_take_all(&barn));
	assert_counts(0, 0);
}
END_TEST

START_TEST(full_list_has_a_limit_that_force_passes)
{
	struct umaple_sheaf *extra = sheaf_of(CAPACITY);

	put_fulls(BARN_MAX_FULL);
	ck_assert(!umaple_barn_put_full(&barn, extra, false));
	assert_counts(BARN_MAX_FULL, 0);

	ck_assert(umaple_barn_put_full(&barn, extra, true));
	assert_counts(BARN_MAX_FULL + 1, 0);
}
END_TEST

START_TEST(empty_list_has_a_limit)
{
	struct umaple_sheaf *extra = sheaf_of(0);

	put_empties(BARN_MAX_EMPTY);
	ck_assert(!umaple_barn_put_empty(&barn, extra));
	assert_counts(0, BARN_MAX_EMPTY);
	delete_sheaf(extra);
}
END_TEST

START_TEST(each_get_takes_its_kind_last_in_first_out)
{
	struct umaple_sheaf *full = sheaf_of(CAPACITY);
	struct umaple_sheaf *part = sheaf_of(1);
	struct umaple_sheaf *empty = sheaf_of(0);

	ck_assert(umaple_barn_put_full(&barn, full, false));
	ck_assert(umaple_barn_put_full(&barn, part, false));
	ck_assert(umaple_barn_put_empty(&barn, empty));
	assert_counts(2, 1);

	ck_assert_ptr_eq(umaple_barn_get_full(&barn), part);
	ck_assert_ptr_eq(umaple_barn_get_full(&barn), full);
	ck_assert_ptr_null(umaple_barn_get_full(&barn));
	ck_assert_ptr_eq(umaple_barn_get_empty(&barn), empty);
	ck_assert_ptr_null(umaple_barn_get_empty(&barn));
	assert_counts(0, 0);

	ck_assert(umaple_barn_put_empty(&barn, empty));
	ck_assert_ptr_eq(umaple_barn_get_empty(&barn), empty);
	delete_sheaf(full);
	delete_sheaf(part);
	delete_sheaf(empty);
}
END_TEST

START_TEST(empty_for_full_swaps_also_at_the_limit)
{
	struct umaple_sheaf *empty = sheaf_of(0), *full;

	ck_assert_ptr_null(umaple_barn_empty_for_full(&barn, empty));
	assert_counts(0, 0);

	put_fulls(1);
	put_empties(BARN_MAX_EMPTY);
	full = umaple_barn_empty_for_full(&barn, empty);

	ck_assert_ptr_nonnull(full);
	ck_assert_uint_eq(full->count, CAPACITY);
	assert_counts(0, BARN_MAX_EMPTY + 1);
	delete_sheaf(full);
}
END_TEST

START_TEST(full_for_empty_says_why_not)
{
	struct umaple_sheaf *full = sheaf_of(CAPACITY), *empty;
	enum umaple_barn_why why = 0;

	ck_assert_ptr_null(umaple_barn_full_for_empty(&barn, full, &why));
	ck_assert_int_eq(why, BARN_NO_EMPTY);

	put_empties(1);
	empty = umaple_barn_full_for_empty(&barn, full, &why);
	ck_assert_ptr_nonnull(empty);
	ck_assert_uint_eq(empty->count, 0);
	assert_counts(1, 0);

	put_fulls(BARN_MAX_FULL - 1);
	ck_assert(umaple_barn_put_empty(&barn, empty));
	full = sheaf_of(CAPACITY);
	ck_assert_ptr_null(umaple_barn_full_for_empty(&barn, full, &why));
	ck_assert_int_eq(why, BARN_FULL);
	assert_counts(BARN_MAX_FULL, 1);
	delete_sheaf(full);
}
END_TEST

START_TEST(take_all_links_every_sheaf_full_ones_first)
{
	struct umaple_sheaf *sheaf, *next;
	int nr = 0;

	put_fulls(3);
	put_empties(2);
	sheaf = umaple_barn_take_all(&barn);
	assert_counts(0, 0);

	for (; sheaf; sheaf = next, nr++) {
		next = sheaf->next;
		ck_assert_uint_eq(sheaf->count, nr < 3 ? CAPACITY : 0);
		delete_sheaf(sheaf);
	}
	ck_assert_int_eq(nr, 5);
}
END_TEST

static void assert_violates(const char *number)
{
	char text[128] = "";

	ck_assert_int_eq(umaple_barn_check(&barn, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert_msg(!strncmp(text, number, strlen(number)), "found: %s",
		      text);
}

START_TEST(damage_is_found)
{
	struct umaple_sheaf *first;
	uint32_t count;

	put_fulls(3);
	put_empties(3);

	barn.nr_full++;
	assert_violates("S3:");
	barn.nr_full--;

	first = barn.full;
	count = first->count;
	first->count = CAPACITY + 1;
	assert_violates("S1:");
	first->count = 0;
	assert_violates("S4:");
	first->count = count;

	barn.empty->objects[0] = pool;
	barn.empty->count = 1;
	assert_violates("S5:");
	barn.empty->count = 0;
}
END_TEST

START_TEST(sheaves_listed_twice_are_found)
{
	struct umaple_sheaf *last, *empty;

	put_fulls(2);
	put_empties(1);
	last = barn.full->next;
	empty = barn.empty;

	last->next = barn.full;
	assert_violates("S6:");

	last->next = NULL;
	barn.empty = barn.full;
	barn.nr_empty = 2;
	assert_violates("S6:");

	barn.empty = empty;
	barn.nr_empty = 1;
}
END_TEST

/*
 * Threads push sheaves round through the barn by every route.  Each object is a
 * byte that is 1 while some sheaf holds it; whoever has a sheaf in hand sets its
 * bytes to 2 and back, so an object held by two is seen.
 */
enum {
	NR_THREADS = 4,
	NR_SHEAVES = 12
};

static void handle(struct umaple_sheaf *sheaf)
{
	for (unsigned int i = 0; i < sheaf->count; i++) {
		char *object = sheaf->objects[i];

		ck_assert_int_eq(xchg_acq_rel(object, 2), 1);
	}
	for (unsigned int i = 0; i < sheaf->count; i++) {
		char *object = sheaf->objects[i];

		ck_assert_int_eq(xchg_acq_rel(object, 1), 2);
	}
}

/* One sheaf in, one out; returns what the caller holds now. */
static struct umaple_sheaf *exchange(struct umaple_sheaf *mine, struct rng *rng)
{
	enum umaple_barn_why why;
	struct umaple_sheaf *got = NULL;

	if (!mine)
		return rng_below(rng, 2) ? umaple_barn_get_empty(&barn)
					 : umaple_barn_get_full(&barn);
	if (mine->count && rng_below(rng, 2)) {
		got = umaple_barn_full_for_empty(&barn, mine, &why);
		return got ? got : mine;
	}
	if (mine->count)
		return umaple_barn_put_full(&barn, mine, false) ? NULL : mine;
	if (rng_below(rng, 2)) {
		got = umaple_barn_empty_for_full(&barn, mine);
		return got ? got : mine;
	}
	return umaple_barn_put_empty(&barn, mine) ? NULL : mine;
}

static void *exchange_many(void *arg)
{
	struct umaple_sheaf *mine = NULL;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uintptr_t)arg);
	for (unsigned long i = 0; i < test_scaled(20000); i++) {
		mine = exchange(mine, &rng);
		if (mine)
			handle(mine);
	}
	return mine;
}

static void put_back(struct umaple_sheaf *sheaf)
{
	if (sheaf && sheaf->count)
		ck_assert(umaple_barn_put_full(&barn, sheaf, true));
	else if (sheaf)
		ck_assert(umaple_barn_put_empty(&barn, sheaf));
}

START_TEST(threads_exchange_sheaves_and_lose_none)
{
	pthread_t threads[NR_THREADS];
	uintptr_t i;
	void *held;

	put_fulls(NR_SHEAVES / 2);
	put_empties(NR_SHEAVES / 2);
	memset(pool, 1, pool_used);
	for (i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
						exchange_many, (void *)i),
				 0);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &held);
		put_back(held);
	}

	assert_counts(NR_SHEAVES / 2, NR_SHEAVES / 2);
	for (i = 0; i < pool_used; i++)
		ck_assert_int_eq(pool[i], 1);
}
END_TEST

static void add_exchanges(Suite *s)
{
	TCase *tc = tcase_create("barn.exchange");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, empty_barn_gives_nothing);
	tcase_add_test(tc, full_list_has_a_limit_that_force_passes);
	tcase_add_test(tc, empty_list_has_a_limit);
	tcase_add_test(tc, each_get_takes_its_kind_last_in_first_out);
	tcase_add_test(tc, empty_for_full_swaps_also_at_the_limit);
	tcase_add_test(tc, full_for_empty_says_why_not);
	tcase_add_test(tc, take_all_links_every_sheaf_full_ones_first);
	tcase_add_test(tc, threads_exchange_sheaves_and_lose_none);
	suite_add_tcase(s, tc);
}

static void add_checks(Suite *s)
{
	TCase *tc = tcase_create("barn.check");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, damage_is_found);
	tcase_add_test(tc, sheaves_listed_twice_are_found);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_exchanges(s);
	add_checks(s);
}
