// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_TRANSPOSE_IN_PLACE_ENGINE_HPP
#define TESSERA_APPS_TRANSPOSE_IN_PLACE_ENGINE_HPP

#include <cstddef>
#include <memory>
#include <string>

#include "transpose_engine.hpp"

namespace tessera::apps {

/// Transposes a copy of the input in the memory of the output.
[[nodiscard]] std::unique_ptr<TransposeEngine> make_in_place_engine(const HostBuffer& input, HostBuffer& output,
                                                                    const InPlaceMatrices& matrices,
                                                                    const std::string& space);

/// Instantiated in files of their own, because the kernels of a size take long to compile.
template <std::size_t Bytes>
[[nodiscard]] std::unique_ptr<TransposeEngine> make_sized_in_place_engine(const HostBuffer& input, HostBuffer& output,
                                                                          const InPlaceMatrices& matrices,
                                                                          const std::string& space);

}  // namespace tessera::apps

#endif
