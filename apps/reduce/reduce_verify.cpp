// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/record.hpp"
#include "common/text.hpp"
#include "complex_line.hpp"
#include "line_expectation.hpp"
#include "line_walk.hpp"

namespace tessera::apps {
namespace {

/// One value as it came.
struct Got {
  bool undefined = false, is_floating = false;
  double floating = 0;
  Int128 integer = 0;
  std::int64_t index = -1;
};

/// parts: values of the operation at a position.
Got got_at(const OpValues& values, std::size_t i, std::size_t parts) {
  Got got;
  got.undefined = !values.undefined.empty() && values.undefined[i / parts] != 0;
  if (!values.index.empty()) got.index = values.index[i];
  if (const auto* floating = std::get_if<std::vector<double>>(&values.values)) {
    got.is_floating = true;
    got.floating = (*floating)[i];
  } else {
    std::visit([&](const auto& list) { got.integer = static_cast<Int128>(list[i]); }, values.values);
  }
  return got;
}

std::string text_of(const Got& got) {
  if (got.undefined) return "nothing";
  const std::string value = got.is_floating ? to_text(Number(got.floating)) : to_text(got.integer);
  return got.index < 0 ? value : fmt::format("{} at {}", value, got.index);
}

std::string text_of(const Expectation& expected) {
  using Kind = Expectation::Kind;
  if (expected.kind == Kind::undefined) return "nothing";
  if (expected.kind == Kind::overflow) return "an integer beyond 64 bits";
  const std::string value =
      expected.kind == Kind::integer ? to_text(expected.integer) : to_text(Number(expected.floating));
  return expected.index < 0 ? value : fmt::format("{} at {}", value, expected.index);
}

bool is_right(const Got& got, const Expectation& expected) {
  using Kind = Expectation::Kind;
  if (got.undefined || expected.kind == Kind::undefined) return got.undefined && expected.kind == Kind::undefined;
  if (expected.kind == Kind::overflow || got.index != expected.index) return false;
  if (got.is_floating != (expected.kind == Kind::floating)) return false;
  if (!got.is_floating) return got.integer == expected.integer;
  if (expected.may_overflow && !std::isfinite(got.floating)) return true;
  if (expected.bound > 0 && std::isfinite(expected.floating)) {
    return std::abs(got.floating - expected.wide) <= expected.bound;
  }
  return std::bit_cast<std::uint64_t>(got.floating) == std::bit_cast<std::uint64_t>(expected.floating);
}

template <class T>
class Verifier {
 public:
  Verifier(const ReducePass& pass, const ReduceCheck& check, const HostArray& input, const HostArray* input2,
           const NormFunction& norms)
      : m_pass(pass),
        m_check(check),
        m_elements(input.buffer.as<T>()),
        m_elements2(input2 != nullptr ? input2->buffer.as<T>() : nullptr),
        m_shape(input.shape),
        m_line(pass),
        m_comparison(kept_shape(pass, input.shape), norms) {}

  /// Values at positions of a result of outputs values: all, or some spread over it.
  Verification values(const std::vector<OpValues>& values, const ProgressCallback& progress) {
    const LineWalk walk(m_pass, m_shape);
    const std::uint64_t outputs = element_count(kept_shape(m_pass, m_shape));
    std::uint64_t checked = outputs;
    if (!m_check.full && outputs * walk.count() > m_check.whole_limit) {
      checked = std::clamp<std::uint64_t>(m_check.whole_limit / walk.count(), 1, outputs);
    }
    for (std::uint64_t i = 0; i < checked; ++i) {
      const auto position = static_cast<std::uint64_t>(static_cast<Uint128>(i) * outputs / checked);
      const std::uint64_t begin = walk.begin(position);
      m_line.clear();
      walk.for_each([&](std::uint64_t offset) { add(begin + offset); });
      judge(values, position, position);
      if (i % 1024 == 0) progress(i + 1, checked);
    }
    return finish(checked == outputs ? "all elements" : fmt::format("{} of {} values", checked, outputs),
                  checked * walk.count());
  }

  Verification blocks(const std::vector<OpValues>& whole, const RangeReduction& reduce_range,
                      const ProgressCallback& progress) {
    const std::uint64_t size = element_count(m_shape), count = m_check.whole_limit / m_check.blocks;
    for (std::uint64_t block = 0; block < m_check.blocks; ++block) {
      const std::uint64_t offset = (size - count) / (m_check.blocks - 1) * block;
      m_line.clear();
      for (std::uint64_t i = 0; i < count; ++i) add(offset + i);
      if (has_values(whole)) judge(reduce_range(offset, count), 0, offset);
      bound(whole, offset);
      progress(block + 1, m_check.blocks);
    }
    return finish(fmt::format("{} blocks of {} elements, each against a reduction of its own", m_check.blocks, count),
                  m_check.blocks * count);
  }

 private:
  void add(std::uint64_t offset) {
    if (m_elements2 != nullptr) {
      m_line.add(m_elements[offset], m_elements2[offset]);
    } else {
      m_line.add(m_elements[offset]);
    }
  }

  // A block may lack what the whole has: it may be all NaN, or its integers may not cancel.
  [[nodiscard]] bool has_values(const std::vector<OpValues>& whole) const {
    return std::all_of(whole.begin(), whole.end(), [&](const OpValues& op) {
      const auto kind = expectation(m_line, m_pass, op.op, 1).kind;
      return kind != Expectation::Kind::undefined && kind != Expectation::Kind::overflow;
    });
  }

  void judge(const std::vector<OpValues>& values, std::uint64_t position, std::uint64_t index) {
    for (const OpValues& op : values) {
      const std::size_t parts = values_at(m_pass, op.op);
      for (std::size_t part = 0; part < parts; ++part) {
        const Got got = got_at(op, position * parts + part, parts);
        const Expectation expected = expectation(m_line, m_pass, op.op, m_check.accumulators, part);
        const bool wrong = !is_right(got, expected);
        const auto texts = [&] {
          const std::string name = values.size() > 1 ? op.op + " " : "";
          return std::pair{name + text_of(got), text_of(expected)};
        };
        if (wrong && (!got.is_floating || expected.kind != Expectation::Kind::floating)) {
          m_comparison.add_wrong(index, texts);
        } else {
          const bool floating = got.is_floating;
          m_comparison.add(index, floating ? got.floating : static_cast<double>(got.integer),
                           floating ? expected.floating : static_cast<double>(expected.integer), wrong, texts);
        }
      }
    }
  }

  /// A minimum of all must not exceed that of a part.
  void bound(const std::vector<OpValues>& whole, std::uint64_t offset) {
    for (const OpValues& op : whole) {
      if (op.op != "min" && op.op != "max") continue;
      const Got got = got_at(op, 0, 1);
      const Expectation part = expectation(m_line, m_pass, op.op, 1);
      const bool unordered = std::isnan(got.floating) || std::isnan(part.floating);
      const bool bounds = got.is_floating
                              ? (op.op == "min" ? got.floating <= part.floating : got.floating >= part.floating)
                              : (op.op == "min" ? got.integer <= part.integer : got.integer >= part.integer);
      if (part.kind == Expectation::Kind::undefined || bounds || (unordered && std::isnan(got.floating))) continue;
      m_comparison.add_wrong(offset, [&] {
        return std::pair{op.op + " " + text_of(got) + " of the whole array",
                         std::string("a bound of the elements from there")};
      });
    }
  }

  [[nodiscard]] std::string method() const {
    const bool exact = m_pass.exact || std::is_integral_v<T>;
    return exact ? "serial reference in integers of any length" : "bounds from serial integers of any length";
  }

  Verification finish(const std::string& what, std::uint64_t elements) {
    Verification result = m_comparison.finish(method() + " of " + what);
    result.checked = std::max(elements, result.wrong);
    return result;
  }

  const ReducePass& m_pass;
  const ReduceCheck& m_check;
  const T *m_elements, *m_elements2;
  const Shape& m_shape;
  line_reference_t<T> m_line;
  Comparison m_comparison;
};

}  // namespace

Verification verify_reduction(const ReducePass& pass, const ReduceCheck& check, const HostArray& input,
                              const HostArray* input2, const std::vector<OpValues>& values,
                              const RangeReduction& reduce_range, const NormFunction& norms,
                              const ProgressCallback& progress) {
  return visit_elements(input, [&](const auto zero) {
    Verifier<std::decay_t<decltype(zero)>> verifier(pass, check, input, input2, norms);
    const bool sampled = !check.full && element_count(input.shape) > check.whole_limit;
    return sampled && pass.reduced.empty() ? verifier.blocks(values, reduce_range, progress)
                                           : verifier.values(values, progress);
  });
}

}  // namespace tessera::apps
