/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_priv.h - what the files of the cache layer share.
 *
 * Who owns an object that is not in a slab: the user; a sheaf that a CPU has
 * (main, spare, rcu_free, or the queue of those that wait for a grace period); a
 * sheaf in the barn; a borrowed sheaf; or a sheaf in the hands of a thread between
 * those.  A CPU's sheaves change under its guard, which is only tried: who finds
 * it held goes to the slabs.
 *
 * Lock order, outermost first; what is not listed is never held together:
 *   1 ticker->tick_lock   runs grace periods and what goes with them; a wait for
 *                         readers happens under it, so only those who may wait
 *                         for readers take it (a fork tries, in the order in
 *                         which the tickers were made)
 *   2 liburcu's own       a grace period, or a fork.  A grace period of the
 *                         program holds one while it waits for readers, and a
 *                         new reader needs one.  So a reader may need all that
 *                         follows, and nothing that follows waits for a reader,
 *                         or becomes one
 *   3 tickers_lock        the list of tickers
 *   4 registry lock       the list of caches, and each cache's life
 *   5 gate                no lock: see cache/cache_registry.c.  Whoever is inside
 *                         takes none of the above
 *   6 cache->sweep_lock   closing other CPUs' guards, and seeing to what was taken;
 *     then ticker->start_lock, while the ticker's thread is started
 *   7 a CPU's guard       never held while 6, 8 to 10 or malloc()'s locks are
 *                         taken
 *   8 barn->lock
 *   9 node->defer_lock, node->list_lock
 *  10 node->pool_lock
 */

#ifndef CACHE_CACHE_PRIV_H
#define CACHE_CACHE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umaple/cache.h>

#include "cache/cache.h"
#include "cache/ticker.h"
#include "platform/annotate.h"
#include "platform/assert.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/delay.h"
#include "platform/guard.h"
#include "platform/list.h"
#include "sheaf/barn.h"
#include "sheaf/sheaf.h"
#include "slab/slab.h"

/*
 * What is counted per CPU.  The first are fields of struct umaple_cache_stats,
 * in their order; doc/allocator.md defines each.
 */
enum cache_event {
	EVENT_ALLOC_FASTPATH,
	EVENT_ALLOC_SLOWPATH,
	EVENT_FREE_FASTPATH,
	EVENT_FREE_SLOWPATH,
	EVENT_SHEAF_REFILL,
	EVENT_SHEAF_FLUSH,
	EVENT_FREE_RCU_SHEAF,
	EVENT_SHEAF_TAKE,
	EVENT_FREE_RCU_SHEAF_FAIL,
	EVENT_SHEAF_PREFILL_FAST,
	EVENT_SHEAF_PREFILL_SLOW,
	EVENT_SHEAF_PREFILL_OVERSIZE,
	EVENT_SHEAF_RETURN_FAST,
	EVENT_SHEAF_RETURN_SLOW,
	EVENT_GUARD_BUSY,
	EVENT_THROTTLED,
	EVENT_SHEAF_ALLOC,
	EVENT_SHEAF_FREE,
	EVENT_BARN_GET,
	EVENT_BARN_GET_FAIL,
	EVENT_BARN_PUT,
	EVENT_BARN_PUT_FAIL,
	EVENT_RCU_REUSE,
	NR_STAT_EVENTS,
	EVENT_RETURN_OVERSIZE = NR_STAT_EVENTS,
	EVENT_ENTER, /* the gate */
	EVENT_LEAVE,
	NR_EVENTS
};

/**
 * struct cache_cpu - What a cache keeps for one CPU.
 *
 * Under the guard, but for what says otherwise.  The stacks of the guard are the
 * objects of @main and @rcu_free: while they are installed, the stack's level says
 * how many objects they hold, and their own count is stale.
 */
struct cache_cpu {
	struct umaple_guard guard;
	struct umaple_sheaf *spare; /* at any fill, or NULL */

	struct umaple_sheaf *main;     /* or NULL */
	struct umaple_sheaf *rcu_free; /* collects freed objects, or NULL */
	struct umaple_sheaf *queue; /* waiting for grace periods, oldest first */
	struct umaple_sheaf **queue_end;
	uint64_t queue_sequence; /* of the oldest, or 0; others read it too */
	uint32_t queue_length;
	uint32_t unasked;   /* sent off since a grace period was asked for */
	uint32_t turn;	    /* rcu_free sheaves installed; others read it too */
	uint32_t main_base; /* objects in main when it was installed */
	/* Of the sweeper, under sweep_lock: what it saw last time. */
	uint32_t seen_turn;
	uint64_t seen_sequence;
	bool closed;

	/* Added to by whoever runs on the CPU, without the guard. */
	uint64_t counts[NR_EVENTS] UMAPLE_CACHELINE_ALIGNED;
};

_Static_assert(offsetof(struct cache_cpu, guard) == 0,
	       "a CPU's place in the table begins with its guard");
_Static_assert(sizeof(struct cache_cpu) <= UMAPLE_GUARD_BYTES,
	       "a CPU's place in the table has a fixed size");

struct umaple_cache {
	/* Read by everybody, changed by hardly anybody. */
	struct umaple_cache_head head;
	struct umaple_guard_table table;
	uint32_t overrun;   /* atomic: more wait than @pending_hard */
	uint32_t capacity;  /* of a regular sheaf */
	bool barn_refill;   /* short sheaves are exchanged at the barn */
	bool marked;	    /* somebody sees marks on objects */
	uint32_t ask_after; /* sheaves a CPU sends off before it asks */
	size_t pending_limit;
	size_t pending_hard;
	struct umaple_ticker *ticker;

	struct umaple_slab_node node;
	struct umaple_barn barn;

	/* Objects in queues or deferred in their slabs; atomic. */
	size_t pending UMAPLE_CACHELINE_ALIGNED;

	uint32_t sweep_lock UMAPLE_CACHELINE_ALIGNED;
	uint64_t swept;		       /* grace period of the last relief */
	struct umaple_slab *collected; /* waits for the tick's end */
	struct list_link link;	       /* registry */
	uint64_t stray[NR_EVENTS];     /* of threads without a CPU; atomic */
	uint64_t baseline[NR_STAT_EVENTS];
	uint64_t baseline_ticks;
	char name[];
};

/* --- counting --- */

static UMAPLE_ALWAYS_INLINE void cache_count(struct umaple_cache *cache,
					     enum cache_event event, uint64_t n)
{
	size_t offset =
		offsetof(struct cache_cpu, counts) + event * sizeof(uint64_t);

	if (unlikely(!umaple_guard_add(&cache->table, offset, n)))
		fetch_add_relaxed(&cache->stray[event], n);
}

/* --- the gate: cache/cache_registry.c --- */

extern uint32_t umaple_cache_gate; /* 1: a fork is under way */

UMAPLE_COLD void umaple_cache_gate_wait(struct umaple_cache *cache);

/*
 * Everything but a step on the CPU's own stacks or a short hold of its guard
 * happens between enter and leave, so that a fork can wait until nobody has
 * sheaves, objects or locks in hand.  Not nested: the inner would wait for a fork
 * that waits for the outer.
 */
static inline void cache_enter(struct umaple_cache *cache)
{
	cache_count(cache, EVENT_ENTER, 1);
	/*
	 * ORDER(gate), load side: either we see the gate closed, or the fork sees
	 * us inside.  With restartable sequences the fork's fence serves both.
	 * Store side: gate_close() in cache/cache_registry.c.
	 * Without it: the child gets a cache with an operation half done.
	 */
	if (!cache->table.rseq)
		fence_seq_cst();
	else
		__asm__ volatile("" ::: "memory");
	umaple_delay();
	if (unlikely(load_acquire(&umaple_cache_gate)))
		umaple_cache_gate_wait(cache);
}

static inline void cache_leave(struct umaple_cache *cache)
{
	/*
	 * ORDER(leave), store side: what was done inside is done before this is
	 * counted.
	 * Load side: cache_is_quiet() in cache/cache_registry.c.
	 * Without it: a fork takes us for gone while we still change things.
	 */
	fence_release();
	umaple_tsan_release(&cache->stray);
	cache_count(cache, EVENT_LEAVE, 1);
}

/* --- CPUs --- */

static inline struct cache_cpu *cache_cpu_of(const struct umaple_cache *cache,
					     unsigned int cpu)
{
	return (struct cache_cpu *)(void *)umaple_guard_of(&cache->table, cpu);
}

/* This CPU, its guard held; NULL: go another way. */
static inline struct cache_cpu *cache_cpu_try(struct umaple_cache *cache)
{
	return (struct cache_cpu *)(void *)umaple_guard_try(&cache->table);
}

/* The same, counting a failure. */
static inline struct cache_cpu *cache_cpu_lock(struct umaple_cache *cache)
{
	struct cache_cpu *cpu = cache_cpu_try(cache);

	if (unlikely(!cpu))
		cache_count(cache, EVENT_GUARD_BUSY, 1);
	return cpu;
}

static inline void cache_cpu_unlock(struct cache_cpu *cpu)
{
	umaple_guard_drop(&cpu->guard);
}

static inline struct umaple_guard_stack *cache_cpu_main(struct cache_cpu *cpu)
{
	return &cpu->guard.stacks[GUARD_MAIN];
}

static inline struct umaple_guard_stack *cache_cpu_rcu(struct cache_cpu *cpu)
{
	return &cpu->guard.stacks[GUARD_RCU];
}

/*
 * cache/cache_cpu.c: all under the guard.  "Pull" leaves the place empty; "set"
 * wants it empty.
 */
void umaple_cache_cpu_init(struct cache_cpu *cpu);
void umaple_cache_cpu_set_main(struct cache_cpu *cpu,
			       struct umaple_sheaf *sheaf);
struct umaple_sheaf *umaple_cache_cpu_pull_main(struct umaple_cache *cache,
						struct cache_cpu *cpu);
void umaple_cache_cpu_set_rcu(struct cache_cpu *cpu,
			      struct umaple_sheaf *sheaf);
struct umaple_sheaf *umaple_cache_cpu_pull_rcu(struct umaple_cache *cache,
					       struct cache_cpu *cpu);
/* Let what rcu_free holds wait for a grace period from now on. */
void umaple_cache_cpu_send(struct umaple_cache *cache, struct cache_cpu *cpu);
/* Has the oldest waiting sheaf waited long enough? */
bool umaple_cache_cpu_is_ready(const struct umaple_cache *cache,
			       const struct cache_cpu *cpu);
/* Take the oldest out of the queue; it is ready. */
struct umaple_sheaf *umaple_cache_cpu_pull_ready(struct umaple_cache *cache,
						 struct cache_cpu *cpu);
/* Top @sheaf up from ready ones.  Return: a sheaf emptied by it, or NULL. */
struct umaple_sheaf *umaple_cache_cpu_top_up(struct umaple_cache *cache,
					     struct cache_cpu *cpu,
					     struct umaple_sheaf *sheaf);

/*
 * Pop from main; if that is empty, make another sheaf of this CPU main first: the
 * spare, or the oldest whose grace period has passed.  @ret_rest: the empty one, if
 * there is no place for it.
 */
void *umaple_cache_cpu_pop(struct umaple_cache *cache, struct cache_cpu *cpu,
			   struct umaple_sheaf **ret_rest);
/* Push to main; if that is full and spare is not, exchange the two first. */
bool umaple_cache_cpu_push(struct umaple_cache *cache, struct cache_cpu *cpu,
			   void *object);
/* Put a sheaf with objects in.  Return: a sheaf there is no place for, or NULL. */
struct umaple_sheaf *umaple_cache_cpu_put_full(struct umaple_cache *cache,
					       struct cache_cpu *cpu,
					       struct umaple_sheaf *full);

/* --- sheaves outside any guard: cache/cache_sheaf.c; inside the gate --- */

/* An empty one, from the barn or new; NULL: no memory. */
struct umaple_sheaf *umaple_cache_sheaf_empty(struct umaple_cache *cache);
/* Fill up to @count from slabs.  Return: whether it holds that many now. */
bool umaple_cache_sheaf_fill(struct umaple_cache *cache,
			     struct umaple_sheaf *sheaf, size_t count);
/*
 * A sheaf that holds fewer than @count: exchanged at the barn, filled up from
 * slabs, or both.  Return: the sheaf to have now; it holds at least what it held,
 * and @count unless there is no memory.
 */
struct umaple_sheaf *umaple_cache_sheaf_refill(struct umaple_cache *cache,
					       struct umaple_sheaf *sheaf,
					       size_t count);
/* Everything in it to the slabs. */
void umaple_cache_sheaf_flush(struct umaple_cache *cache,
			      struct umaple_sheaf *sheaf);
/* Get rid of a sheaf nobody has a place for, as below; NULL is ignored. */
void umaple_cache_sheaf_drop(struct umaple_cache *cache,
			     struct umaple_sheaf *sheaf);
/* The same, for one emptied or never filled, whatever the barn holds. */
void umaple_cache_sheaf_delete(struct umaple_cache *cache,
			       struct umaple_sheaf *sheaf);
/* Give a full one to the barn, or its objects to the slabs: an empty one. */
struct umaple_sheaf *umaple_cache_sheaf_trade(struct umaple_cache *cache,
					      struct umaple_sheaf *full);
/*
 * A sheaf with objects to the barn if it is full and there is room, or flushed: so
 * the barn has as many as it may, and one more per thread in _trade() at most.
 */
void umaple_cache_sheaf_settle(struct umaple_cache *cache,
			       struct umaple_sheaf *sheaf);

/* --- objects and the slabs; inside the gate --- */

/* All of them back to their slabs; counted by the caller. */
void umaple_cache_slabs_give(struct umaple_cache *cache, void *const *objects,
			     size_t count);

void *umaple_cache_slab_alloc(struct umaple_cache *cache);
void umaple_cache_slab_free(struct umaple_cache *cache, void *object);

/* --- objects that wait: cache/cache_rcu.c --- */

static inline void cache_pending_add(struct umaple_cache *cache, size_t n)
{
	if (fetch_add_relaxed(&cache->pending, n) + n > cache->pending_hard)
		store_relaxed(&cache->overrun, 1);
}

static inline void cache_pending_sub(struct umaple_cache *cache, size_t n)
{
	fetch_sub_relaxed(&cache->pending, n);
}

/*
 * Do more objects wait than may, even after those have been taken that waited
 * long enough?  Inside the gate.
 */
UMAPLE_COLD bool umaple_cache_is_overrun(struct umaple_cache *cache);

static inline bool cache_is_overrun(struct umaple_cache *cache)
{
	return unlikely(load_relaxed(&cache->overrun)) &&
	       umaple_cache_is_overrun(cache);
}

/* --- other CPUs' sheaves: cache/cache_reclaim.c --- */

enum cache_sweep {
	SWEEP_READY, /* take what has waited long enough */
	SWEEP_IDLE,  /* the same, and send off rcu_free, where nothing moves */
	SWEEP_SEND,  /* send off every rcu_free */
	SWEEP_ALL    /* take main, spare and what has waited long enough */
};

/*
 * Inside the gate.  Return: whether objects wait still, or rcu_free sheaves are
 * there to collect them.
 */
bool umaple_cache_sweep(struct umaple_cache *cache, enum cache_sweep how);

/* --- every cache: cache/cache_registry.c --- */

void umaple_cache_register(struct umaple_cache *cache);
void umaple_cache_unregister(struct umaple_cache *cache);

/* Keep tickers and forks away from all caches. */
void umaple_cache_registry_lock(void);
void umaple_cache_registry_unlock(void);

/* --- sums: cache/cache_stats.c --- */

/* All events since creation. */
void umaple_cache_sum(struct umaple_cache *cache, uint64_t sums[NR_EVENTS]);

/* Make a cache with the atomic form of guards; for tests. */
int umaple_cache_create_form(const struct umaple_cache_attr *attr, bool rseq,
			     struct umaple_cache **ret_cache);

/* Says which cache was misused, and aborts. */
UMAPLE_COLD void umaple_cache_die(const struct umaple_cache *cache,
				  const char *what, const void *where)
	__attribute__((noreturn));

/* Dies unless @object is the address of one of the cache's objects. */
static inline void cache_check_owner(struct umaple_cache *cache,
				     const void *object)
{
	if (unlikely(!umaple_slab_owns(&cache->node, object)))
		umaple_cache_die(cache, "freed address is not an object of it",
				 object);
}

/* Marks for Valgrind: kept out of the fast paths. */
UMAPLE_COLD void umaple_cache_mark_free(struct umaple_cache *cache,
					void *object);
UMAPLE_COLD void umaple_cache_mark_used(struct umaple_cache *cache,
					void *object);

static inline void cache_mark_free(struct umaple_cache *cache, void *object)
{
	if (UMAPLE_ASAN)
		umaple_mark_free(object, cache->node.geo.object_size);
	else if (unlikely(cache->marked))
		umaple_cache_mark_free(cache, object);
}

static inline void cache_mark_used(struct umaple_cache *cache, void *object)
{
	if (UMAPLE_ASAN)
		umaple_mark_used(object, cache->node.geo.object_size);
	else if (unlikely(cache->marked))
		umaple_cache_mark_used(cache, object);
}

#endif /* CACHE_CACHE_PRIV_H */
