// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_engine.hpp"

#include <array>
#include <tessera/transpose/transpose_options.hpp>
#include <utility>

#include "device/enumerator.hpp"
#include "typed_transpose_engine.hpp"

namespace tessera::apps {
namespace {

using Maker = std::unique_ptr<TransposeEngine> (*)(HostBuffer&, HostBuffer&, const TransposeRequest&,
                                                   const std::string&);

template <std::size_t... Index>
constexpr std::array<Maker, sizeof...(Index)> makers_of(std::index_sequence<Index...>) {
  return {make_sized_transpose_engine<Index + 1>...};
}

constexpr auto makers = makers_of(std::make_index_sequence<16>{});  // of 1 to 16 bytes

}  // namespace

std::vector<std::string> transpose_variant_names() { return names_of(transpose_variants); }

std::unique_ptr<TransposeEngine> make_transpose_engine(HostBuffer& input, HostBuffer& output,
                                                       const TransposeRequest& request, const std::string& space) {
  return makers.at(request.element_bytes - 1)(input, output, request, space);
}

}  // namespace tessera::apps
