/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/peer_map.hh - a range map made of an ordered map: last index to first
 * index and value.
 *
 * The way such a map is written by hand where there is no range map: one search
 * per operation, then neighbours.  Holes are found by looking at one after the
 * other.  Shared, it is behind a reader-writer lock, or a spinlock where readers
 * and writers are busy at once.  Memory is what the map asks its allocator for,
 * without what malloc() adds.
 */

#ifndef BENCH_PEER_MAP_HH
#define BENCH_PEER_MAP_HH

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <pthread.h>

#include "peer.h"

struct peer_slot {
	uint64_t first;
	uint64_t value;
};

/* Counts the bytes that are allocated now. */
template <class T> struct counting_allocator {
	using value_type = T;

	uint64_t *bytes;

	explicit counting_allocator(uint64_t *counter) : bytes(counter)
	{
	}

	template <class U>
	counting_allocator(const counting_allocator<U> &other)
	    : bytes(other.bytes)
	{
	}

	T *allocate(size_t count)
	{
		*bytes += count * sizeof(T);
		return std::allocator<T>().allocate(count);
	}

	void deallocate(T *memory, size_t count)
	{
		*bytes -= count * sizeof(T);
		std::allocator<T>().deallocate(memory, count);
	}

	template <class U>
	bool operator==(const counting_allocator<U> &other) const
	{
		return bytes == other.bytes;
	}

	template <class U>
	bool operator!=(const counting_allocator<U> &other) const
	{
		return bytes != other.bytes;
	}
};

template <class Map> class range_map
{
	uint64_t allocated = 0;
	enum peer_kind kind;
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_spinlock_t spin;
	Map map;

	using iterator = typename Map::iterator;

	/* Held by an operation that may write, or is alone with its lock. */
	class section
	{
		range_map &map;

	      public:
		explicit section(range_map &of) : map(of)
		{
			if (map.kind == PEER_SHARED)
				pthread_rwlock_wrlock(&map.lock);
			else if (map.kind == PEER_BUSY)
				pthread_spin_lock(&map.spin);
		}

		~section()
		{
			if (map.kind == PEER_SHARED)
				pthread_rwlock_unlock(&map.lock);
			else if (map.kind == PEER_BUSY)
				pthread_spin_unlock(&map.spin);
		}
	};

	/* The range at @index, or the first after it. */
	iterator at(uint64_t index)
	{
		return map.lower_bound(index);
	}

	bool holds(iterator it, uint64_t index)
	{
		return it != map.end() && it->second.first <= index;
	}

	void put(uint64_t first, uint64_t last, uint64_t value)
	{
		iterator it = at(first);

		/* The part below: what is above keeps its key. */
		if (it != map.end() && it->second.first < first)
			it = std::next(
				map.emplace_hint(it, first - 1, it->second));
		while (it != map.end() && it->first < last)
			it = map.erase(it);
		if (it != map.end() && it->first == last) {
			it->second = peer_slot{ first, value };
			return;
		}
		if (holds(it, last))
			it->second.first = last + 1;
		map.emplace_hint(it, last, peer_slot{ first, value });
	}

      public:
	explicit range_map(enum peer_kind of)
	    : kind(of), map(typename Map::allocator_type(&allocated))
	{
		pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	}

	void store(uint64_t first, uint64_t last, uint64_t value)
	{
		section held(*this);

		put(first, last, value);
	}

	uint64_t erase(uint64_t index)
	{
		section held(*this);
		iterator it = at(index);
		uint64_t value = 0;

		if (holds(it, index)) {
			value = it->second.value;
			map.erase(it);
		}
		return value;
	}

	uint64_t load(uint64_t index)
	{
		iterator it = at(index);

		return holds(it, index) ? it->second.value : 0;
	}

	/* A load that has the map to itself only as long as it takes. */
	uint64_t load_alone(uint64_t index)
	{
		section held(*this);

		return load(index);
	}

	uint64_t load_many(const uint64_t *indices, size_t count)
	{
		uint64_t sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += load(indices[i]);
		return sum;
	}

	void read_begin()
	{
		if (kind == PEER_SHARED)
			pthread_rwlock_rdlock(&lock);
	}

	void read_end()
	{
		if (kind == PEER_SHARED)
			pthread_rwlock_unlock(&lock);
	}

	uint64_t iterate()
	{
		uint64_t sum = 0;

		for (auto &range : map)
			sum += peer_mix(range.second.first, range.first,
					range.second.value);
		return sum;
	}

	uint64_t gap_first(uint64_t size, uint64_t min, uint64_t max)
	{
		section held(*this);
		iterator it = at(min);
		uint64_t low = min;

		for (; it != map.end(); ++it) {
			uint64_t first = it->second.first;

			if (first > low && first - low >= size)
				break;
			if (it->first >= max)
				return PEER_NO_GAP;
			low = it->first + 1;
		}
		return low <= max && max - low >= size - 1 ? low : PEER_NO_GAP;
	}

	uint64_t gap_last(uint64_t size, uint64_t min, uint64_t max)
	{
		section held(*this);
		iterator it = at(max);
		uint64_t high = max;

		if (holds(it, max)) {
			if (it->second.first == 0)
				return PEER_NO_GAP;
			high = it->second.first - 1;
		}
		for (;;) {
			uint64_t low = min;

			if (it != map.begin() && std::prev(it)->first >= min)
				low = std::prev(it)->first + 1;
			if (high >= low && high - low >= size - 1)
				return high - size + 1;
			if (low == min)
				return PEER_NO_GAP;
			--it;
			if (it->second.first <= min)
				return PEER_NO_GAP;
			high = it->second.first - 1;
		}
	}

	uint64_t bytes()
	{
		return allocated;
	}
};

/* The table of functions for one kind of map. */
template <class Map> struct peer_functions {
	using ranges = range_map<Map>;

	static ranges *of(void *map)
	{
		return static_cast<ranges *>(map);
	}

	static void *make(enum peer_kind kind)
	{
		return new ranges(kind);
	}

	static void destroy(void *map)
	{
		delete of(map);
	}

	static void store(void *map, uint64_t first, uint64_t last,
			  uint64_t value)
	{
		of(map)->store(first, last, value);
	}

	static uint64_t erase(void *map, uint64_t index)
	{
		return of(map)->erase(index);
	}

	static uint64_t load(void *map, uint64_t index)
	{
		return of(map)->load_alone(index);
	}

	static uint64_t load_many(void *map, const uint64_t *indices,
				  size_t count)
	{
		return of(map)->load_many(indices, count);
	}

	static uint64_t walk(void *map, uint64_t index)
	{
		return of(map)->load(index);
	}

	static void read_begin(void *map)
	{
		of(map)->read_begin();
	}

	static void read_end(void *map)
	{
		of(map)->read_end();
	}

	static uint64_t iterate(void *map)
	{
		return of(map)->iterate();
	}

	static uint64_t gap_first(void *map, uint64_t size, uint64_t min,
				  uint64_t max)
	{
		return of(map)->gap_first(size, min, max);
	}

	static uint64_t gap_last(void *map, uint64_t size, uint64_t min,
				 uint64_t max)
	{
		return of(map)->gap_last(size, min, max);
	}

	static uint64_t bytes(void *map)
	{
		return of(map)->bytes();
	}

	static constexpr struct peer table(const char *name)
	{
		struct peer peer = {};

		peer.name = name;
		peer.make = make;
		peer.destroy = destroy;
		peer.store = store;
		peer.erase = erase;
		peer.load = load;
		peer.load_many = load_many;
		peer.read_begin = read_begin;
		peer.walk = walk;
		peer.read_end = read_end;
		peer.iterate = iterate;
		peer.step = iterate;
		peer.gap_first = gap_first;
		peer.gap_last = gap_last;
		peer.bytes = bytes;
		return peer;
	}
};

#endif /* BENCH_PEER_MAP_HH */
