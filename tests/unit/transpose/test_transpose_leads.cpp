// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that begin before their matrix, so that all begin on boundaries of memory, and the shapes of wide tiles.
#include <catch2/catch_template_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "in_place_check.hpp"
#include "permute_check.hpp"

namespace {

namespace test = tessera::test;
using tessera::TransposePlan;
using tessera::TransposeVariant;
using tessera::detail::DeviceLimits;

constexpr DeviceLimits leads_gpu{false, 132 * 2048, 40936};

TransposePlan lead_plan(const std::vector<std::int64_t>& extents, const std::vector<int>& axes, std::size_t bytes,
                        std::uintptr_t in_address, std::uintptr_t out_address, const DeviceLimits& limits = leads_gpu) {
  const auto shape = tessera::detail::array_shape("test", {.extents = extents, .element_bytes = bytes}, axes);
  return tessera::detail::make_transpose_plan("test", limits, {shape, bytes, bytes, in_address, out_address}, {}).plan;
}

TEST_CASE("tiles begin on boundaries of memory", "[transpose][plan]") {
  const TransposePlan plan = lead_plan({1024, 2048}, {1, 0}, 4, 4096 + 128, 8192 + 64);
  CHECK(plan.variant == TransposeVariant::swizzled);
  CHECK(plan.lead_columns == 32);
  CHECK(plan.lead_rows == 16);
  CHECK(plan.league_size == 17 * 33);
  CHECK(to_string(plan).find("tile 64 x 64 lead 16 x 32") != std::string::npos);
  const TransposePlan on_boundaries = lead_plan({1024, 2048}, {1, 0}, 4, 4096, 8192);
  CHECK(on_boundaries.lead_columns == 0);
  CHECK(on_boundaries.lead_rows == 0);
  CHECK(on_boundaries.league_size == 16 * 32);
  // Doubles, and matrices behind each other.
  CHECK(lead_plan({1024, 2048}, {1, 0}, 8, 128, 64).lead_columns == 16);
  CHECK(lead_plan({1024, 2048}, {1, 0}, 8, 128, 64).lead_rows == 8);
  CHECK(lead_plan({7, 1024, 2048}, {0, 2, 1}, 4, 128, 0).lead_columns == 32);
  CHECK(lead_plan({7, 1024, 2048}, {0, 2, 1}, 4, 128, 0).league_size == 7 * 16 * 33);
  // Bytes have segments of 128.
  CHECK(lead_plan({2048, 4096}, {1, 0}, 1, 128 + 64, 0).lead_columns == 64);
  // Rows that leave the boundaries, few tiles, hosts.
  CHECK(lead_plan({1024, 2080}, {1, 0}, 4, 128, 128).lead_columns == 0);
  CHECK(lead_plan({1024, 2080}, {1, 0}, 4, 128, 128).lead_rows == 32);
  CHECK(lead_plan({256, 2048}, {1, 0}, 4, 128, 128).lead_rows == 0);
  CHECK(lead_plan({1024, 2048}, {1, 0}, 4, 128, 128, {true, 2, 1 << 20}).lead_columns == 0);
}

TEST_CASE("tiles of four-byte elements are square where the matrix has the rows", "[transpose][plan]") {
  const auto tile_of = [](std::int64_t rows, std::int64_t columns) {
    const TransposePlan plan = lead_plan({rows, columns}, {1, 0}, 4, 0, 0);
    return plan.variant == TransposeVariant::swizzled ? plan.tile_rows : 0;
  };
  CHECK(tile_of(32, 4000000) == 32);
  CHECK(tile_of(64, 1000000) == 64);
  CHECK(tile_of(96, 1000000) == 64);
  CHECK(tile_of(300, 1000000) == 64);
  CHECK(tile_of(1000000, 96) == 64);
  CHECK(tile_of(1000000, 300) == 64);
  CHECK(tile_of(100, 1000000) == 0);
  CHECK(tile_of(1000000, 32) == 0);
  CHECK(lead_plan({80, 500000}, {1, 0}, 16, 0, 0).variant == TransposeVariant::swizzled);
  CHECK(lead_plan({1000, 1000000}, {1, 0}, 1, 0, 0).piece_rows > 0);  // a strip
}

TEST_CASE("squares in place begin on boundaries of memory", "[transpose][in_place][plan]") {
  alignas(256) float memory[128] = {};
  const auto lead_of = [](float* data, std::int64_t row_stride, std::int64_t batches = 1,
                          std::int64_t batch_stride = 0) {
    const tessera::detail::SquareMatrices<float> matrices{data, 1024, row_stride, 1, batches, batch_stride};
    return tessera::detail::swapped_lead(matrices, 64);
  };
  CHECK(lead_of(memory, 1024) == 0);
  CHECK(lead_of(memory + 32, 1024) == 32);
  CHECK(lead_of(memory + 65, 1024) == 1);
  CHECK(lead_of(memory + 32, 1056) == 0);
  CHECK(lead_of(memory + 32, 1024, 3, 1024 * 1024) == 32);
  CHECK(lead_of(memory + 32, 1024, 3, 1024 * 1024 + 32) == 0);
  const tessera::detail::TileBoundary records(32, 12);  // segments of 384 bytes
  CHECK(records.lead(96) == 8);
  CHECK(records.lead(100) == 0);
  CHECK(records.keeps(32));
  CHECK_FALSE(records.keeps(16));
}

/// Both arrays off the boundaries by some elements, with elements around them that must stay.
template <class T, class Space>
class OffArrays {
 public:
  OffArrays(const Space& space, std::size_t count, std::size_t in_off, std::size_t out_off)
      : m_space(space),
        m_in_off(in_off),
        m_out_off(out_off),
        m_in("in", count + around),
        m_out("out", count + around),
        m_values(test::values<T>(count + around, 7)) {
    copy(m_in);
    copy(m_out);
  }
  [[nodiscard]] T* in() const { return m_in.data() + m_in_off; }
  [[nodiscard]] T* out() const { return m_out.data() + m_out_off; }

  void check_out(std::size_t matrices, std::size_t rows, std::size_t columns) const {
    check(m_out, m_out_off, matrices, rows, columns);
  }
  void check_in(std::size_t matrices, std::size_t extent) const { check(m_in, m_in_off, matrices, extent, extent); }

 private:
  static constexpr std::size_t around = 128;
  using Memory = Kokkos::View<T*, Space>;

  void copy(const Memory& memory) const {
    const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> values(m_values.data(), m_values.size());
    Kokkos::deep_copy(m_space, memory, values);
    m_space.fence();
  }
  void check(const Memory& memory, std::size_t off, std::size_t matrices, std::size_t rows, std::size_t columns) const {
    m_space.fence();
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    const std::size_t each = rows * columns;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::size_t from = i;  // around it
      if (i >= off && i < off + matrices * each) {
        const std::size_t place = (i - off) % each;
        from = m_in_off + (i - off) / each * each + place % rows * columns + place / rows;
      }
      wrong += got(i) != m_values[from] ? 1 : 0;
    }
    CHECK(wrong == 0);
  }

  Space m_space;
  std::size_t m_in_off, m_out_off;
  Memory m_in, m_out;
  std::vector<T> m_values;
};

template <class T, class Space>
void check_leads(const Space& space, std::size_t matrices, std::size_t rows, std::size_t columns, std::size_t in_off,
                 std::size_t out_off, const tessera::TransposeOptions& options = {}) {
  INFO(matrices << " of " << rows << " x " << columns << " elements of " << sizeof(T) << " bytes, off by " << in_off
                << " and " << out_off);
  const OffArrays<T, Space> arrays(space, matrices * rows * columns, in_off, out_off);
  using View = Kokkos::View<T***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>;
  using ConstView = Kokkos::View<const T***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>;
  tessera::permute(space, ConstView(arrays.in(), matrices, rows, columns), View(arrays.out(), matrices, columns, rows),
                   {0, 2, 1}, options);
  arrays.check_out(matrices, rows, columns);
}

template <class T, class Space>
void check_leads_of(const Space& space) {
  constexpr auto word = static_cast<std::size_t>(16 / sizeof(T));
  for (const auto& [in_off, out_off] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {word, 0}, {0, word}, {2 * word, 3 * word}, {1, 2}}) {
    check_leads<T>(space, 1, 1024, 1088, in_off, out_off);
    check_leads<T>(space, 1, 576, 1024 + 96, in_off, out_off);
    check_leads<T>(space, 3, 512, 640, in_off, out_off);
    check_leads<T>(space, 1, 1028, 524, in_off, out_off);
    check_leads<T>(space, 1, 1027, 513, in_off, out_off);
    check_leads<T>(space, 5, 96, 320, in_off, out_off);
    check_leads<T>(space, 2, 32, 1280, in_off, out_off);
  }
  check_leads<T>(space, 1, 1024, 1024, word, word, {.variant = TransposeVariant::swizzled, .team_size = 1});
  check_leads<T>(space, 1, 1024, 1024, word, word, {.variant = TransposeVariant::swizzled, .league_size = 7});
}

TEMPLATE_LIST_TEST_CASE("matrices off boundaries of memory", "[transpose][lead]", test::OneSpace) {
  check_leads_of<float>(TestType());
  if constexpr (!test::is_sanitized) {
    check_leads_of<double>(TestType());
    check_leads_of<std::uint16_t>(TestType());
  }
}

template <class T, class Space>
void check_square_off(const Space& space, std::size_t matrices, std::size_t extent, std::size_t off,
                      const tessera::InPlaceOptions& options = {}) {
  INFO(matrices << " of " << extent << " x " << extent << " elements of " << sizeof(T) << " bytes, off by " << off);
  const OffArrays<T, Space> arrays(space, matrices * extent * extent, off, off);
  using View = Kokkos::View<T***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>;
  tessera::transpose_in_place(space, View(arrays.in(), matrices, extent, extent), options);
  arrays.check_in(matrices, extent);
}

TEMPLATE_LIST_TEST_CASE("square in place, off boundaries of memory", "[transpose][in_place][lead]", test::OneSpace) {
  const TestType space;
  for (const std::size_t off : {0, 1, 4, 16, 24}) {
    check_square_off<float>(space, 1, 1024, off);
    check_square_off<float>(space, 1, 1056, off);
    check_square_off<double>(space, 2, 544, off);
    check_square_off<std::uint16_t>(space, 1, 512 + 64, off);
    check_square_off<float>(space, 7, 100, off);
    check_square_off<double>(space, 300, 17, off);
  }
  check_square_off<float>(space, 1, 1024, 4, {.league_size = 3});
  check_square_off<float>(space, 1, 640, 4, {.team_size = 1});
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST_CASE("square in place: large tiles", "[transpose][in_place][lead]") {
  const Kokkos::DefaultExecutionSpace space;
  CHECK(tessera::in_place_plan<float>(space, 8192, 8192).tile_rows == 64);
  CHECK(tessera::in_place_plan<float>(space, 4097, 4097).tile_rows == 64);
  CHECK(tessera::in_place_plan<float>(space, 4096, 4096).tile_rows == 32);
  CHECK(tessera::in_place_plan<double>(space, 8192, 8192).tile_rows == 32);
  for (const std::size_t off : {0, 1, 32}) {
    check_square_off<float>(space, 1, 4097, off);
    check_square_off<float>(space, 1, 4128, off);
    check_square_off<float>(space, 1, 8192, off);
  }
  check_square_off<float>(space, 2, 4099, 5);
  check_square_off<float>(space, 1, 4099, 0, {.league_size = 100});
  check_square_off<float>(space, 1, 4099, 0, {.team_size = 96});
}
#endif

}  // namespace
