// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant two_stage: two loads a thread, so that no thread only waits, the tree of sequential, and a second launch
// whose threads take a chain of partials each. One team's chains hold the partials of 2^25 elements (team 256); more
// elements take a launch more. No atomics.
#ifndef TESSERA_REDUCE_DETAIL_REDUCE_TWO_STAGE_HPP
#define TESSERA_REDUCE_DETAIL_REDUCE_TWO_STAGE_HPP

#include <tessera/reduce/detail/reduce_passes.hpp>
#include <tessera/reduce/detail/reduce_sequential.hpp>

namespace tessera::detail {

template <class Call>
void launch_two_stage(const Call& call) {
  launch_passes<SequentialTree<2>>(call);
}

}  // namespace tessera::detail

#endif
