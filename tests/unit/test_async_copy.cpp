// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where copies to team scratch put what they copy.
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tessera/detail/async_copy.hpp>

using tessera::detail::sector_bytes;

TEMPLATE_TEST_CASE("copies to scratch keep the sectors of memory whole", "[async_copy]", float, double) {
  constexpr int room = 64, per_sector = static_cast<int>(sector_bytes / sizeof(TestType));
  alignas(sector_bytes) std::array<TestType, room> memory{};
  for (int i = 0; i < room; ++i) memory[static_cast<std::size_t>(i)] = static_cast<TestType>(i + 1);
  for (int from = 0; from <= per_sector; ++from) {
    for (const int count : {0, 1, 2, 3, 7, 8, 9, 31, 40}) {
      for (const int scratch_at : {0, per_sector / 2}) {
        for (const int threads : {1, 3, 32}) {
          INFO("from " << from << ", " << count << " elements, scratch at " << scratch_at << ", " << threads
                       << " threads");
          alignas(sector_bytes) std::array<TestType, 2 * room> scratch{};
          TestType* place = nullptr;
          for (int thread = 0; thread < threads; ++thread) {
            place =
                tessera::detail::begin_copy(memory.data() + from, count, scratch.data() + scratch_at, thread, threads);
          }
          CHECK(place == tessera::detail::async_place(memory.data() + from, scratch.data() + scratch_at));
          const auto apart = reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(scratch.data());
          CHECK((apart - static_cast<std::uintptr_t>(from) * sizeof(TestType)) % sector_bytes == 0);
          const auto at = static_cast<int>(apart / sizeof(TestType));
          CHECK(at >= scratch_at);
          CHECK(at < scratch_at + per_sector);
          for (int i = 0; i < 2 * room; ++i) {
            const bool copied = i >= at && i < at + count;
            REQUIRE(scratch[static_cast<std::size_t>(i)] == (copied ? static_cast<TestType>(i - at + from + 1) : 0));
          }
        }
        const int head = tessera::detail::async_head(memory.data() + from, count, memory.data() + scratch_at);
        CHECK(head >= 0);
        CHECK((head == count || (from + head - scratch_at) % per_sector == 0));
        CHECK(head < (count < per_sector ? count + 1 : per_sector));
      }
    }
  }
}
