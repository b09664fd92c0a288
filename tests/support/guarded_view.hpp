// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of any layout inside a larger buffer whose other elements are poison: reads beyond the view show up as NaN in
// the results, writes beyond it are found by check_guards().
#ifndef TESSERA_TESTS_SUPPORT_GUARDED_VIEW_HPP
#define TESSERA_TESTS_SUPPORT_GUARDED_VIEW_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "compare.hpp"
#include "data.hpp"
#include "placement.hpp"

namespace tessera::test {

template <std::size_t Rank>
using Extents = std::array<std::size_t, Rank>;

namespace detail {

template <class T, std::size_t Rank>
struct Pointers {
  using type = typename Pointers<T*, Rank - 1>::type;
};
template <class T>
struct Pointers<T, 0> {
  using type = T;
};

template <std::size_t Rank>
std::size_t product(const Extents<Rank>& extents) {
  std::size_t size = 1;
  for (const std::size_t extent : extents) size *= extent;
  return size;
}

/// Last axis fastest, `inner` elements apart, `gap` unused elements behind each slice.
template <std::size_t Rank>
Extents<Rank> strides_right(const Extents<Rank>& extents, std::size_t inner, std::size_t gap) {
  Extents<Rank> strides{};
  for (std::size_t d = Rank; d-- > 0;) {
    strides[d] = d + 1 == Rank ? inner : strides[d + 1] * extents[d + 1] + gap;
  }
  return strides;
}

template <std::size_t Rank>
Extents<Rank> strides_left(const Extents<Rank>& extents, std::size_t inner, std::size_t gap) {
  Extents<Rank> strides{};
  for (std::size_t d = 0; d < Rank; ++d) strides[d] = d == 0 ? inner : strides[d - 1] * extents[d - 1] + gap;
  return strides;
}

}  // namespace detail

// The layouts of typed tests. shift: elements by which the first one is off a 16-byte boundary.
struct Right {
  using kokkos_layout = Kokkos::LayoutRight;
  static constexpr std::size_t shift = 0;
  template <std::size_t Rank>
  static Extents<Rank> strides(const Extents<Rank>& extents) {
    return detail::strides_right(extents, 1, 0);
  }
};
struct Left {
  using kokkos_layout = Kokkos::LayoutLeft;
  static constexpr std::size_t shift = 0;
  template <std::size_t Rank>
  static Extents<Rank> strides(const Extents<Rank>& extents) {
    return detail::strides_left(extents, 1, 0);
  }
};
struct Misaligned : Right {
  static constexpr std::size_t shift = 1;
};
/// Every second element, as a subview with a step gives.
struct Strided {
  using kokkos_layout = Kokkos::LayoutStride;
  static constexpr std::size_t shift = 0;
  template <std::size_t Rank>
  static Extents<Rank> strides(const Extents<Rank>& extents) {
    return detail::strides_right(extents, 2, 3);
  }
};
/// A block of a larger LayoutRight array: unit stride, rows apart and not multiples of 16 bytes.
struct Block {
  using kokkos_layout = Kokkos::LayoutStride;
  static constexpr std::size_t shift = 1;
  template <std::size_t Rank>
  static Extents<Rank> strides(const Extents<Rank>& extents) {
    return detail::strides_right(extents, 1, 5);
  }
};
/// A block of a larger LayoutLeft array.
struct BlockLeft {
  using kokkos_layout = Kokkos::LayoutStride;
  static constexpr std::size_t shift = 1;
  template <std::size_t Rank>
  static Extents<Rank> strides(const Extents<Rank>& extents) {
    return detail::strides_left(extents, 1, 5);
  }
};

using Layouts = std::tuple<Right, Left, Misaligned, Strided, Block, BlockLeft>;

template <class T, class Layout, class Space, std::size_t Rank>
class GuardedView {
 public:
  using value_type = T;
  using data_type = typename detail::Pointers<T, Rank>::type;
  using const_data_type = typename detail::Pointers<const T, Rank>::type;
  using device_type = typename Space::device_type;
  using view_type =
      Kokkos::View<data_type, typename Layout::kokkos_layout, device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using const_view_type = Kokkos::View<const_data_type, typename Layout::kokkos_layout, device_type,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit GuardedView(const Extents<Rank>& extents)
      : m_extents(extents), m_strides(Layout::template strides<Rank>(extents)) {
    std::size_t last = 0;
    for (std::size_t d = 0; d < Rank; ++d) last += extents[d] == 0 ? 0 : (extents[d] - 1) * m_strides[d];
    m_buffer = buffer_type(Kokkos::view_alloc("guarded", Kokkos::WithoutInitializing), last + 1 + 2 * guard);
    m_host.assign(m_buffer.extent(0), poison<T>());
    upload();
  }
  GuardedView(const Extents<Rank>& extents, const std::vector<T>& values) : GuardedView(extents) { write(values); }

  [[nodiscard]] view_type view() const { return view_type(m_buffer.data() + origin(), layout()); }
  [[nodiscard]] const_view_type const_view() const { return view(); }
  [[nodiscard]] const Extents<Rank>& extents() const { return m_extents; }
  [[nodiscard]] std::size_t size() const { return detail::product(m_extents); }

  /// values: in row-major order of the index.
  void write(const std::vector<T>& values) {
    REQUIRE(values.size() == size());
    scatter(placement(), values.data(), m_host.data());
    upload();
  }

  /// Fences, and gives the view's elements in row-major order.
  [[nodiscard]] std::vector<T> read() const {
    const std::vector<T> now = download();
    std::vector<T> values(size());
    gather(placement(), now.data(), values.data());
    return values;
  }

  /// "" if no element outside the view changed since the last write. The index counts from the buffer's start.
  [[nodiscard]] std::string guard_report() const {
    std::vector<T> now = download(), elements(size());
    gather(placement(), m_host.data(), elements.data());
    scatter(placement(), elements.data(), now.data());
    return bits_report(now, m_host);
  }
  void check_guards() const {
    INFO("guard elements around the view");
    CHECK(guard_report() == "");
  }

 private:
  using buffer_type = Kokkos::View<T*, device_type>;
  using host_type = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr std::size_t guard = 64;  // elements: a multiple of 16 bytes for every element size

  static constexpr std::size_t origin() { return guard + Layout::shift; }

  [[nodiscard]] typename Layout::kokkos_layout layout() const {
    typename Layout::kokkos_layout layout;
    for (std::size_t d = 0; d < Rank; ++d) {
      layout.dimension[d] = m_extents[d];
      if constexpr (std::is_same_v<typename Layout::kokkos_layout, Kokkos::LayoutStride>) {
        layout.stride[d] = m_strides[d];
      }
    }
    return layout;
  }

  [[nodiscard]] Placement placement() const {
    return {{m_extents.begin(), m_extents.end()}, {m_strides.begin(), m_strides.end()}, origin(), sizeof(T)};
  }

  void upload() { Kokkos::deep_copy(m_buffer, host_type(m_host.data(), m_host.size())); }
  [[nodiscard]] std::vector<T> download() const {
    std::vector<T> now(m_host.size());
    Kokkos::deep_copy(host_type(now.data(), now.size()), m_buffer);
    return now;
  }

  Extents<Rank> m_extents, m_strides;
  buffer_type m_buffer;
  std::vector<T> m_host;
};

/// A managed rank-1 device view holding `values`.
template <class Space, class T>
Kokkos::View<T*, Space> device_copy(const std::vector<T>& values) {
  Kokkos::View<T*, Space> view(Kokkos::view_alloc("values", Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

/// The elements of a contiguous rank-1 view, on the host.
template <class View>
std::vector<typename View::non_const_value_type> host_copy(const View& view) {
  using T = typename View::non_const_value_type;
  std::vector<T> values(view.extent(0));
  Kokkos::deep_copy(
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(values.data(), values.size()), view);
  return values;
}

}  // namespace tessera::test

#endif
