// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace tessera::apps {
namespace {

constexpr std::size_t pairs_at_once = std::size_t{1} << 20;

// "17" in a line, "(3, 4)" in a matrix.
std::string index_text(const Shape& shape, std::uint64_t index) {
  if (shape.size() < 2) return std::to_string(index);
  Shape position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return to_string(position);
}

}  // namespace

std::string to_text(Int128 value) {
  std::string digits;
  for (Int128 rest = value; rest != 0 || digits.empty(); rest /= 10) {
    const int digit = static_cast<int>(rest % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return value < 0 ? '-' + digits : digits;
}

Comparison::Comparison(Shape shape, NormFunction norms) : m_shape(std::move(shape)), m_norms(std::move(norms)) {}

void Comparison::add(std::uint64_t index, double got, double expected, bool wrong) {
  add(index, got, expected, wrong, [&] { return std::pair{format_number(got), format_number(expected)}; });
}

void Comparison::add(std::uint64_t index, double got, double expected, bool wrong, const Texts& texts) {
  if (wrong) {
    add_wrong(index, texts);
  } else {
    add_right(1);
  }
  if (!std::isfinite(got) || !std::isfinite(expected)) return;
  if (expected != 0) {
    m_result.max_rel_error = std::max(m_result.max_rel_error, std::abs((got - expected) / expected));
  }
  m_got.push_back(got);
  m_expected.push_back(expected);
  if (m_got.size() == pairs_at_once) take_norms();
}

void Comparison::add_wrong(std::uint64_t index, const Texts& texts) {
  ++m_result.checked;
  if (m_result.wrong++ > 0 && index > m_first_wrong) return;
  m_first_wrong = index;
  const auto [got, expected] = texts();
  m_result.first_wrong = fmt::format("index {}: got {}, expected {}", index_text(m_shape, index), got, expected);
}

void Comparison::take_norms() {
  if (m_got.empty()) return;
  m_result.max_abs_error = std::max(m_result.max_abs_error, m_norms(m_got, m_expected).max_abs);
  m_got.clear();
  m_expected.clear();
}

Verification Comparison::finish(std::string method) {
  take_norms();
  m_result.method = std::move(method);
  m_result.passed = m_result.wrong == 0;
  return m_result;
}

}  // namespace tessera::apps
