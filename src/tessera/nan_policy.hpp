// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_NAN_POLICY_HPP
#define TESSERA_NAN_POLICY_HPP

#include <array>
#include <string_view>

namespace tessera {

/// What a NaN element does to a result.
enum class NanPolicy {
  propagate,  ///< the result is NaN; arg* give the NaN's position
  omit,       ///< it does not count, also not in the number of elements; a filter's result is scaled as if it did
  error,      ///< an error that names the first one's position
};
inline constexpr std::array nan_policies{NanPolicy::propagate, NanPolicy::omit, NanPolicy::error};

constexpr std::string_view to_string(NanPolicy policy) {
  switch (policy) {
    case NanPolicy::propagate:
      return "propagate";
    case NanPolicy::omit:
      return "omit";
    case NanPolicy::error:
      break;
  }
  return "error";
}

}  // namespace tessera

#endif
