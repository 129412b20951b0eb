/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include <functional>
#include <map>

#include "peer_map.hh"

using tree = std::map<uint64_t, peer_slot, std::less<uint64_t>,
		      counting_allocator<std::pair<const uint64_t, peer_slot>>>;

const struct peer peer_std = peer_functions<tree>::table("std");
