// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of Tessera: reductions, 1D filters with halos, tiled transposes.
#ifndef TESSERA_TESSERA_HPP
#define TESSERA_TESSERA_HPP

#include <tessera/error.hpp>
#include <tessera/filter/boundary.hpp>
#include <tessera/filter/filter.hpp>
#include <tessera/filter/halo.hpp>
#include <tessera/filter/median_filter.hpp>
#include <tessera/filter/named_weights.hpp>
#include <tessera/filter/stencil.hpp>
#include <tessera/filter/team_filter.hpp>
#include <tessera/filter/weights.hpp>
#include <tessera/filter/window_filter.hpp>
#include <tessera/reduce/dot.hpp>
#include <tessera/reduce/dot_axes.hpp>
#include <tessera/reduce/exact_accumulator.hpp>
#include <tessera/reduce/fused.hpp>
#include <tessera/reduce/reduce.hpp>
#include <tessera/reduce/reduce_axes.hpp>
#include <tessera/reduce/reduce_segments.hpp>
#include <tessera/reduce/reducers.hpp>
#include <tessera/reduce/stats.hpp>
#include <tessera/reduce/team_reduce.hpp>
#include <tessera/transpose/element_functions.hpp>
#include <tessera/transpose/permute.hpp>
#include <tessera/transpose/permute_array.hpp>
#include <tessera/transpose/team_transpose.hpp>
#include <tessera/transpose/transpose.hpp>
#include <tessera/transpose/transpose_in_place.hpp>
#include <tessera/version.hpp>
#include <tessera/workspace.hpp>

#endif
