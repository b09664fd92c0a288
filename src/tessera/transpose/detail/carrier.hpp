// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as bytes: any trivially copyable type moves unchanged, padding and NaN payloads too.
#ifndef TESSERA_TRANSPOSE_DETAIL_CARRIER_HPP
#define TESSERA_TRANSPOSE_DETAIL_CARRIER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera::detail {

/// Size bytes moved as words of Word, on boundaries of Align bytes.
template <class Word, std::size_t Size, std::size_t Align>
struct alignas(Align) Carrier {
  Word words[Size / sizeof(Word)];
};

template <std::size_t Align>
using word_of = std::conditional_t<
    Align % 8 == 0, std::uint64_t,
    std::conditional_t<Align % 4 == 0, std::uint32_t, std::conditional_t<Align % 2 == 0, std::uint16_t, std::uint8_t>>>;

/// The carrier of a type that lies on boundaries of Align bytes.
template <std::size_t Size, std::size_t Align>
using carrier_of = Carrier<word_of<Align>, Size, Align>;

/// Whether Size bytes can be one access.
constexpr bool is_access_size(std::size_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

}  // namespace tessera::detail

#endif
