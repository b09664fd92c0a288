// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engines share: options, errors, plans and results on their way to and from the library.
#ifndef TESSERA_APPS_REDUCE_REDUCE_CALLS_HPP
#define TESSERA_APPS_REDUCE_REDUCE_CALLS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/reduce/reduce.hpp>
#include <type_traits>
#include <vector>

#include "common/failure.hpp"
#include "device/enumerator.hpp"
#include "device/timing.hpp"
#include "reduce_engine.hpp"

namespace tessera::apps {

/// What a reducer's result is asked in: exact sums of floating elements in double.
template <class R>
struct DriverResult {
  using type = reduce_result_t<R>;
};
template <class R>
requires std::is_floating_point_v<reduce_result_t<R>> && requires { typename R::fold_type; }
struct DriverResult<R> {
  using type = double;
};
template <class R>
using driver_result_t = typename DriverResult<R>::type;

/// A reducer of complex elements whose result is rounded straight to double.
template <class R>
struct WideComplex : R {
  using result_type = Kokkos::complex<double>;
};

/// What kernels take for an element that visit_elements() names.
template <class T>
struct KernelElement {
  using type = T;
};
template <class Real>
struct KernelElement<std::complex<Real>> {
  using type = Kokkos::complex<Real>;
};
template <class T>
using kernel_element_t = typename KernelElement<T>::type;

/// Runs f; what the library refuses is refused in the name of the operations.
template <class F>
auto with_named_errors(const ReducePass& pass, F&& f) {
  try {
    return f();
  } catch (const ResourceError& error) {
    out_of_resource(error.what());
  } catch (const Error& error) {
    refuse(pass.name + ": " + error.what());
  }
}

inline ReduceOptions reduce_options(const ReducePass& pass, const RunOptions& options) {
  ReduceOptions result;
  if (pass.reduced.empty()) result.variant = enumerator_named(reduce_variants, options.variant);
  result.nan = enumerator_named(nan_policies, pass.nan);
  result.league_size = options.league_size;
  result.team_size = options.team_size;
  return result;
}

/// A run of elements of T without its times. A product of floats is rounded on its way.
template <class T>
ReduceRun started(const ReducePass& pass, std::string_view variant) {
  ReduceRun run;
  run.measurement.variant = std::string(variant);
  const bool summed = std::any_of(pass.operations.begin(), pass.operations.end(), is_summed);
  const bool product = pass.operations[0] == "prod";
  if ((summed || product) && !std::is_integral_v<T>) {
    run.measurement.summation = pass.exact && !product ? "exact" : "fast";
  }
  return run;
}

template <class T>
ReduceRun started(const ReducePass& pass, const ReducePlan& plan) {
  ReduceRun run = started<T>(pass, to_string(plan.variant));
  run.measurement.deterministic = plan.deterministic;
  run.measurement.plan = {{"league_size", plan.league_size},
                          {"team_size", plan.team_size},
                          {"vector_length", plan.vector_length},
                          {"loads_in_flight", plan.loads_in_flight},
                          {"scratch_bytes", static_cast<std::int64_t>(plan.scratch_bytes)},
                          {"workspace_bytes", static_cast<std::int64_t>(plan.workspace_bytes)}};
  return run;
}

/// Integers keep their 64 bits; floating values are widened, every NaN to the quiet one.
template <class Value>
auto widened(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return value != value ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value);
  } else if constexpr (std::is_unsigned_v<Value>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

template <class Value>
void append(OpValues& values, Value value) {
  using List = std::vector<decltype(widened(value))>;
  if (!std::holds_alternative<List>(values.values)) values.values = List{};
  std::get<List>(values.values).push_back(widened(value));
}

template <class Value>
requires std::is_arithmetic_v<Value>
void append_result(OpValues& values, Value value, const ReducePass&) { append(values, value); }

template <class Real>
void append_result(OpValues& values, const Kokkos::complex<Real>& value, const ReducePass&) {
  append(values, value.real());
  append(values, value.imag());
}

/// The results in a view of any rank, taken apart into the operations of the pass by append_result.
template <class Space, class Out>
std::vector<OpValues> values_of(const Space& space, const ReducePass& pass, const Out& out) {
  using Value = typename Out::non_const_value_type;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  std::vector<Value> results(out.size());
  const Kokkos::View<Value*, Kokkos::HostSpace, Unmanaged> host(results.data(), results.size());
  Kokkos::deep_copy(space, host,
                    Kokkos::View<const Value*, typename Space::memory_space, Unmanaged>(out.data(), out.size()));
  space.fence("tessera::apps::reduce::values");
  std::vector<OpValues> all;
  for (const auto& op : pass.operations) {
    OpValues values;
    values.op = op;
    for (const Value& result : results) append_result(values, result, pass);
    all.push_back(std::move(values));
  }
  return all;
}

}  // namespace tessera::apps

#endif
