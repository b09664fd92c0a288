// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <tessera/tessera.hpp>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::DefaultExecutionSpace space;

  // A matrix: out(j, i) = in(i, j).
  const Kokkos::View<double**> matrix("matrix", 300, 200), turned("turned", 200, 300);
  Kokkos::deep_copy(space, Kokkos::subview(matrix, 7, Kokkos::ALL), 2.5);
  tessera::transpose(space, matrix, turned);

  // Axes in any order, as NumPy's transpose: axis 2 first. Views of any layout and stride, subviews too.
  const Kokkos::View<float***> field("field", 20, 30, 40), permuted("permuted", 40, 20, 30);
  Kokkos::deep_copy(space, field, 1.0f);
  tessera::permute(space, field, permuted, {2, 0, 1});

  // The same array in another layout, for a file or another library, here to single precision on the way.
  const Kokkos::View<float**, Kokkos::LayoutRight> row_major("row_major", 300, 200);
  const Kokkos::View<double**, Kokkos::LayoutLeft> column_major("column_major", 300, 200);
  Kokkos::deep_copy(space, column_major, 0.5);
  tessera::copy_layout(space, column_major, row_major);

  // What cannot be is refused before anything runs; views and instance are as they were.
  try {
    tessera::transpose(space, matrix, matrix);
    return 1;
  } catch (const tessera::InvalidArgument& error) {
    std::printf("%s\n", error.what());
  }
  const auto column = Kokkos::subview(turned, Kokkos::ALL, 7);
  const bool good = tessera::reduce(space, column, tessera::Min<double>{}) == 2.5 &&
                    tessera::reduce(space, permuted, tessera::Min<float>{}) == 1 &&
                    tessera::reduce(space, row_major, tessera::Min<float>{}) == 0.5f;
  return good ? 0 : 1;
}
