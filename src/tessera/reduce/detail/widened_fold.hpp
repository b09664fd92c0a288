// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 16 bits as floats, for folds that work in these.
#ifndef TESSERA_REDUCE_DETAIL_WIDENED_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_WIDENED_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <tessera/detail/float_format.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera::detail {

/// Fold: of elements of wide_t<T>.
template <class Fold, class T>
class WidenedFold : public Fold {
  static_assert(Fold::lanes == reduce_loads_in_flight(sizeof(T)) * packed_length<T>);

 public:
  template <class R>
  KOKKOS_FUNCTION WidenedFold(const R& reducer, const FoldContext& context) : Fold(reducer, context) {}

  template <class Spill, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(typename Fold::thread_type& thread, Spill& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    wide_t<T> wide[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) wide[k] = widened(elements[k]);
    Fold::add(thread, spill, wide, index, status);
  }
  template <class Chain, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void chain(Chain& chain, const T (&elements)[N], const Index& index) const {
    wide_t<T> wide[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) wide[k] = widened(elements[k]);
    Fold::chain(chain, wide, index);
  }

  KOKKOS_FUNCTION auto lifted(const T& element, std::int64_t index, std::int64_t input,
                              const Status& status) const requires requires {
    &Fold::lifted;
  }
  { return Fold::lifted(widened(element), index, input, status); }

  /// Of an element, for few_type.
  KOKKOS_FORCEINLINE_FUNCTION static auto term(const T& element) { return Fold::term(widened(element)); }
};

/// A fold of elements of wide_t<T> as one of elements of T.
template <class Fold, class T>
using widened_fold_t = std::conditional_t<is_short_float_v<T>, WidenedFold<Fold, T>, Fold>;

}  // namespace tessera::detail

#endif
