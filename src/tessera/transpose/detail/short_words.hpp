// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 1 and 2 bytes as words that begin anywhere.
#ifndef TESSERA_TRANSPOSE_DETAIL_SHORT_WORDS_HPP
#define TESSERA_TRANSPOSE_DETAIL_SHORT_WORDS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>

namespace tessera::detail {

/// What begins at an address whose word is first; of what begins on a boundary, second is not looked at.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_at(std::uint32_t address, std::uint32_t first, std::uint32_t second) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(first, second, address * 8);
#else
  return static_cast<std::uint32_t>((std::uint64_t{second} << 32 | first) >> (address % sizeof(first) * 8));
#endif
}

/// Turns the elements of as many words as one has: compilers take several times the instructions.
KOKKOS_FORCEINLINE_FUNCTION void turn_words(std::uint32_t (&words)[4]) {
#if defined(__CUDA_ARCH__)
  const std::uint32_t even_low = __byte_perm(words[0], words[1], 0x5140),
                      odd_low = __byte_perm(words[2], words[3], 0x5140),
                      even_high = __byte_perm(words[0], words[1], 0x7362),
                      odd_high = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(even_low, odd_low, 0x5410);
  words[1] = __byte_perm(even_low, odd_low, 0x7632);
  words[2] = __byte_perm(even_high, odd_high, 0x5410);
  words[3] = __byte_perm(even_high, odd_high, 0x7632);
#else
  std::uint32_t turned[4] = {};
  for (int c = 0; c < 4; ++c) {
    for (int i = 0; i < 4; ++i) turned[c] |= (words[i] >> 8 * c & 0xff) << 8 * i;
  }
  for (int c = 0; c < 4; ++c) words[c] = turned[c];
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void turn_words(std::uint32_t (&words)[2]) {
  const std::uint32_t low = (words[0] & 0xffff) | words[1] << 16;
  words[1] = words[0] >> 16 | (words[1] & 0xffff0000u);
  words[0] = low;
}

/// Each element of a word through a function.
template <class In, class Out, class Function>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_through(const Function& function, std::uint32_t word) {
  static_assert(sizeof(In) == sizeof(Out));
  constexpr int width = sizeof(word) / sizeof(In);
  const auto elements = Kokkos::bit_cast<Packed<In, width>>(word);
  Packed<Out, width> made;
  TESSERA_UNROLL
  for (int i = 0; i < width; ++i) made.values[i] = function(elements.values[i]);
  return Kokkos::bit_cast<std::uint32_t>(made);
}

}  // namespace tessera::detail

#endif
