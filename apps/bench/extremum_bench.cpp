// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest element of an array, and the first place where it stands.
#include <Kokkos_Core.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/spaces.hpp"
#include "reducing_case.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cub_reduce.hpp"
#endif

namespace tessera::apps::bench {
namespace {

template <class T>
struct LowestIs {
  T value;
  std::int64_t index;

  explicit LowestIs(const Lowest& expected)
      : value(element<T>(static_cast<std::uint64_t>(expected.index))), index(expected.index) {}
  std::string operator()(T got) const {
    return got == value ? "" : "got " + std::to_string(got) + ", expected " + std::to_string(value);
  }
  std::string operator()(T got, std::int64_t at) const {
    return got == value && at == index ? ""
                                       : "got " + std::to_string(got) + " at " + std::to_string(at) + ", expected " +
                                             std::to_string(value) + " at " + std::to_string(index);
  }
};

template <class Space, class T>
struct MinElements {
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& least) const { least = data[i] < least ? data[i] : least; }
};

template <class Space, class T>
Case make_min(const Space& space, const Request& request) {
  ReducingCase<Space, T> bench(space, request);
  const LowestIs<T> wrong(lowest<T>(bench.count()));
  bench.add_variants(Min<T>{}, wrong);
  const auto out = bench.template scalar<T>();
  bench.add_peer(
      "Kokkos::parallel_reduce", out,
      [policy = Range<Space>(space, 0, bench.count()), in = bench.in(), out] {
        Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, MinElements<Space, T>{in.data()},
                                Kokkos::Min<T, Space>(out));
      },
      wrong);
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(space, "tessera::bench::cub"),
                                             cub_min_scratch_bytes<T>(bench.count()));
    bench.add_peer(
        "cub::DeviceReduce::Min", out,
        [stream = space.cuda_stream(), count = bench.count(), in = bench.in(), out, scratch] {
          cub_min(in.data(), count, out.data(), scratch.data(), scratch.extent(0), stream);
        },
        wrong);
  }
#endif
  return bench.get();
}

template <class Space, class T>
struct FindLowest {
  using Found = typename Kokkos::MinFirstLoc<T, std::int64_t, Space>::value_type;
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Found& found) const {
    if (data[i] < found.val || (data[i] == found.val && i < found.loc)) found = {data[i], i};
  }
};

template <class Space, class T>
Case make_argmin(const Space& space, const Request& request) {
  ReducingCase<Space, T> bench(space, request);
  const LowestIs<T> wrong(lowest<T>(bench.count()));
  using Reducer = ArgMin<T>;
  bench.add_variants(Reducer{}, [wrong](const reduce_result_t<Reducer>& got) { return wrong(got.value, got.index); });
  using Found = typename FindLowest<Space, T>::Found;
  const auto out = bench.template scalar<Found>();
  bench.add_peer(
      "Kokkos::parallel_reduce", out,
      [policy = Range<Space>(space, 0, bench.count()), in = bench.in(), out] {
        Kokkos::parallel_reduce("tessera::bench::parallel_reduce", policy, FindLowest<Space, T>{in.data()},
                                Kokkos::MinFirstLoc<T, std::int64_t, Space>(out));
      },
      [wrong](const Found& got) { return wrong(got.val, got.loc); });
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    const auto place = bench.template scalar<ArgResult<T>>();
    const Kokkos::View<char*, Space> scratch(Kokkos::view_alloc(space, "tessera::bench::cub"),
                                             cub_argmin_scratch_bytes<T>(bench.count()));
    bench.add_peer(
        "cub::DeviceReduce::ArgMin", place,
        [stream = space.cuda_stream(), count = bench.count(), in = bench.in(), place, scratch] {
          cub_argmin(in.data(), count, &place.data()->value, &place.data()->index, scratch.data(), scratch.extent(0),
                     stream);
        },
        [wrong](const ArgResult<T>& got) { return wrong(got.value, got.index); });
  }
#endif
  return bench.get();
}

const std::vector<NumberType> types{NumberType::int32, NumberType::float32, NumberType::float64};

}  // namespace

Operation min_operation() {
  return {"min", types, reduce_variant_names(), 1, [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) {
              using Space = std::decay_t<decltype(space)>;
              if (request.type == NumberType::int32) return make_min<Space, std::int32_t>(space, request);
              if (request.type == NumberType::float32) return make_min<Space, float>(space, request);
              return make_min<Space, double>(space, request);
            });
          }};
}

Operation argmin_operation() {
  return {"argmin", types, {"automatic", "single_pass"}, 1, [](const Request& request) {
            return visit_space(request.space, [&](const auto& space) {
              using Space = std::decay_t<decltype(space)>;
              if (request.type == NumberType::int32) return make_argmin<Space, std::int32_t>(space, request);
              if (request.type == NumberType::float32) return make_argmin<Space, float>(space, request);
              return make_argmin<Space, double>(space, request);
            });
          }};
}

}  // namespace tessera::apps::bench
