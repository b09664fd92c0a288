// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_place_engine.hpp"

#include <array>
#include <utility>

namespace tessera::apps {
namespace {

using Maker = std::unique_ptr<TransposeEngine> (*)(const HostBuffer&, HostBuffer&, const InPlaceMatrices&,
                                                   const std::string&);

template <std::size_t... Index>
constexpr std::array<Maker, sizeof...(Index)> makers_of(std::index_sequence<Index...>) {
  return {make_sized_in_place_engine<Index + 1>...};
}

constexpr auto makers = makers_of(std::make_index_sequence<16>{});  // of 1 to 16 bytes

}  // namespace

std::unique_ptr<TransposeEngine> make_in_place_engine(const HostBuffer& input, HostBuffer& output,
                                                      const InPlaceMatrices& matrices, const std::string& space) {
  return makers.at(matrices.element_bytes - 1)(input, output, matrices, space);
}

}  // namespace tessera::apps
