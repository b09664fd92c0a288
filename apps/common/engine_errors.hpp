// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_APPS_COMMON_ENGINE_ERRORS_HPP
#define TESSERA_APPS_COMMON_ENGINE_ERRORS_HPP

#include <tessera/error.hpp>

#include "failure.hpp"

namespace tessera::apps {

/// Runs f; what the library refuses becomes the exit status that stands for it.
template <class F>
decltype(auto) with_library_errors(F&& f) {
  try {
    return f();
  } catch (const ResourceError& error) {
    out_of_resource(error.what());
  } catch (const Error& error) {
    refuse(error.what());
  }
}

}  // namespace tessera::apps

#endif
