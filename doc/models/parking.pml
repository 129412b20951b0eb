/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * parking.pml - slabs of one node that are freed into, parked, taken from and given
 * back by three threads at once.
 *
 * README.md beside this file says what is covered, and how a variant is chosen:
 *   UNPARK      ON_EMPTY or DEFERRED: who looks for parked slabs nobody consumes
 *   MIN_PARTIAL partial slabs below which an empty one is kept
 *   BREAK_...   one fault, which a run must find
 *
 * A step here is one access to a word that is used without list_lock; what only
 * holders of list_lock see is part of the step before it.  An attempt to take the
 * lock may fail although it is free, which covers parking without an attempt.
 */

#define ON_EMPTY 0
#define DEFERRED 1

#ifndef UNPARK
#define UNPARK ON_EMPTY
#endif
#ifndef MIN_PARTIAL
#define MIN_PARTIAL 1
#endif

#define SLABS 2
#define NIL   SLABS
#define ALL   3 /* two objects per slab, a bit each */

/* lib/slab/chunk.h: what a slab's metadata says. */
byte free[SLABS];
bool in_use[SLABS] = true;
bool listed[SLABS];
bool awaited[SLABS];
byte next[SLABS] = NIL; /* shares its bytes with the links of the partial list */

/* lib/slab/slab.h: what the node says. */
bool list_lock;
byte nr_partial;
byte head = NIL;
byte nr_awaited;
bool aging; /* the ticker will come */

/* What nobody in the code knows. */
byte used[SLABS] = ALL; /* objects that users have */
bool stacked[SLABS];	/* the link is one of the stack */
byte busy;		/* threads inside a call */
bool alone;		/* since its start nobody but one thread has called */

/* Slabs of set @discard go back to the pool with it: they must be nobody's. */
inline unlock_discarding()
{
	k = 0;
	do
	:: k < SLABS ->
		if
		:: discard & (1 << k) ->
			assert(in_use[k] && free[k] == ALL);
			assert(!listed[k] && !stacked[k]);
			in_use[k] = false
		:: else
		fi;
		k++
	:: else -> break
	od;
	discard = 0;
	k = 0;
	list_lock = false
}

inline list(s)
{
	assert(!stacked[s]);
	listed[s] = true;
	nr_partial++
}

inline unlist(s)
{
	listed[s] = false;
	nr_partial--
}

/* list_lock held, slab @s off the list with free objects: list it, or not. */
inline settle(s)
{
	if
	:: awaited[s] -> awaited[s] = false; nr_awaited--
	:: else
	fi;
	if
	:: free[s] == ALL && nr_partial >= MIN_PARTIAL ->
		discard = discard | (1 << s)
	:: else -> list(s)
	fi
}

/* list_lock held: the whole stack, by one exchange. */
inline unpark()
{
	h = head;
	head = NIL;
	do
	:: h != NIL ->
		k = h;
		h = next[k];
		next[k] = NIL;
		assert(stacked[k] && in_use[k]);
		stacked[k] = false;
		settle(k)
	:: else -> break
	od;
	k = 0;
	h = 0
}

/* A hold of list_lock for nothing else. */
inline relieve()
{
	atomic { !list_lock -> unpark(); unlock_discarding() }
}

/* list_lock held: nobody else may see to slab @s, which is empty, in time. */
inline await(s)
{
#ifdef BREAK_LATE_AWAIT
	d_step { unpark() };
#endif
#ifndef BREAK_NO_AWAIT
	d_step {
		if
		:: !listed[s] && !(discard & (1 << s)) ->
			awaited[s] = true;
			nr_awaited++
		:: else
		fi
	};
#endif
#ifndef BREAK_LATE_AWAIT
	d_step { unpark() }
#endif
}

inline push(s)
{
	assert(!listed[s] && !stacked[s]);
	h = head;
	do
	:: true ->
		next[s] = h;
#ifdef BREAK_STORED_PUSH
		d_step { head = s; stacked[s] = true };
		break
#else
		atomic {
			if
			:: head == h -> head = s; stacked[s] = true; break
			:: else -> h = head
			fi
		}
#endif
	od;
	h = 0
}

/* Slab @s was full, and this thread found it so. */
inline park(s)
{
#if UNPARK == DEFERRED
#ifdef BREAK_EARLY_WANT
	aging = true;
#endif
	push(s);
#if !defined(BREAK_NO_WANT) && !defined(BREAK_EARLY_WANT)
	aging = true;
#endif
#else
#ifdef BREAK_EARLY_LOOK
	old = nr_awaited;
	push(s);
#else
	push(s);
	old = nr_awaited;
#endif
#ifdef BREAK_READ_AGAIN
	assert(in_use[s]);
	old = (free[s] == ALL);
#endif
	if
	:: old -> relieve()
	:: else
	fi
#endif
}

/* Full -> partial or empty. */
inline list_or_park(s)
{
	atomic {
		old = 0;
		if
#if UNPARK == ON_EMPTY && !defined(BREAK_PARK_EMPTY)
		:: free[s] == ALL -> old = 1
		:: free[s] != ALL -> old = 2
#else
		:: true -> old = 2
#endif
		:: !list_lock -> old = 1
		fi
	};
	if
	:: old == 1 -> atomic { !list_lock -> settle(s); unlock_discarding() }
	:: old == 2 -> park(s)
	fi
}

/* The last bits of slab @s may be these: list_lock first. */
inline free_last(s, m)
{
#ifdef BREAK_LAST_UNLOCKED
	atomic { old = free[s]; free[s] = old | m };
	atomic { !list_lock -> list_lock = true };
	assert(in_use[s]);
#else
	atomic { !list_lock -> list_lock = true; old = free[s]; free[s] = old | m };
#endif
	atomic {
		if
		:: old == 0 -> settle(s)
		:: old != 0 && free[s] == ALL && listed[s] ->
			if
			:: nr_partial >= MIN_PARTIAL ->
				unlist(s);
				discard = discard | (1 << s)
			:: else
			fi
		:: else
		fi;
		old = (old != 0 && free[s] == ALL && !listed[s] &&
		       !(discard & (1 << s)))
	};
#if UNPARK == ON_EMPTY
	if
	:: old -> await(s)
	:: else
	fi;
#endif
	atomic { unlock_discarding() }
}

inline give(s, m)
{
	atomic {
		assert(in_use[s] && !(free[s] & m));
		old = free[s];
		if
		:: old != 0 && (old | m) == ALL -> old = 4
		:: else -> free[s] = old | m
		fi
	};
	if
	:: old == 4 -> free_last(s, m)
	:: old == 0 -> list_or_park(s)
	:: else
	fi
}

/* list_lock held, slab @s listed: at most @want of its objects. */
inline claim(s)
{
	old = free[s];
	do
	:: true ->
		m = (want >= 2 || old != ALL -> old : 1);
#ifndef BREAK_LATE_UNLINK
		if
		:: m == old && listed[s] -> unlist(s)
		:: else
		fi;
#endif
		atomic {
			if
			:: free[s] == old -> free[s] = old & ~m; break
			:: else -> old = free[s]
			fi
		}
	od;
	skip;
	d_step {
#ifdef BREAK_LATE_UNLINK
		if
		:: m == old && listed[s] -> unlist(s)
		:: else
		fi;
#endif
		if
		:: m != old && !listed[s] -> list(s)
		:: else
		fi;
		got[s] = got[s] | m;
		want = (m == ALL && want >= 2 -> want - 2 : want - 1)
	}
}

/* One slab that was in no use; the thread's pick among several is the first. */
inline take_fresh(s)
{
	atomic {
		if
		:: !in_use[s] ->
			assert(!(saw && alone));
			in_use[s] = true;
			got[s] = (want >= 2 -> ALL : 1);
			free[s] = ALL & ~got[s];
			want = (want >= 2 -> want - 2 : 0);
			old = 1
		:: else -> old = 0
		fi
	};
	if
	:: old && free[s] -> atomic { !list_lock -> list(s) }
	:: else
	fi
}

inline take()
{
	atomic {
		saw = (head != NIL);
		old = (nr_partial != 0);
#ifndef BREAK_NO_PRECHECK
		old = (old || saw)
#endif
	};
	if
	:: old ->
		saw = false;
		atomic { !list_lock -> list_lock = true; unpark() };
		do
		:: want && listed[0] -> claim(0)
		:: want && listed[1] -> claim(1)
		:: else -> break
		od;
		atomic { unlock_discarding() }
	:: else
	fi;
	if
	:: want -> take_fresh(0)
	:: else
	fi;
	if
	:: want -> take_fresh(1)
	:: else
	fi;
	atomic {
		assert(!(used[0] & got[0]) && !(used[1] & got[1]));
		used[0] = used[0] | got[0];
		used[1] = used[1] | got[1];
		got[0] = 0;
		got[1] = 0;
		want = 0;
		saw = false
	}
}

inline shrink()
{
	atomic {
		!list_lock;
#ifndef BREAK_BLIND_SHRINK
		unpark();
#endif
		do
		:: k < SLABS ->
			if
			:: listed[k] && free[k] == ALL ->
				unlist(k);
				discard = discard | (1 << k)
			:: else
			fi;
			k++
		:: else -> break
		od;
		unlock_discarding();
		assert(!alone || (head == NIL && !(in_use[0] && free[0] == ALL) &&
			!(in_use[1] && free[1] == ALL)))
	}
}

/* Nobody is inside a call: nothing is lost, listed twice, or stranded. */
inline check_rest()
{
	assert(!list_lock && !nr_awaited);
	assert(UNPARK == ON_EMPTY || head == NIL || aging);
	k = 0;
	h = 0;
	do
	:: k < SLABS ->
		assert(!awaited[k]);
		assert(!(listed[k] && stacked[k]));
		assert((in_use[k] && free[k] != 0) == (listed[k] || stacked[k]));
		assert(in_use[k] || free[k] == ALL);
		assert(!(free[k] & used[k]) && (free[k] | used[k]) == ALL);
		assert(UNPARK == DEFERRED || !(stacked[k] && free[k] == ALL));
		h = h + (listed[k] && free[k] == ALL);
		k++
	:: else -> break
	od;
	assert(h <= MIN_PARTIAL);
	assert(nr_partial == listed[0] + listed[1]);
	h = 0;
	k = head;
	do
	:: k != NIL ->
		assert(stacked[k] && h < SLABS);
		h++;
		k = next[k]
	:: else -> break
	od;
	assert(h == stacked[0] + stacked[1]);
	h = 0;
	k = 0
}

inline begin()
{
	busy++;
	alone = (busy == 1)
}

inline end()
{
	atomic {
		discard = 0;
		old = 0;
		m = 0;
		busy--;
		if
		:: busy == 0 -> check_rest()
		:: else
		fi
	}
}

/* Objects of a slab are alike: one of them, or both. */
inline use_up(s)
{
	begin();
	if
	:: used[s] & 1 -> m = 1
	:: !(used[s] & 1) -> m = 2
	:: used[s] == ALL -> m = ALL
	fi;
	used[s] = used[s] & ~m
}

active [2] proctype freer()
{
	byte old, m, h, k, discard;

	do
	:: atomic { used[0] -> use_up(0) }; give(0, m); end()
	:: atomic { used[1] -> use_up(1) }; give(1, m); end()
	od
}

active proctype consumer()
{
	byte old, m, h, k, want, discard;
	byte got[SLABS];
	bool saw;

	do
	:: atomic { begin(); want = 1 }; take(); end()
	:: atomic { begin(); want = 3 }; take(); end()
	:: atomic { begin() }; shrink(); end()
#if UNPARK == DEFERRED
	:: atomic { aging -> begin(); aging = false }; relieve(); end()
#endif
	od
}
