// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_TRANSPOSE_IN_PLACE_REQUEST_HPP
#define TESSERA_APPS_TRANSPOSE_IN_PLACE_REQUEST_HPP

#include "transpose_engine.hpp"

namespace tessera::apps {

/// The permutation as transposes of matrices in place. Axes that stay in front count matrices, those that stay at the
/// end are part of the elements. \throws Failure (bad_input) for permutations that are none
[[nodiscard]] InPlaceMatrices in_place_matrices(const TransposeRequest& request);

}  // namespace tessera::apps

#endif
