// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that several operations put on their arguments.
#ifndef TESSERA_DETAIL_CHECKS_HPP
#define TESSERA_DETAIL_CHECKS_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/error.hpp>

// Loops over axes end with !=: of rank 0, nvcc warns of every <.
namespace tessera::detail {

/// "(3, 4)"
template <std::size_t Rank>
std::string extents_text(const std::array<std::size_t, Rank>& extents) {
  std::string text = "(";
  for (std::size_t d = 0; d != Rank; ++d) text += (d == 0 ? "" : ", ") + std::to_string(extents[d]);
  return text + ")";
}

template <View V>
std::array<std::size_t, V::rank()> extents_of(const V& view) {
  std::array<std::size_t, V::rank()> extents{};
  for (std::size_t d = 0; d != V::rank(); ++d) extents[d] = view.extent(d);
  return extents;
}

template <View V>
std::string extents_text(const V& view) {
  return extents_text(extents_of(view));
}

struct AddressRange {
  std::uintptr_t begin, end;
};

/// The bytes from the first to the last element; empty for an empty view.
template <View V>
AddressRange address_range(const V& view) {
  const auto begin = reinterpret_cast<std::uintptr_t>(view.data());
  if (view.size() == 0) return {begin, begin};
  std::uintptr_t last = 0;
  for (std::size_t d = 0; d != V::rank(); ++d) last += (view.extent(d) - 1) * view.stride(d);
  return {begin, begin + (last + 1) * sizeof(typename V::value_type)};
}

/// The part of a stride in which a view's elements lie, if they do: they repeat with the stride, and nothing else of
/// the view reaches beyond it.
template <View V>
bool repeats_within(const V& view, std::size_t stride_bytes, std::size_t& span_bytes) {
  constexpr std::size_t element = sizeof(typename V::value_type);
  span_bytes = element;
  for (std::size_t d = 0; d != V::rank(); ++d) {
    if (view.stride(d) * element % stride_bytes != 0) span_bytes += (view.extent(d) - 1) * view.stride(d) * element;
  }
  return span_bytes <= stride_bytes;
}

/// Whether a stride of either view shows that no element of one is in the other: interleaved views, neighbouring
/// blocks of a matrix.
template <View A, View B>
bool stride_separates(const A& a, const B& b) {
  const auto separates = [&](std::size_t stride) {
    std::size_t span_a = 0, span_b = 0;
    if (stride == 0 || !repeats_within(a, stride, span_a) || !repeats_within(b, stride, span_b)) return false;
    const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data()) % stride;
    const auto begin_b = reinterpret_cast<std::uintptr_t>(b.data()) % stride;
    const std::size_t distance = (begin_b + stride - begin_a) % stride;
    return span_a <= distance && distance + span_b <= stride;
  };
  for (std::size_t d = 0; d != A::rank(); ++d) {
    if (separates(a.stride(d) * sizeof(typename A::value_type))) return true;
  }
  for (std::size_t d = 0; d != B::rank(); ++d) {
    if (separates(b.stride(d) * sizeof(typename B::value_type))) return true;
  }
  return false;
}

/// \throws InvalidArgument where elements of a view that is written share memory, by a stride of 0.
template <View V>
void require_own_elements(std::string_view function, const V& view, std::string_view name = "out") {
  for (std::size_t d = 0; d != V::rank(); ++d) {
    TESSERA_REQUIRE_ARGUMENT(view.size() == 0 || view.extent(d) == 1 || view.stride(d) != 0, function, name,
                             "stride 0 on axis " + std::to_string(d) + " of extents " + extents_text(view),
                             "memory of its own for each element", "pass a view without such strides");
  }
}

/// \throws InvalidArgument where views may share an element: a stride decides, or else address ranges; or where
/// elements of out do.
template <View InView, View OutView>
void require_disjoint(std::string_view function, const InView& in, const OutView& out,
                      std::string_view in_name = "in") {
  require_own_elements(function, out);
  const AddressRange a = address_range(in);
  const AddressRange b = address_range(out);
  const bool apart = a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin;
  TESSERA_REQUIRE_ARGUMENT(
      apart || stride_separates(in, out), function, "out",
      "its address range overlaps that of `" + std::string(in_name) + "`, and no stride sets them apart",
      "separate memory", "pass another output view");
}

template <class OptionEnums>
std::string names_of(const OptionEnums& values) {
  std::string text;
  for (const auto value : values) text += (text.empty() ? "" : ", ") + std::string(to_string(value));
  return text;
}

/// A team size asked for by the caller, against what this kernel can have. 0: the plan decides.
inline void require_team_size(std::string_view function, int team_size, int team_size_max) {
  TESSERA_REQUIRE_ARGUMENT(team_size >= 0 && team_size <= team_size_max, function, "options",
                           "team_size " + std::to_string(team_size), "0 to " + std::to_string(team_size_max),
                           "0 lets the plan decide");
}

/// A team size that was asked for, against what this kernel can have; planned ones fit, and the question costs time.
template <class Policy, class Functor>
void require_launchable(std::string_view function, const Policy& policy, const Functor& functor, int asked_team_size) {
  if (asked_team_size == 0) return;
  require_team_size(function, asked_team_size, policy.team_size_max(functor, Kokkos::ParallelForTag()));
}

inline void require_league_size(std::string_view function, int league_size) {
  TESSERA_REQUIRE_ARGUMENT(league_size >= 0, function, "options", "league_size " + std::to_string(league_size),
                           "0 or more", "0 lets the plan decide");
}

}  // namespace tessera::detail

#endif
