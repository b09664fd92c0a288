// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What verifications share: which element is wrong first, how many are, and how large the errors are.
#ifndef TESSERA_APPS_COMMON_COMPARISON_HPP
#define TESSERA_APPS_COMMON_COMPARISON_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device/session.hpp"
#include "host_array.hpp"
#include "measurement.hpp"

namespace tessera::apps {

/// Wide enough for every product and sum of 64-bit integers that is checked.
__extension__ using Int128 = __int128;
[[nodiscard]] std::string to_text(Int128 value);

/// Turns finite pairs into norms: error_norms() on the space that computed.
using NormFunction = std::function<ErrorNorms(const std::vector<double>& got, const std::vector<double>& expected)>;

class Comparison {
 public:
  /// shape: of the array that indices lie in.
  Comparison(Shape shape, NormFunction norms);

  /// One checked element. wrong: it breaks its bound, whatever the doubles say.
  void add(std::uint64_t index, double got, double expected, bool wrong);
  /// The same for values that a double does not hold; texts gives got and expected, for wrong ones only.
  using Texts = std::function<std::pair<std::string, std::string>()>;
  void add(std::uint64_t index, double got, double expected, bool wrong, const Texts& texts);
  /// Elements without an error to speak of: checked and right, or wrong.
  void add_right(std::uint64_t count) { m_result.checked += count; }
  void add_wrong(std::uint64_t index, const Texts& texts);

  [[nodiscard]] Verification finish(std::string method);

 private:
  void take_norms();

  Shape m_shape;
  NormFunction m_norms;
  Verification m_result;
  std::uint64_t m_first_wrong = 0;
  std::vector<double> m_got, m_expected;
};

}  // namespace tessera::apps

#endif
