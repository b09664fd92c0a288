// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_engine.hpp"

#include <tessera/reduce/reduce_options.hpp>

#include "device/enumerator.hpp"
#include "reduce_calls.hpp"
#include "typed_reduce_engine.hpp"

namespace tessera::apps {

std::vector<std::string> reduce_variant_names() { return names_of(reduce_variants); }

std::unique_ptr<ReduceEngine> make_reduce_engine(HostArray& input, const std::string& space) {
  return visit_elements(input, [&](const auto value) {
    return make_typed_reduce_engine<kernel_element_t<std::decay_t<decltype(value)>>>(input, space);
  });
}

}  // namespace tessera::apps
