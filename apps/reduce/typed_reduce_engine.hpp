// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_REDUCE_TYPED_REDUCE_ENGINE_HPP
#define TESSERA_APPS_REDUCE_TYPED_REDUCE_ENGINE_HPP

#include <memory>
#include <string>

#include "reduce_engine.hpp"

namespace tessera::apps {

/// Instantiated in files of their own, because the kernels of a type take long to compile.
template <class T>
[[nodiscard]] std::unique_ptr<ReduceEngine> make_typed_reduce_engine(HostArray& input, const std::string& space);

}  // namespace tessera::apps

#endif
