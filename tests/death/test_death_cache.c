/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_death_cache.c - misuse of a cache that would do silent damage aborts, and
 * says of which cache and which address.
 */

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"

const char *const suite_name = "death_cache";

#define CAP 4

static struct umaple_cache *cache, *other;
static void *objects[4 * CAP];

static void free_anothers_object(void)
{
	umaple_cache_free(other, objects[0]);
}

static void free_inside_an_object(void)
{
	umaple_cache_free(cache, (char *)objects[0] + 8);
}

static void free_metadata(void)
{
	umaple_cache_free(cache, (char *)umaple_chunk_of(objects[0]) + 4096);
}

static void free_rcu_anothers_object(void)
{
	umaple_cache_free_rcu(other, objects[0]);
}

static void free_rcu_inside_an_object(void)
{
	umaple_cache_free_rcu(cache, (char *)objects[0] + 1);
}

static void free_twice(void)
{
	umaple_cache_free(cache, objects[0]);
	umaple_cache_free(cache, objects[0]);
	umaple_cache_shrink(cache, NULL, NULL);
}

static void free_rcu_twice(void)
{
	umaple_cache_free_rcu(cache, objects[0]);
	umaple_cache_free_rcu(cache, objects[0]);
	umaple_cache_barrier(cache);
	umaple_cache_shrink(cache, NULL, NULL);
}

static void free_both_ways(void)
{
	umaple_cache_free_rcu(cache, objects[0]);
	umaple_cache_barrier(cache);
	umaple_cache_free(cache, objects[0]);
	umaple_cache_shrink(cache, NULL, NULL);
}

static void free_anothers_among_many(void)
{
	void *batch[] = { objects[0], umaple_cache_alloc(other), objects[1] };

	umaple_cache_free_bulk(cache, batch, ARRAY_SIZE(batch));
}

static void free_nothing_among_many(void)
{
	void *batch[] = { objects[0], NULL };

	umaple_cache_free_bulk(cache, batch, ARRAY_SIZE(batch));
}

static void free_twice_among_many(void)
{
	void *batch[] = { objects[0], objects[1], objects[0] };

	umaple_cache_free_bulk(cache, batch, ARRAY_SIZE(batch));
	umaple_cache_shrink(cache, NULL, NULL);
}

static void return_to_another(void)
{
	umaple_cache_return(other, umaple_cache_prefill(cache, 2));
}

static void return_twice(void)
{
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, 2);

	umaple_cache_return(cache, sheaf);
	umaple_cache_return(cache, sheaf);
}

static void take_from_anothers_sheaf(void)
{
	objects[0] = umaple_cache_take(other, umaple_cache_prefill(cache, 2));
}

static void take_after_return(void)
{
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, 2);

	umaple_cache_return(cache, sheaf);
	objects[0] = umaple_cache_take(cache, sheaf);
}

static void refill_anothers_sheaf(void)
{
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, 2);

	ck_assert_int_eq(umaple_cache_refill(other, &sheaf, CAP), 0);
}

static const struct death {
	void (*act)(void);
	const char *says[2];
} deaths[] = {
	{ free_anothers_object, { "other", "not an object of it" } },
	{ free_inside_an_object, { "test", "not an object of it" } },
	{ free_metadata, { "test", "not an object of it" } },
	{ free_rcu_anothers_object, { "other", "not an object of it" } },
	{ free_rcu_inside_an_object, { "test", "not an object of it" } },
	{ free_twice, { "test", "twice" } },
	{ free_rcu_twice, { "test", "twice" } },
	{ free_both_ways, { "test", "twice" } },
	{ free_anothers_among_many, { "test", "not an object of it" } },
	{ free_nothing_among_many, { "test", "not an object of it" } },
	{ free_twice_among_many, { "test", "twice" } },
	{ return_to_another, { "other", "not borrowed from it" } },
	{ return_twice, { "test", "not borrowed from it" } },
	{ take_from_anothers_sheaf, { "other", "not borrowed from it" } },
	{ take_after_return, { "test", "not borrowed from it" } },
	{ refill_anothers_sheaf, { "other", "not borrowed from it" } },
};

/* In a child, its standard error in @text.  Return: its wait status. */
static int run_in_child(void (*act)(void), char *text, size_t size)
{
	int pipes[2], status;
	size_t length = 0;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipes[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	text[length] = '\0';
	close(pipes[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(misuse_aborts_with_a_message)
{
	const struct death *death = &deaths[_i];
	struct umaple_cache_attr attr = { .size = 64, .name = "other" };
	char text[1024];
	int status;

	cache = cache_make(1, 64, CAP);
	other = cache_make_attr(&attr, 1);
	alloc_many(cache, objects, 4 * CAP);
	free_many(other, (void *[]){ must_alloc(other) }, 1);
	status = run_in_child(death->act, text, sizeof(text));

	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGABRT);
	ck_assert_msg(strncmp(text, "umaple: ", 8) == 0, "%s", text);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(strstr(text, death->says[i]), "%s", text);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("death");

	tcase_set_tags(tc, "death");
	tcase_add_loop_test(tc, misuse_aborts_with_a_message, 0,
			    ARRAY_SIZE(deaths));
	suite_add_tcase(s, tc);
}
