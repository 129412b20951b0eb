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

/* --- refill --- */

/* Make @count objects the partial sheaf; 0: none. */
static void put_partial(unsigned int count)
{
	if (!count)
		return;
	put_fulls(1);
	delete_sheaf(umaple_barn_refill(&barn, sheaf_of(count)));
	ck_assert_uint_eq(barn.partial->count, count);
}

static unsigned int nr_partial(void)
{
	return barn.partial ? barn.partial->count : 0;
}

static bool holds(const struct umaple_sheaf *sheaf, const void *object)
{
	for (unsigned int i = 0; i < sheaf->count; i++) {
		if (sheaf->objects[i] == object)
			return true;
	}
	return false;
}

START_TEST(barn_without_objects_refills_nothing)
{
	struct umaple_sheaf *sheaf = sheaf_of(2);

	put_empties(1);
	ck_assert_ptr_null(umaple_barn_refill(&barn, sheaf));
	ck_assert_uint_eq(sheaf->count, 2);
	ck_assert(!umaple_barn_has_partial(&barn));
	assert_counts(0, 1);
	delete_sheaf(sheaf);
}
END_TEST

/* Every filling of the two, without and with a full sheaf that stays. */
START_TEST(partial_and_short_fill_one_together)
{
	for (unsigned int partial = 1; partial < CAPACITY; partial++) {
		for (unsigned int mine = CAPACITY - partial; mine < CAPACITY;
		     mine++) {
			struct umaple_sheaf *sheaf, *other, *got;

			set_up();
			put_partial(partial);
			put_fulls(_i);
			other = barn.partial;
			sheaf = sheaf_of(mine);
			got = umaple_barn_refill(&barn, sheaf);
			ck_assert_ptr_eq(got, mine < partial ? other : sheaf);
			ck_assert_uint_eq(got->count, CAPACITY);
			ck_assert_uint_eq(nr_partial(),
					  partial + mine - CAPACITY);
			assert_counts(_i, nr_partial() ? 0 : 1);
			delete_sheaf(got);
			tear_down();
		}
	}
}
END_TEST

/* Too few together, and a full sheaf is there. */
START_TEST(partial_takes_in_what_a_full_one_is_exchanged_for)
{
	for (unsigned int partial = 0; partial < CAPACITY; partial++) {
		for (unsigned int mine = 0; mine + partial < CAPACITY; mine++) {
			struct umaple_sheaf *sheaf, *got;

			set_up();
			put_partial(partial);
			put_fulls(2);
			sheaf = sheaf_of(mine);
			got = umaple_barn_refill(&barn, sheaf);
			ck_assert_ptr_ne(got, sheaf);
			ck_assert_uint_eq(got->count, CAPACITY);
			ck_assert_uint_eq(nr_partial(), partial + mine);
			assert_counts(1, partial || !mine ? 1 : 0);
			ck_assert_int_eq(barn.partial == sheaf,
					 !partial && mine);
			delete_sheaf(got);
			tear_down();
		}
	}
}
END_TEST

START_TEST(nothing_but_too_small_a_partial_is_left_alone)
{
	struct umaple_sheaf *sheaf = sheaf_of(1);

	put_partial(2);
	ck_assert_ptr_null(umaple_barn_refill(&barn, sheaf));
	ck_assert_uint_eq(sheaf->count, 1);
	ck_assert_uint_eq(nr_partial(), 2);
	assert_counts(0, 0);
	delete_sheaf(sheaf);
}
END_TEST

/* The full list may have one that is not full; a promise must not shrink. */
START_TEST(part_filled_sheaf_of_the_full_list_is_filled_up_first)
{
	struct umaple_sheaf *sheaf = sheaf_of(3), *got;
	void *mine = sheaf->objects[0];

	put_partial(0);
	ck_assert(umaple_barn_put_full(&barn, sheaf_of(2), false));
	got = umaple_barn_refill(&barn, sheaf);
	ck_assert_uint_eq(got->count, CAPACITY);
	ck_assert_ptr_eq(barn.partial, sheaf);
	ck_assert_uint_eq(sheaf->count, 1);
	ck_assert(holds(sheaf, mine) || holds(got, mine));
	delete_sheaf(got);

	ck_assert(umaple_barn_put_full(&barn, sheaf_of(1), false));
	sheaf = sheaf_of(2);
	got = umaple_barn_refill(&barn, sheaf);
	ck_assert_uint_eq(got->count, 3);
	ck_assert_uint_eq(nr_partial(), 1);
	assert_counts(0, 1);
	delete_sheaf(got);
}
END_TEST

START_TEST(refill_tests_no_limit)
{
	struct umaple_sheaf *got;

	put_partial(1);
	put_fulls(1);
	put_empties(BARN_MAX_EMPTY);
	got = umaple_barn_refill(&barn, sheaf_of(1));
	ck_assert_uint_eq(got->count, CAPACITY);
	assert_counts(0, BARN_MAX_EMPTY + 1);
	delete_sheaf(got);
}
END_TEST

START_TEST(take_all_links_every_sheaf_full_ones_first)
{
	struct umaple_sheaf *sheaf, *next;
	int nr = 0;

	put_partial(1);
	put_fulls(3);
	put_empties(2);
	sheaf = umaple_barn_take_all(&barn);
	ck_assert(!umaple_barn_has_partial(&barn));
	assert_counts(0, 0);

	for (; sheaf; sheaf = next, nr++) {
		next = sheaf->next;
		ck_assert_uint_eq(sheaf->count, nr < 3	  ? CAPACITY
						: nr == 3 ? 1
							  : 0);
		delete_sheaf(sheaf);
	}
	ck_assert_int_eq(nr, 6);
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

START_TEST(damage_to_the_partial_sheaf_is_found)
{
	struct umaple_sheaf *partial;

	put_partial(2);
	put_fulls(1);
	put_empties(1);
	partial = barn.partial;

	partial->count = 0;
	assert_violates("S7:");
	partial->count = CAPACITY;
	assert_violates("S7:");
	partial->count = 2;
	partial->objects[1] = partial->objects[0];
	assert_violates("S2:");
	partial->objects[1] = NULL;
	assert_violates("S2:");
	partial->count = 1;

	barn.partial = barn.full;
	assert_violates("S6:");
	barn.partial = barn.empty;
	assert_violates("S6:");
	barn.partial = partial;
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
	if (umaple_sheaf_room(mine) && rng_below(rng, 2)) {
		got = umaple_barn_refill(&barn, mine);
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

static unsigned int count_objects(void)
{
	unsigned int count = nr_partial();

	for (struct umaple_sheaf *sheaf = barn.full; sheaf; sheaf = sheaf->next)
		count += sheaf->count;
	return count;
}

START_TEST(threads_exchange_sheaves_and_lose_none)
{
	pthread_t threads[NR_THREADS];
	uintptr_t i;
	void *held;

	put_fulls(NR_SHEAVES / 2 - 3);
	for (unsigned int count = 1; count < CAPACITY; count++)
		ck_assert(umaple_barn_put_full(&barn, sheaf_of(count), false));
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

	ck_assert_uint_eq(umaple_barn_nr_full(&barn) +
				  umaple_barn_nr_empty(&barn) +
				  umaple_barn_has_partial(&barn),
			  NR_SHEAVES);
	ck_assert_int_eq(umaple_barn_check(&barn, NULL, 0), 0);
	ck_assert_uint_eq(count_objects(), pool_used);
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
	tcase_add_test(tc, barn_without_objects_refills_nothing);
	tcase_add_loop_test(tc, partial_and_short_fill_one_together, 0, 2);
	tcase_add_test(tc, partial_takes_in_what_a_full_one_is_exchanged_for);
	tcase_add_test(tc, nothing_but_too_small_a_partial_is_left_alone);
	tcase_add_test(tc,
		       part_filled_sheaf_of_the_full_list_is_filled_up_first);
	tcase_add_test(tc, refill_tests_no_limit);
	tcase_add_test(tc, take_all_links_every_sheaf_full_ones_first);
	tcase_add_test(tc, threads_exchange_sheaves_and_lose_none);
	suite_add_tcase(s, tc);
}

static void add_checks(Suite *s)
{
	TCase *tc = tcase_create("barn.check");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, damage_is_found);
	tcase_add_test(tc, damage_to_the_partial_sheaf_is_found);
	tcase_add_test(tc, sheaves_listed_twice_are_found);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_exchanges(s);
	add_checks(s);
}
