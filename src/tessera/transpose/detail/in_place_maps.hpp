// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The permutations of B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP
// 2014, of an m x n matrix, c = gcd(m, n), a = m / c, b = n / c, without a division for each element.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_MAPS_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_MAPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/detail/tile_range.hpp>
#include <tessera/transpose/detail/in_place_layout.hpp>
#include <utility>

namespace tessera::detail {

/// x * y mod modulus for 0 <= x, y < modulus < 2^62.
KOKKOS_INLINE_FUNCTION std::int64_t multiply_modulo(std::int64_t x, std::int64_t y, std::int64_t modulus) {
  if (((x | y) >> 31) == 0) return divide(x * y, modulus).remainder;
  std::int64_t product = 0;
  for (; y != 0; y >>= 1) {
    if ((y & 1) != 0) product += x - (product + x >= modulus ? modulus : 0);
    x += x - (x + x >= modulus ? modulus : 0);
  }
  return product;
}

/// y with x y mod modulus = 1 mod modulus, for gcd(x, modulus) = 1: Euclid's algorithm.
inline std::int64_t inverse_modulo(std::int64_t x, std::int64_t modulus) {
  std::int64_t y = 0, next_y = 1, remainder = modulus, next = x;
  while (next != 0) {
    const std::int64_t quotient = remainder / next;
    y = std::exchange(next_y, y - quotient * next_y);
    remainder = std::exchange(next, remainder - quotient * next);
  }
  return y < 0 ? y + modulus : y % modulus;
}

/// x mod modulus, never negative.
KOKKOS_INLINE_FUNCTION std::int64_t modulo(std::int64_t x, std::int64_t modulus) {
  const std::int64_t remainder = divide(x < 0 ? -x : x, modulus).remainder;
  return x < 0 && remainder != 0 ? modulus - remainder : remainder;
}

/// Where passes over columns fetch row i: (i n - floor(i / a)) mod m, the same as ((i mod a) n - floor(i / a)) mod m.
struct RowMap {
  std::int64_t m, period, step;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const QuotientRemainder split = divide(i, period);
    const std::int64_t row = multiply_modulo(split.remainder, step, m) - split.quotient;
    return row < 0 ? row + m : row;
  }
};

/// A pass over columns gathers x'(i, j) = x((map(i) + floor(j / run)) mod m, j), or its inverse scatters.
struct ColumnShuffle {
  RowMap map;
  std::int64_t run;
  bool is_inverse;
};

inline ColumnShuffle column_shuffle(const InPlaceShape& shape, bool is_inverse) {
  return {{shape.m, shape.a, shape.n % shape.m}, 1, is_inverse};
}

/// The rotation before the row shuffle, which then moves no two elements to one place.
inline ColumnShuffle column_rotation(const InPlaceShape& shape, bool is_inverse) {
  return {{shape.m, shape.m, 1 % shape.m}, shape.b, is_inverse};
}

/// The row shuffle takes element j = k b + l of row i to ((i + k) mod m + j m) mod n = (i + k + l m - [i + k >= m] m)
/// mod n. Threads go along rows in steps of `step`: k, l, and the sum without the bracket come from those before.
template <class Index>
struct RowShuffle {
  struct Cursor {
    Index k, l, sum;  // sum = (i + k + l m) mod n
    Index wrap;       // the first k with i + k >= m
  };

  std::int64_t m;
  Index n, b, c, m_mod_n;
  Index step, step_k, step_l, step_sum;

  RowShuffle(const InPlaceShape& shape, std::int64_t row_step)
      : m(shape.m),
        n(static_cast<Index>(shape.n)),
        b(static_cast<Index>(shape.b)),
        c(static_cast<Index>(shape.c)),
        m_mod_n(static_cast<Index>(shape.m % shape.n)),
        step(static_cast<Index>(row_step)),
        step_k(static_cast<Index>(row_step / shape.b)),
        step_l(static_cast<Index>(row_step % shape.b)),
        step_sum(static_cast<Index>((row_step / shape.b + multiply_modulo(row_step % shape.b, m_mod_n, shape.n)) %
                                    shape.n)) {}

  [[nodiscard]] KOKKOS_FUNCTION Index reduced(Index value) const { return value >= n ? value - n : value; }

  /// Element j of row 0, to begin rows from.
  [[nodiscard]] KOKKOS_FUNCTION Cursor origin(Index j) const {
    const QuotientRemainder split = divide(j, b);
    const auto k = static_cast<Index>(split.quotient), l = static_cast<Index>(split.remainder);
    return {k, l, reduced(k + static_cast<Index>(multiply_modulo(l, m_mod_n, n))), c};
  }

  /// The same element of row i, of which i_mod_n is the remainder.
  [[nodiscard]] KOKKOS_FUNCTION Cursor begin(const Cursor& origin, std::int64_t i, Index i_mod_n) const {
    return {origin.k, origin.l, reduced(origin.sum + i_mod_n), m - i < c ? static_cast<Index>(m - i) : c};
  }
  [[nodiscard]] KOKKOS_FUNCTION Cursor begin(std::int64_t j, std::int64_t i) const {
    return begin(origin(static_cast<Index>(j)), i, static_cast<Index>(divide(i, n).remainder));
  }

  KOKKOS_FUNCTION void advance(Cursor& cursor) const {
    cursor.k += step_k;
    cursor.l += step_l;
    cursor.sum += step_sum;
    if (cursor.l >= b) {  // b m mod n = 0
      cursor.l -= b;
      ++cursor.k;
      ++cursor.sum;
    }
    cursor.sum = reduced(cursor.sum);
  }

  [[nodiscard]] KOKKOS_FUNCTION Index target(const Cursor& cursor) const {
    if (cursor.k < cursor.wrap) return cursor.sum;
    return cursor.sum < m_mod_n ? cursor.sum + n - m_mod_n : cursor.sum - m_mod_n;
  }
};

/// The inverse: element p of a row comes from k b + l, k = (p - i) mod c, l = a' (p - s) / c mod b with s = (i + k) mod
/// m and a a' = 1 mod b. Where i + k >= m, s is m less, which makes l one more.
template <class Index>
struct RowUnshuffle {
  struct Cursor {
    Index k, l, wrap;
  };

  std::int64_t m;
  Index b, c, inverse_a;
  Index step_k, step_l;

  RowUnshuffle(const InPlaceShape& shape, std::int64_t row_step)
      : m(shape.m),
        b(static_cast<Index>(shape.b)),
        c(static_cast<Index>(shape.c)),
        inverse_a(static_cast<Index>(inverse_modulo(shape.a % shape.b, shape.b))),
        step_k(static_cast<Index>(row_step % shape.c)),
        step_l(static_cast<Index>(multiply_modulo(inverse_a, row_step / shape.c % shape.b, shape.b))) {}

  [[nodiscard]] KOKKOS_FUNCTION Index reduced(Index value) const { return value >= b ? value - b : value; }

  [[nodiscard]] KOKKOS_FUNCTION Cursor begin(std::int64_t p, std::int64_t i) const {
    const std::int64_t k = modulo(p - i, c);
    return {static_cast<Index>(k), static_cast<Index>(multiply_modulo(inverse_a, modulo((p - i - k) / c, b), b)),
            m - i < c ? static_cast<Index>(m - i) : c};
  }

  KOKKOS_FUNCTION void advance(Cursor& cursor) const {
    cursor.k += step_k;
    cursor.l = reduced(cursor.l + step_l);
    if (cursor.k >= c) {
      cursor.k -= c;
      cursor.l = reduced(cursor.l + inverse_a);
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION Index target(const Cursor& cursor) const {
    return cursor.k * b + reduced(cursor.l + (cursor.k >= cursor.wrap ? 1 : 0));
  }
};

}  // namespace tessera::detail

#endif
