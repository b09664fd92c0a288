// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_nrminf.hpp>
#include <Kokkos_Core.hpp>
#include <stdexcept>

#include "session.hpp"
#include "spaces.hpp"

namespace tessera::apps {
namespace {

template <class Space>
Kokkos::View<double*, Space> to_space(const Space& space, const std::vector<double>& values) {
  using HostView = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::View<double*, Space> view(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "tessera::apps::norms"),
                                    values.size());
  Kokkos::deep_copy(space, view, HostView(values.data(), values.size()));
  return view;
}

}  // namespace

ErrorNorms error_norms(const std::string& space, const std::vector<double>& got, const std::vector<double>& expected) {
  if (got.size() != expected.size()) throw std::invalid_argument("error_norms: the sizes differ");
  if (got.empty()) return {};
  return visit_space(space, [&](const auto& instance) {
    const auto difference = to_space(instance, got);
    const auto reference = to_space(instance, expected);
    KokkosBlas::axpby(instance, -1.0, reference, 1.0, difference);
    return ErrorNorms{KokkosBlas::nrminf(instance, difference), KokkosBlas::nrminf(instance, reference),
                      KokkosBlas::nrm2(instance, difference)};
  });
}

}  // namespace tessera::apps
