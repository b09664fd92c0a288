// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_engine.hpp"

#include <tessera/filter/boundary.hpp>
#include <tessera/filter/filter_options.hpp>

#include "device/enumerator.hpp"
#include "typed_filter_engine.hpp"

namespace tessera::apps {

std::vector<std::string> boundary_mode_names() { return names_of(boundary_modes); }

std::vector<std::string> filter_variant_names() { return names_of(filter_variants); }

std::unique_ptr<FilterEngine> make_filter_engine(HostArray& input, HostArray& output, const FilterRequest& request,
                                                 const std::string& space) {
  return visit_type(input.type, [&](const auto value) {
    using In = std::decay_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<In>) {
      return make_typed_filter_engine<In, In>(input, output, request, space);
    } else {
      if (output.type == ElementType::float64)
        return make_typed_filter_engine<In, double>(input, output, request, space);
      if constexpr (std::is_unsigned_v<In>) {
        if (output.type == ElementType::uint64) return make_typed_filter_engine<In, In>(input, output, request, space);
      }
      return make_typed_filter_engine<In, std::int64_t>(input, output, request, space);
    }
  });
}

}  // namespace tessera::apps
