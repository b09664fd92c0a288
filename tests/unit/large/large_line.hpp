// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of one byte an element, past 2^31 of them, whose values tell where they stand.
#ifndef TESSERA_TESTS_LARGE_LINE_HPP
#define TESSERA_TESTS_LARGE_LINE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace tessera::test {

using LargeSpace = Kokkos::DefaultExecutionSpace;
using LargeRange = Kokkos::RangePolicy<LargeSpace, Kokkos::IndexType<std::int64_t>>;
using LargeLine = Kokkos::View<std::int8_t*, LargeSpace>;

/// Generator::value(i) to each element.
template <class Generator>
struct FillLine {
  LargeLine line;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { line(i) = Generator::value(i); }
};

template <class Generator>
LargeLine filled_line(std::int64_t size) {
  const LargeLine line(Kokkos::view_alloc("line", Kokkos::WithoutInitializing), size);
  // In pieces: Kokkos 4.5 does not come to an end of 2^32 iterations on CUDA.
  constexpr std::int64_t piece = std::int64_t{1} << 31;
  for (std::int64_t begin = 0; begin < size; begin += piece) {
    Kokkos::parallel_for("fill", LargeRange(begin, begin + piece < size ? begin + piece : size),
                         FillLine<Generator>{line});
  }
  return line;
}

}  // namespace tessera::test

#endif
