// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "common/record.hpp"

namespace tessera::apps {
namespace {

struct FloatingSum {
  long double value = 0, magnitude = 0;  // of the finite elements
  bool nan = false, plus_infinity = false, minus_infinity = false;
};

/// What the next plain long double sums are added to: Neumaier's compensated sum.
class CompensatedSum {
 public:
  void add(long double term) {
    const long double sum = m_sum + term;
    m_lost += std::abs(m_sum) >= std::abs(term) ? (m_sum - sum) + term : (term - sum) + m_sum;
    m_sum = sum;
  }
  [[nodiscard]] long double value() const { return m_sum + m_lost; }

 private:
  long double m_sum = 0, m_lost = 0;
};

/// A plain sum and that of the magnitudes, in four chains.
template <class Accumulator, class T>
std::pair<Accumulator, Accumulator> sum_of_piece(const T* elements, std::uint64_t count) {
  Accumulator s0 = 0, s1 = 0, s2 = 0, s3 = 0, m0 = 0, m1 = 0, m2 = 0, m3 = 0;
  std::uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Accumulator x0 = elements[i], x1 = elements[i + 1], x2 = elements[i + 2], x3 = elements[i + 3];
    s0 += x0, m0 += std::abs(x0);
    s1 += x1, m1 += std::abs(x1);
    s2 += x2, m2 += std::abs(x2);
    s3 += x3, m3 += std::abs(x3);
  }
  for (; i < count; ++i) s0 += elements[i], m0 += std::abs(elements[i]);
  return {(s0 + s1) + (s2 + s3), (m0 + m1) + (m2 + m3)};
}

// Pieces of 1024 elements are summed plainly in the next wider type, where an error of 258 units of its roundoff is far
// below the bound and nothing overflows; the pieces with compensation. This is nearly as fast as memory.
template <class T>
FloatingSum sum_of(const T* elements, std::uint64_t count) {
  using Accumulator = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  constexpr std::uint64_t piece = 1024;
  FloatingSum result;
  CompensatedSum sum, magnitude;
  for (std::uint64_t begin = 0; begin < count; begin += piece) {
    const std::uint64_t length = std::min(count - begin, piece);
    auto [piece_sum, piece_magnitude] = sum_of_piece<Accumulator>(elements + begin, length);
    if (!std::isfinite(piece_magnitude)) {
      std::vector<T> finite;
      for (const T element : std::span(elements + begin, length)) {
        result.nan |= std::isnan(element);
        result.plus_infinity |= std::isinf(element) && element > 0;
        result.minus_infinity |= std::isinf(element) && element < 0;
        if (std::isfinite(element)) finite.push_back(element);
      }
      std::tie(piece_sum, piece_magnitude) = sum_of_piece<Accumulator>(finite.data(), finite.size());
    }
    sum.add(piece_sum);
    magnitude.add(piece_magnitude);
  }
  result.value = sum.value();
  result.magnitude = magnitude.value();
  return result;
}

/// One comparison: what was expected, and whether got is it.
struct Judgement {
  double got = 0, expected = 0;
  bool wrong = false;
  std::string got_text, expected_text;  // "" where the doubles say it all
};

template <class T>
Judgement judge_sum(const T* elements, std::uint64_t count, const Number& value, std::uint64_t accumulators) {
  Judgement result;
  if constexpr (std::is_floating_point_v<T>) {
    const FloatingSum sum = sum_of(elements, count);
    const double got = std::get<double>(value);
    const bool may_overflow = sum.magnitude >= static_cast<long double>(std::numeric_limits<T>::max());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    result.got = got;
    if (sum.nan || (sum.plus_infinity && sum.minus_infinity)) {
      result.expected = std::numeric_limits<double>::quiet_NaN();
      result.wrong = !std::isnan(got);
    } else if (sum.plus_infinity || sum.minus_infinity) {
      result.expected = sum.plus_infinity ? infinity : -infinity;
      result.wrong = got != result.expected && !(may_overflow && std::isnan(got));
    } else {
      result.expected = static_cast<double>(sum.value);
      const std::uint64_t partials = std::max(accumulators, (count + 511) / 512);
      const long double factor = 512 + std::bit_width(partials - 1) + 2;  // ceil(log2 P)
      const long double u = std::numeric_limits<T>::epsilon() / 2;
      const long double bound = 1.01L * factor * u * sum.magnitude;
      result.wrong = std::isfinite(got) ? std::abs(got - sum.value) > bound : !may_overflow;
    }
  } else {
    Int128 sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) sum += elements[i];
    const Int128 got = std::holds_alternative<std::int64_t>(value) ? Int128{std::get<std::int64_t>(value)}
                                                                   : Int128{std::get<std::uint64_t>(value)};
    result = {static_cast<double>(got), static_cast<double>(sum), got != sum, to_text(got), to_text(sum)};
  }
  return result;
}

// The plain definition; NaN wins, and of the zeros the one with the wanted sign.
template <class T>
T extremum_of(const T* elements, std::uint64_t count, bool is_min) {
  T result = elements[0];
  for (std::uint64_t i = 0; i < count; ++i) {
    const T element = elements[i];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(element)) return element;
      if (element == result && std::signbit(element) == is_min) result = element;
    }
    if (is_min ? element < result : result < element) result = element;
  }
  return result;
}

template <class T>
Judgement judge_extremum(const T* elements, std::uint64_t count, const Number& value, bool is_min) {
  const T expected = extremum_of(elements, count, is_min);
  if constexpr (std::is_floating_point_v<T>) {
    const double got = std::get<double>(value);
    const bool same =
        std::isnan(expected) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected);
    return {got, expected, !same, {}, {}};
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const Wide got = std::get<Wide>(value);
    return {static_cast<double>(got), static_cast<double>(expected), got != Wide{expected}, std::to_string(got),
            std::to_string(expected)};
  }
}

// A minimum of all must not exceed that of a part.
template <class T>
bool bounds_part(const T* elements, std::uint64_t count, const Number& value, bool is_min) {
  const T part = extremum_of(elements, count, is_min);
  if constexpr (std::is_floating_point_v<T>) {
    const double got = std::get<double>(value);
    return std::isnan(part) ? std::isnan(got) : std::isnan(got) || (is_min ? got <= part : got >= part);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const Wide got = std::get<Wide>(value);
    return is_min ? got <= Wide{part} : got >= Wide{part};
  }
}

template <class T>
Judgement judge(const ReduceCheck& check, const T* elements, std::uint64_t count, const Number& value) {
  if (check.operation == "sum") return judge_sum(elements, count, value, check.accumulators);
  return judge_extremum(elements, count, value, check.operation == "min");
}

void add(Comparison& comparison, std::uint64_t index, const Judgement& judgement) {
  if (judgement.got_text.empty()) {
    comparison.add(index, judgement.got, judgement.expected, judgement.wrong);
  } else {
    comparison.add(index, judgement.got, judgement.expected, judgement.wrong, [&] {
      return std::pair{judgement.got_text, judgement.expected_text};
    });
  }
}

std::string method_of(const ReduceCheck& check, ElementType type) {
  if (check.operation != "sum") return "serial comparison";
  return is_floating(type) ? "serial compensated sum in long double" : "serial 128-bit integer sum";
}

}  // namespace

Verification verify_reduction(const ReduceCheck& check, const HostArray& input, const Number& value,
                              const RangeReduction& reduce_range, const NormFunction& norms,
                              const ProgressCallback& progress) {
  return visit_type(input.type, [&](const auto zero) {
    using T = std::decay_t<decltype(zero)>;
    const T* elements = input.buffer.as<T>();
    const std::uint64_t size = element_count(input.shape);
    const std::string method = method_of(check, input.type);
    if (check.full || size <= check.whole_limit) {
      Comparison comparison({}, norms);
      add(comparison, 0, judge(check, elements, size, value));
      Verification result = comparison.finish(method + " of all elements");
      result.checked = size;
      return result;
    }
    const std::uint64_t count = check.whole_limit / check.blocks;
    Comparison comparison({size}, norms);
    for (std::uint64_t block = 0; block < check.blocks; ++block) {
      const std::uint64_t offset = (size - count) / (check.blocks - 1) * block;
      Judgement judgement = judge(check, elements + offset, count, reduce_range(offset, count));
      if (check.operation != "sum" && !bounds_part(elements + offset, count, value, check.operation == "min")) {
        judgement.wrong = true;
        judgement.got_text = to_text(value) + " of the whole array";
        judgement.expected_text = "a bound of the elements from there";
      }
      add(comparison, offset, judgement);
      progress(block + 1, check.blocks);
    }
    return comparison.finish(fmt::format("{} of {} blocks of {} elements, each against a reduction of its own", method,
                                         check.blocks, count));
  });
}

}  // namespace tessera::apps
