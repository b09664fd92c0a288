// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of neighbouring values on a host, scanned from both ends in vectors: a long window is the end of one block,
// whole ones, and the beginning of another.
#ifndef TESSERA_FILTER_DETAIL_HOST_WINDOW_SCANS_HPP
#define TESSERA_FILTER_DETAIL_HOST_WINDOW_SCANS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_vector.hpp>
#include <tessera/filter/detail/window_pieces.hpp>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Values that are joined lane by lane; here one by itself.
template <class Op, int Lanes>
struct ScanLanes {
  using Value = typename Op::value_type;
  static_assert(Lanes == 1);

  Value value;

  KOKKOS_FORCEINLINE_FUNCTION void load(const Value* from) { value = *from; }
  KOKKOS_FORCEINLINE_FUNCTION void store(Value* to) const { *to = value; }
  KOKKOS_FORCEINLINE_FUNCTION static ScanLanes join(const Op& op, const ScanLanes& a, const ScanLanes& b) {
    return {op.join(a.value, b.value)};
  }
  /// In all lanes the first one's value, or the last one's.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ScanLanes first() const { return *this; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ScanLanes last() const { return *this; }
  /// One value before lane split, another from there on.
  KOKKOS_FORCEINLINE_FUNCTION static ScanLanes split(Value before, Value behind, int split) {
    return {split > 0 ? before : behind};
  }
  /// Each lane takes those before it, or those behind it.
  KOKKOS_FORCEINLINE_FUNCTION void scan_forward() {}
  KOKKOS_FORCEINLINE_FUNCTION void scan_backward() {}
};

#ifdef TESSERA_HOST_SHUFFLES

template <class Op, int Lanes>
requires(Lanes > 1) struct ScanLanes<Op, Lanes> {
  using Value = typename Op::value_type;
  using Vector = HostVector<Value, Lanes>;
  using Each = std::make_integer_sequence<int, Lanes>;
  using Place =
      std::conditional_t<sizeof(Value) == 8, std::int64_t,
                         std::conditional_t<sizeof(Value) == 4, std::int32_t,
                                            std::conditional_t<sizeof(Value) == 2, std::int16_t, std::int8_t>>>;

  Vector vector;

  void load(const Value* from) { load_vector(from, vector); }
  void store(Value* to) const { store_vector(vector, to); }
  static ScanLanes join(const Op&, const ScanLanes& a, const ScanLanes& b) {
    return {typename Op::JoinVectors()(a.vector, b.vector)};
  }
  [[nodiscard]] ScanLanes first() const { return all<0>(vector, Each()); }
  [[nodiscard]] ScanLanes last() const { return all<Lanes - 1>(vector, Each()); }
  static ScanLanes split(Value before, Value behind, int split) { return split_at(before, behind, split, Each()); }
  void scan_forward() { scan<true, 1>(); }
  void scan_backward() { scan<false, 1>(); }

 private:
  template <int Lane, int... I>
  static ScanLanes all(const Vector& from, std::integer_sequence<int, I...>) {
    return {__builtin_shufflevector(from, from, (0 * I + Lane)...)};
  }
  template <int... I>
  static ScanLanes split_at(Value before, Value behind, int split, std::integer_sequence<int, I...>) {
    const HostVector<Place, Lanes> places{I...}, from = HostVector<Place, Lanes>{} + static_cast<Place>(split);
    return {places < from ? Vector{} + before : Vector{} + behind};
  }
  template <bool IsForward, int Distance>
  void scan() {
    if constexpr (Distance < Lanes) {
      step<IsForward, Distance>(Each());
      scan<IsForward, 2 * Distance>();
    }
  }
  /// Of neighbouring groups of Distance lanes, one takes the total of the other.
  template <bool IsForward, int Distance, int... I>
  void step(std::integer_sequence<int, I...>) {
    constexpr auto takes = [](int lane) { return ((lane & Distance) != 0) == IsForward; };
    constexpr auto other = [](int lane) {
      return (lane & ~(2 * Distance - 1)) + (IsForward ? Distance - 1 : Distance);
    };
    const typename Op::JoinVectors join_vectors;
    const Vector others = __builtin_shufflevector(vector, vector, (takes(I) ? other(I) : I)...);
    const Vector joined = IsForward ? join_vectors(others, vector) : join_vectors(vector, others);
    vector = HostVector<Place, Lanes>{(takes(I) ? Place(-1) : Place(0))...} ? joined : vector;
  }
};

template <class Op>
inline constexpr int scan_lanes =
    std::is_arithmetic_v<typename Op::value_type>&& compares_in_vectors<typename Op::value_type>
        ? std::min(host_scan_block<Op>, host_vector_bytes / static_cast<int>(sizeof(typename Op::value_type)))
        : 1;

#else

template <class Op>
inline constexpr int scan_lanes = 1;

#endif

/// A tree of joins that is the same for any number of lanes.
template <class Op>
struct ScanBlock {
  using Value = typename Op::value_type;
  static constexpr int size = host_scan_block<Op>, lanes = scan_lanes<Op>, parts = size / lanes;
  using Part = ScanLanes<Op, lanes>;

  Part values[parts];

  KOKKOS_FORCEINLINE_FUNCTION void load(const Value* from) {
    for (int p = 0; p < parts; ++p) values[p].load(from + p * lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Value* to) const {
    for (int p = 0; p < parts; ++p) values[p].store(to + p * lanes);
  }
  /// From the first value to each.
  KOKKOS_FORCEINLINE_FUNCTION void scan_forward(const Op& op) {
    for (int p = 0; p < parts; ++p) values[p].scan_forward();
    for (int distance = 1; distance < parts; distance *= 2) {
      for (int p = 0; p < parts; ++p) {
        const int other = (p & ~(2 * distance - 1)) + distance - 1;
        if ((p & distance) != 0) values[p] = Part::join(op, values[other].last(), values[p]);
      }
    }
  }
  /// From each value to the last.
  KOKKOS_FORCEINLINE_FUNCTION void scan_backward(const Op& op) {
    for (int p = 0; p < parts; ++p) values[p].scan_backward();
    for (int distance = 1; distance < parts; distance *= 2) {
      for (int p = 0; p < parts; ++p) {
        const int other = (p & ~(2 * distance - 1)) + distance;
        if ((p & distance) == 0) values[p] = Part::join(op, values[p], values[other].first());
      }
    }
  }
  /// Ends of a block become windows: with `fewer` whole blocks between, from place split on `more`, and what they end
  /// with.
  KOKKOS_FORCEINLINE_FUNCTION void join_windows(const Op& op, Value fewer, Value more, int split, const Value* ends) {
    for (int p = 0; p < parts; ++p) {
      Part end;
      end.load(ends + p * lanes);
      values[p] = Part::join(op, Part::join(op, values[p], Part::split(fewer, more, split - p * lanes)), end);
    }
  }
};

}  // namespace tessera::detail

#endif
