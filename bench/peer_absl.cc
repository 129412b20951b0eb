/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include <absl/container/btree_map.h>
#include <functional>

#include "peer_map.hh"

using tree =
	absl::btree_map<uint64_t, peer_slot, std::less<uint64_t>,
			counting_allocator<std::pair<const uint64_t, peer_slot>>>;

const struct peer peer_absl = peer_functions<tree>::table("absl");
