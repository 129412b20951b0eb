/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_tree.c - umaple/kernel_tree.h and kernel_types.h: each name does
 * what its namesake does, or what doc/kernel-differences.md says.
 */

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "kernel_test.h"

const char *const suite_name = "api.kernel_tree";

#define GAPS MT_FLAGS_ALLOC_RANGE

static struct maple_tree mt;

/* -- entries and flags ----------------------------------------------------------- */

START_TEST(numbers_travel_as_entries)
{
	static const unsigned long numbers[] = { 0, 1, 513, LONG_MAX };

	for (int i = 0; i < ARRAY_SIZE(numbers); i++) {
		void *value = xa_mk_value(numbers[i]);

		ck_assert(xa_is_value(value));
		ck_assert(!xa_is_err(value));
		ck_assert_uint_eq(xa_to_value(value), numbers[i]);
		ck_assert_int_eq(xa_err(value), 0);
	}
	ck_assert(!xa_is_value(&mt));
	ck_assert(!xa_is_value(NULL));
	ck_assert(!xa_is_err(&mt));
	ck_assert(!xa_is_err(NULL));
	ck_assert(!xa_is_err((void *)6));
	ck_assert(!xa_is_err((void *)-1l));
	ck_assert(xa_is_zero(XA_ZERO_ENTRY));
	ck_assert(!xa_is_zero(NULL));
	ck_assert_ptr_eq(XA_ZERO_ENTRY, UMAPLE_RESERVED);
}
END_TEST

START_TEST(only_some_flags_allow_to_wait)
{
	gfp_t direct = GFP_KERNEL & ~__GFP_KSWAPD_RECLAIM;

	ck_assert_uint_eq(direct, __GFP_DIRECT_RECLAIM);
	ck_assert(gfpflags_allow_blocking(direct));
	ck_assert(!gfpflags_allow_blocking(GFP_KERNEL & ~__GFP_RECLAIM));
	ck_assert(gfpflags_allow_blocking(GFP_KERNEL));
	ck_assert(gfpflags_allow_blocking(GFP_KERNEL_ACCOUNT));
	ck_assert(gfpflags_allow_blocking(GFP_KERNEL | __GFP_NOWARN));
	ck_assert(gfpflags_allow_blocking(GFP_NOFS));
	ck_assert(gfpflags_allow_blocking(GFP_NOIO));
	ck_assert(gfpflags_allow_blocking(GFP_USER));
	ck_assert(!gfpflags_allow_blocking(GFP_NOWAIT));
	ck_assert(!gfpflags_allow_blocking(GFP_ATOMIC | __GFP_ZERO));
	ck_assert(!gfpflags_allow_blocking(__GFP_NORETRY | __GFP_ACCOUNT));
}
END_TEST

/* -- life --------------------------------------------------------------------------- */

static DEFINE_MTREE(plain_tree);
static struct maple_tree rcu_gap_tree =
	MTREE_INIT(rcu_gap_tree, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
static pthread_mutex_t outer_lock = PTHREAD_MUTEX_INITIALIZER;
static struct maple_tree outer_tree =
	MTREE_INIT_EXT(outer_tree, MT_FLAGS_ALLOC_RANGE, outer_lock);

static void assert_usable(struct maple_tree *tree)
{
	ck_assert(mtree_empty(tree));
	ck_assert_uint_eq(mt_height(tree), 0);
	ck_assert_int_eq(mtree_store(tree, 5, entry(1), GFP_KERNEL), 0);
	ck_assert(!mtree_empty(tree));
	ck_assert_uint_eq(mt_height(tree), 1);
	mt_validate(tree);
	mtree_destroy(tree);
	ck_assert(mtree_empty(tree));
	ck_assert_ptr_null(mtree_load(tree, 5));
}

START_TEST(each_way_to_make_a_tree_makes_one)
{
	struct maple_tree made;

	assert_usable(&plain_tree);
	ck_assert_uint_eq(plain_tree.ma_flags, 0);
	assert_usable(&rcu_gap_tree);
	assert_usable(&outer_tree);
	memset(&made, 0xff, sizeof(made));
	mt_init(&made);
	assert_usable(&made);
	memset(&made, 0xff, sizeof(made));
	mt_init_flags(&made, MT_FLAGS_LOCK_BH | MT_FLAGS_ALLOC_RANGE);
	assert_usable(&made);
	assert_usable(&made);
}
END_TEST

START_TEST(flags_tell_what_the_tree_is)
{
	ck_assert(!mt_external_lock(&plain_tree));
	ck_assert(!mt_in_rcu(&plain_tree));
	ck_assert(mt_in_rcu(&rcu_gap_tree));
	ck_assert(mt_external_lock(&outer_tree));
	mt_set_external_lock(&outer_tree, &outer_lock);
	ck_assert(mt_external_lock(&outer_tree));
	mt_init_flags(&mt, MT_FLAGS_LOCK_IRQ);
	ck_assert(!mt_external_lock(&mt));
	mt_init_flags(&mt, MT_FLAGS_LOCK_BH | MT_FLAGS_USE_RCU);
	ck_assert(!mt_external_lock(&mt));
	/* It has a lock of its own. */
	mtree_lock(&mt);
	mtree_unlock(&mt);
	mt_clear_in_rcu(&mt);
	ck_assert(!mt_in_rcu(&mt));
	mt_set_in_rcu(&mt);
	ck_assert(mt_in_rcu(&mt));
	ck_assert_uint_eq(mt.ma_flags & MT_FLAGS_LOCK_MASK, MT_FLAGS_LOCK_BH);
}
END_TEST

/* Lower than a caller's lock, and again with the next writer shut out. */
START_TEST(destroy_under_the_lock_leaves_a_tree_to_write_to)
{
	MA_STATE(mas, &mt, 3, 4);

	map_a(&mt, GAPS);
	mtree_lock(&mt);
	__mt_destroy(&mt);
	ck_assert(mtree_empty(&mt));
	ck_assert_int_eq(mas_store_gfp(&mas, entry(5), GFP_KERNEL), 0);
	mtree_unlock(&mt);
	assert_range(&mt, 3, 4, entry(5));
	mtree_lock_nested(&mt, 1);
	__mt_destroy(&mt);
	mtree_unlock(&mt);
	ck_assert(mtree_empty(&mt));
}
END_TEST

START_TEST(tree_without_entries_is_empty_however_it_came_to_be)
{
	mt_init(&mt);
	ck_assert_int_eq(
		mtree_store_range(&mt, 0, ULONG_MAX, entry(1), GFP_KERNEL), 0);
	ck_assert_ptr_eq(mtree_erase(&mt, 77), entry(1));
	ck_assert(mtree_empty(&mt));
	ck_assert_int_eq(
		mtree_store_range(&mt, 0, ULONG_MAX, entry(1), GFP_KERNEL), 0);
	ck_assert_int_eq(mtree_store_range(&mt, 0, ULONG_MAX, NULL, GFP_KERNEL),
			 0);
	ck_assert(mtree_empty(&mt));
	ck_assert_int_eq(mtree_store_range(&mt, 5, 9, NULL, GFP_KERNEL), 0);
	ck_assert(mtree_empty(&mt));
}
END_TEST

/* Standard error of @act, as far as it fits. */
static void capture(void (*act)(void), char *text, size_t size)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t count;

	ck_assert_ptr_nonnull(file);
	fflush(stderr);
	ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
	act();
	fflush(stderr);
	ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
	close(saved);
	rewind(file);
	count = fread(text, 1, size - 1, file);
	text[count] = '\0';
	fclose(file);
}

static void dump(void)
{
	enum mt_dump_format format = mt_dump_hex;

	mt_dump(&mt, mt_dump_dec);
	mt_dump(&mt, format);
}

START_TEST(dump_shows_the_ranges)
{
	char text[4096];

	map_a(&mt, GAPS);
	capture(dump, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "0x32"));
	ck_assert_ptr_nonnull(strstr(text, "0x3b"));
	mtree_destroy(&mt);
}
END_TEST

/* Damage: the first pivot of the root, above all others. */
START_TEST(validate_aborts_on_a_damaged_tree)
{
	uintptr_t node;
	uint64_t *pivots;

	map_a(&mt, 0);
	mt_validate(&mt);
	node = (uintptr_t)mt.tree.root_ & ~(uintptr_t)255;
	pivots = (uint64_t *)(node + 8);
	pivots[0] = 1000;
	mt_validate(&mt);
}
END_TEST

/* -- store, insert, erase ------------------------------------------------------------ */

START_TEST(store_overwrites_and_cuts)
{
	map_a(&mt, GAPS * (unsigned int)_i);
	ck_assert_int_eq(mtree_store_range(&mt, 15, 34, entry(4), GFP_KERNEL),
			 0);
	assert_range(&mt, 10, 14, entry(1));
	assert_range(&mt, 15, 34, entry(4));
	assert_range(&mt, 35, 39, entry(2));
	ck_assert_int_eq(mtree_store(&mt, 20, NULL, GFP_NOWAIT), 0);
	assert_range(&mt, 20, 20, NULL);
	/* Neighbours with one entry stay two ranges. */
	ck_assert_int_eq(mtree_store(&mt, 35, entry(2), GFP_KERNEL), 0);
	assert_range(&mt, 35, 35, entry(2));
	assert_range(&mt, 36, 39, entry(2));
	ck_assert_int_eq(mtree_store_range(&mt, 9, 8, entry(4), GFP_KERNEL),
			 -EINVAL);
	mt_validate(&mt);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(insert_wants_all_of_the_range_free)
{
	map_a(&mt, 0);
	ck_assert_int_eq(mtree_insert_range(&mt, 5, 10, entry(4), GFP_KERNEL),
			 -EEXIST);
	ck_assert_int_eq(mtree_insert_range(&mt, 19, 20, entry(4), GFP_KERNEL),
			 -EEXIST);
	ck_assert_int_eq(mtree_insert(&mt, 35, entry(4), GFP_KERNEL), -EEXIST);
	ck_assert_int_eq(mtree_insert_range(&mt, 21, 20, entry(4), GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_insert(&mt, 20, NULL, GFP_KERNEL), -EINVAL);
	ck_assert_int_eq(mtree_insert_range(&mt, 20, 29, entry(4), GFP_KERNEL),
			 0);
	ck_assert_int_eq(mtree_insert(&mt, 9, entry(5), GFP_NOWAIT), 0);
	assert_range(&mt, 9, 9, entry(5));
	assert_range(&mt, 10, 19, entry(1));
	assert_range(&mt, 20, 29, entry(4));
	mtree_destroy(&mt);
}
END_TEST

START_TEST(erase_takes_the_whole_range)
{
	map_a(&mt, GAPS * (unsigned int)_i);
	ck_assert_ptr_null(mtree_erase(&mt, 20));
	ck_assert_ptr_eq(mtree_erase(&mt, 35), entry(2));
	assert_range(&mt, 20, 49, NULL);
	ck_assert_ptr_null(mtree_erase(&mt, 35));
	mtree_destroy(&mt);
}
END_TEST

/* Bit patterns that the original keeps for itself. */
START_TEST(any_pointer_is_an_entry)
{
	static const unsigned long patterns[] = { 2,	6,    258,  1026,
						  1030, 4094, 4098, ~0ul - 13 };

	mt_init_flags(&mt, GAPS);
	for (int i = 0; i < ARRAY_SIZE(patterns); i++) {
		void *odd = (void *)patterns[i];
		unsigned long at = 0;

		ck_assert_int_eq(mtree_store(&mt, 0, odd, GFP_KERNEL), 0);
		ck_assert_ptr_eq(mtree_load(&mt, 0), odd);
		ck_assert_int_eq(mtree_insert(&mt, 7, odd, GFP_KERNEL), 0);
		ck_assert_int_eq(mtree_alloc_range(&mt, &at, odd, 3, 0, 100,
						   GFP_KERNEL),
				 0);
		ck_assert_uint_eq(at, 1);
		ck_assert_ptr_eq(mtree_load(&mt, 2), odd);
		mtree_destroy(&mt);
	}
}
END_TEST

START_TEST(reserved_range_reads_as_nothing_and_is_taken)
{
	unsigned long index = 0, at;
	void *found;
	int count = 0;

	mt_init_flags(&mt, GAPS);
	ck_assert_int_eq(
		mtree_store_range(&mt, 0, 4, XA_ZERO_ENTRY, GFP_KERNEL), 0);
	ck_assert_int_eq(mtree_store_range(&mt, 6, 8, entry(1), GFP_KERNEL), 0);

	ck_assert_ptr_null(mtree_load(&mt, 3));
	ck_assert_ptr_eq(mt_find(&mt, &index, ULONG_MAX), entry(1));
	index = 0;
	mt_for_each(&mt, found, index, ULONG_MAX)
		count++;
	ck_assert_int_eq(count, 1);
	ck_assert_int_eq(mtree_insert(&mt, 4, entry(2), GFP_KERNEL), -EEXIST);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(2), 1, 0, 100,
					   GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, 5);
	ck_assert_ptr_eq(mtree_erase(&mt, 0), XA_ZERO_ENTRY);
	mtree_destroy(&mt);
}
END_TEST

/* -- copies --------------------------------------------------------------------------- */

static struct maple_tree copy;

static void fill(struct maple_tree *tree, unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		ck_assert_int_eq(mtree_store_range(tree, 10 * i, 10 * i + 4,
						   xa_mk_value(i), GFP_KERNEL),
				 0);
}

static void assert_filled(struct maple_tree *tree, unsigned long count)
{
	unsigned long index = 0, i = 0;
	void *found;

	mt_validate(tree);
	mt_for_each(tree, found, index, ULONG_MAX) {
		ck_assert_uint_eq(xa_to_value(found), i);
		ck_assert_uint_eq(index, 10 * i + 5);
		i++;
	}
	ck_assert_uint_eq(i, count);
}

START_TEST(copy_has_the_same_ranges_and_is_its_own)
{
	mt_init_flags(&mt, GAPS * (unsigned int)_i);
	mt_init_flags(&copy, GAPS * (unsigned int)_i);
	fill(&mt, 500);
	ck_assert_int_eq(mtree_dup(&mt, &copy, GFP_KERNEL), 0);
	ck_assert_uint_eq(mt_height(&copy), mt_height(&mt));
	mtree_destroy(&mt);
	assert_filled(&copy, 500);
	ck_assert_int_eq(mtree_dup(&copy, &mt, GFP_NOWAIT), 0);
	mtree_destroy(&copy);
	assert_filled(&mt, 500);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(copy_under_both_locks_keeps_them)
{
	mt_init_flags(&mt, GAPS);
	mt_init_flags(&copy, GAPS);
	fill(&mt, 100);
	mtree_lock(&mt);
	mtree_lock_nested(&copy, 1);
	ck_assert_int_eq(__mt_dup(&mt, &copy, GFP_KERNEL), 0);
	__mt_destroy(&mt);
	mtree_unlock(&copy);
	mtree_unlock(&mt);
	assert_filled(&copy, 100);
	mtree_destroy(&copy);
}
END_TEST

START_TEST(trees_that_differ_are_not_copied)
{
	static const unsigned int flags[] = { 0, GAPS, MT_FLAGS_USE_RCU,
					      MT_FLAGS_LOCK_BH,
					      MT_FLAGS_LOCK_EXTERN };

	for (int i = 0; i < ARRAY_SIZE(flags); i++) {
		mt_init_flags(&mt, flags[_i]);
		mt_init_flags(&copy, flags[i]);
		fill(&mt, 3);
		ck_assert_int_eq(mtree_dup(&mt, &copy, GFP_KERNEL),
				 i == _i ? 0 : -EINVAL);
		ck_assert_int_eq(mtree_empty(&copy), i != _i);
		ck_assert_int_eq(__mt_dup(&mt, &copy, GFP_KERNEL), -EINVAL);
		mtree_destroy(&mt);
		mtree_destroy(&copy);
	}
}
END_TEST

/* -- waiting ---------------------------------------------------------------------------- */

/* More nodes are replaced than may wait for a reader. */
START_TEST(store_that_must_not_wait_fails_instead)
{
	struct umaple_cache *cache = small_tree(&mt, 0, 0, 64);
	struct stayer reader;
	unsigned long i = 0;
	int err;

	stayer_start(&reader);
	do {
		i++;
		err = mtree_store_range(&mt, i % 97, i % 97 + i % 5,
					entry((int)(i % 7)), GFP_NOWAIT);
	} while (!err && i < 100000);
	ck_assert_int_eq(err, -ENOMEM);
	mt_validate(&mt);
	stayer_stop(&reader);
	stayer_join(&reader);
	/* The one that may wait finds what the reader has let go of. */
	ck_assert_int_eq(mtree_store_range(&mt, 3, 96, entry(1), GFP_KERNEL),
			 0);
	mtree_destroy(&mt);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

static void add_life(Suite *s)
{
	TCase *tc = tcase_create("kernel_tree.life");

	tcase_add_test(tc, numbers_travel_as_entries);
	tcase_add_test(tc, only_some_flags_allow_to_wait);
	tcase_add_test(tc, each_way_to_make_a_tree_makes_one);
	tcase_add_test(tc, flags_tell_what_the_tree_is);
	tcase_add_test(tc, destroy_under_the_lock_leaves_a_tree_to_write_to);
	tcase_add_test(tc, tree_without_entries_is_empty_however_it_came_to_be);
	tcase_add_test(tc, dump_shows_the_ranges);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_tree.damage");
	tcase_set_tags(tc, "death");
	tcase_add_test_raise_signal(tc, validate_aborts_on_a_damaged_tree,
				    SIGABRT);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	TCase *tc;

	add_life(s);
	tc = tcase_create("kernel_tree.write");
	tcase_add_loop_test(tc, store_overwrites_and_cuts, 0, 2);
	tcase_add_test(tc, insert_wants_all_of_the_range_free);
	tcase_add_loop_test(tc, erase_takes_the_whole_range, 0, 2);
	tcase_add_test(tc, any_pointer_is_an_entry);
	tcase_add_test(tc, reserved_range_reads_as_nothing_and_is_taken);
	tcase_add_test(tc, store_that_must_not_wait_fails_instead);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_tree.copy");
	tcase_add_loop_test(tc, copy_has_the_same_ranges_and_is_its_own, 0, 2);
	tcase_add_test(tc, copy_under_both_locks_keeps_them);
	tcase_add_loop_test(tc, trees_that_differ_are_not_copied, 0, 5);
	suite_add_tcase(s, tc);
}
