// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <tessera/tessera.hpp>

void transposed(const Kokkos::View<int**>& in, const Kokkos::View<int**>& out);  // other.cpp

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::DefaultExecutionSpace space;
  const int rows = 100, columns = 37;
  const Kokkos::View<int**> in("in", rows, columns), out("out", columns, rows);
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::Rank<2>>(space, {0, 0}, {rows, columns}),
      KOKKOS_LAMBDA(int i, int j) { in(i, j) = i * columns + j; });
  transposed(in, out);
  const auto flat = Kokkos::View<const int*>(out.data(), out.size());
  const auto sum = tessera::reduce(space, flat, tessera::Sum<int>{});
  const auto max = tessera::reduce(space, flat, tessera::Max<int>{});
  int corner = 0;
  Kokkos::deep_copy(corner, Kokkos::subview(out, columns - 1, 0));
  const long long count = rows * columns;
  const bool good = sum == count * (count - 1) / 2 && max == count - 1 && corner == columns - 1;
  std::printf("consumer: sum %lld, max %d, corner %d: %s\n", static_cast<long long>(sum), max, corner,
              good ? "good" : "WRONG");
  return good ? 0 : 1;
}
