// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_TYPED_REDUCE_ENGINE_HPP
#define TESSERA_APPS_REDUCE_TYPED_REDUCE_ENGINE_HPP

#include <memory>
#include <string>
#include <tessera/reduce/reducers.hpp>

#include "reduce_engine.hpp"

namespace tessera::apps {

template <class T>
using FastSum = Sum<T, Summation::fast>;

/// What --op can name.
struct DriverReducers {
  template <class T, class Visitor>
  static void for_each(Visitor&& visitor) {
    visitor(FastSum<T>{});
    visitor(Min<T>{});
    visitor(Max<T>{});
  }
};

/// Instantiated in files of their own, because the kernels of a type take long to compile.
template <class T>
[[nodiscard]] std::unique_ptr<ReduceEngine> make_typed_reduce_engine(HostArray& input, const std::string& space);

}  // namespace tessera::apps

#endif
