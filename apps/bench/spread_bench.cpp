// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums of data over few and over many binades, up to all that the type has.
#include <Kokkos_Core.hpp>
#include <tessera/detail/float_format.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"

namespace tessera::apps::bench {
namespace {

constexpr int spread_of_fast = 19;  // binades: whose fast sum stands beside them

/// Random elements whose exponent fields are among so many from `first` on, each with its negative at the same place
/// from the end: all but spread_sum cancels, to the last bit.
template <class T>
struct FillSpread {
  using Bits = typename detail::FloatFormat<T>::bits_type;
  T* data;
  std::int64_t count;
  std::uint64_t first, fields;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t mirror = count - 1 - i, of_pair = i < mirror ? i : mirror;
    const auto index = static_cast<std::uint64_t>(2 * of_pair);
    constexpr int fraction = detail::FloatFormat<T>::mantissa - 1;
    constexpr Bits kept =
        static_cast<Bits>((Bits{1} << fraction) - 1) | static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const auto field = static_cast<Bits>(first + random_word(index) % fields);
    const auto random = static_cast<Bits>(random_word(index + 1)) & kept;
    const T value = Kokkos::bit_cast<T>(static_cast<Bits>(random | (field << fraction)));
    data[i] = i == mirror ? T(0) : i < mirror ? value : -value;
  }
};
template <class T>
struct AddSpreadSum {
  static constexpr T spread_sum = 3;
  T* data;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    data[0] = spread_sum;
    if (count > 1) data[count - 1] = 0;
  }
};

/// 0 binades: all there are.
template <class Space, class T>
Case make_spread(const Space& space, const Request& request, int binades) {
  using Format = detail::FloatFormat<T>;
  ReducingCase<Space, T> bench(space, request);
  const auto all = static_cast<std::uint64_t>(2 * Format::exponent_max + 1);
  const auto fields = binades == 0 ? all : static_cast<std::uint64_t>(binades);
  const std::uint64_t first = binades == 0 ? 0 : static_cast<std::uint64_t>(Format::exponent_max) - fields / 2;
  Kokkos::parallel_for("tessera::bench::fill", Range<Space>(space, 0, bench.count()),
                       FillSpread<T>{bench.in().data(), bench.count(), first, fields});
  Kokkos::parallel_for("tessera::bench::fill", Range<Space>(space, 0, 1),
                       AddSpreadSum<T>{bench.in().data(), bench.count()});
  constexpr auto expected = static_cast<long double>(AddSpreadSum<T>::spread_sum);
  const std::string spread = binades == 0 ? "all exponents" : std::to_string(binades) + " binades";
  bench.add_tessera("tessera exact, " + spread, Sum<T>{}, ReduceVariant::automatic,
                    [](T got) { return compared(got, expected, 0); });
  if (binades == spread_of_fast) {
    // The bound of fast sums, of elements below 2^binades.
    const long double tolerance =
        std::ldexp(600.0L * static_cast<long double>(bench.count()), binades - Format::mantissa);
    bench.add_tessera("tessera fast", Sum<T, Summation::fast>{}, ReduceVariant::automatic,
                      [tolerance](T got) { return compared(got, expected, tolerance); });
  }
  return bench.get();
}

}  // namespace

Operation spread_operation() {
  Operation operation{
      "spread", {NumberType::float32, NumberType::float64}, {"automatic"}, 4, [](const Request& request) {
        return visit_space(request.space, [&](const auto& space) {
          using Space = std::decay_t<decltype(space)>;
          std::vector<Case> cases;
          for (const int binades : {19, 40, 200, 0}) {
            cases.push_back(request.type == NumberType::float32 ? make_spread<Space, float>(space, request, binades)
                                                                : make_spread<Space, double>(space, request, binades));
          }
          return Cases(cases);
        });
      }};
  operation.has_summations = true;
  operation.cases = 4;
  return operation;
}

}  // namespace tessera::apps::bench
