// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds of complex elements: they take groups apart into real numbers, and leave those to the folds of real elements.
#ifndef TESSERA_REDUCE_DETAIL_COMPLEX_FOLD_HPP
#define TESSERA_REDUCE_DETAIL_COMPLEX_FOLD_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/unroll.hpp>
#include <tessera/reduce/detail/dot_fold.hpp>
#include <tessera/reduce/detail/fold_context.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/pair_range.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <tessera/status.hpp>

namespace tessera::detail {

/// What stands for an element that is NaN in a part: nothing where those are left out; else NaN in both parts where
/// they are refused, as the whole result is spoiled. By itself each part would go its own way.
template <class Real>
KOKKOS_FUNCTION Kokkos::complex<Real> in_place_of_nan(NanPolicy nan) {
  const Real part = nan == NanPolicy::omit ? Real(0) : Kokkos::Experimental::quiet_NaN_v<Real>;
  return {part, part};
}

/// Positions of real numbers, two of each element.
template <class Index>
struct TwoEachIndex {
  const Index& index;
  KOKKOS_FUNCTION std::int64_t operator()(int k) const { return index(k / 2); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t input(int k) const { return input_index(index, k / 2); }
};

/// Norms: both parts of each element go to one fold of real elements. R: what MomentsFold wants of a reducer.
template <class R, class Real>
class ComplexNormFold : public MomentsFold<R, Real> {
  using Base = MomentsFold<R, Real>;
  using T = Kokkos::complex<Real>;

 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
  // Half of what real elements have, as each is two numbers.
  static constexpr int host_lanes = 64;
  static constexpr int teams_at_once = 2;
  using thread_type = typename Base::thread_type;

  KOKKOS_FUNCTION ComplexNormFold(const R& reducer, const FoldContext& context)
      : Base(reducer, context), m_nan(context.nan) {}

  template <class Spill, int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, Spill& spill, const T (&elements)[N], const Index& index,
                                       const Status& status) const {
    Real parts[2 * N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const bool left_out = m_nan == NanPolicy::omit && elements[k] != elements[k];
      parts[2 * k] = left_out ? Real(0) : elements[k].real();
      parts[2 * k + 1] = left_out ? Real(0) : elements[k].imag();
    }
    Base::add(thread, spill, parts, TwoEachIndex<Index>{index}, status);
  }

 private:
  NanPolicy m_nan;
};

/// Two folds of real numbers, PartFold, for the real and the imaginary part of a result. Derived classes feed them.
template <class R, class PartFold>
class ComplexPartsFold {
 public:
  static constexpr bool sums_exactly = true;
  static constexpr int team_size_max = 256;
  static constexpr int teams_at_once = 2;
  struct thread_type {
    typename PartFold::thread_type re, im;
  };
  struct spill_type {
    typename PartFold::spill_type re, im;
  };
  struct team_type {
    typename PartFold::team_type re, im;
  };

  KOKKOS_FUNCTION ComplexPartsFold(const R& reducer, const FoldContext& context)
      : m_part(reducer, context), m_nan(context.nan) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(thread_type& thread, spill_type& spill) const {
    m_part.begin(thread.re, spill.re);
    m_part.begin(thread.im, spill.im);
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(thread_type& thread, spill_type& spill, const team_type& part) const {
    m_part.absorb(thread.re, spill.re, part.re);
    m_part.absorb(thread.im, spill.im, part.im);
  }

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int team_size) { return PartFold::scratch_bytes(team_size); }

  /// One after the other, in the same scratch: each ends with a barrier.
  template <TeamMember Member>
  KOKKOS_FORCEINLINE_FUNCTION void close(const Member& team, thread_type& thread, spill_type& spill, team_type& result,
                                         std::byte* scratch) const {
    m_part.close(team, thread.re, spill.re, result.re, scratch);
    m_part.close(team, thread.im, spill.im, result.im, scratch);
  }

  KOKKOS_FUNCTION team_type& close_alone(thread_type& thread, spill_type& spill, team_type& room) const {
    room.re = m_part.close_alone(thread.re, spill.re, room.re);
    room.im = m_part.close_alone(thread.im, spill.im, room.im);
    return room;
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION static void store(const Member& team, const team_type& from, team_type& to) {
    PartFold::store(team, from.re, to.re);
    PartFold::store(team, from.im, to.im);
  }

  template <class Result>
  KOKKOS_FUNCTION Result finalize(team_type& total, std::int64_t size, const Status& status) const {
    using Real = typename Result::value_type;
    const Real re = m_part.template finalize<Real>(total.re, size, status);
    const Real im = m_part.template finalize<Real>(total.im, size, status);
    return {re, im};
  }

 protected:
  PartFold m_part;
  NanPolicy m_nan;
};

/// Sums and means. R: what MomentsFold wants of a reducer.
template <class R, class Real>
class ComplexMomentsFold : public ComplexPartsFold<R, MomentsFold<R, Real>> {
  using Base = ComplexPartsFold<R, MomentsFold<R, Real>>;
  using T = Kokkos::complex<Real>;

 public:
  static constexpr int lanes = reduce_loads_in_flight(sizeof(T)) * packed_length<T>;
  using thread_type = typename Base::thread_type;
  using spill_type = typename Base::spill_type;
  using Base::Base;

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type& spill, const T (&elements)[N],
                                       const Index& index, const Status& status) const {
    Real re[N], im[N];
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      T element = elements[k];
      if (this->m_nan != NanPolicy::propagate && element != element) {
        element = in_place_of_nan<Real>(this->m_nan);
        if (this->m_nan == NanPolicy::omit) {
          ++spill.re.specials.nans;
          ++spill.im.specials.nans;
        }
      }
      re[k] = element.real();
      im[k] = element.imag();
    }
    this->m_part.add(thread.re, spill.re, re, index, status);
    this->m_part.add(thread.im, spill.im, im, index, status);
  }
};

/// Sums of products x y, or conj(x) y where Conjugated.
template <class R, class Real, bool Conjugated>
class ComplexDotFold : public ComplexPartsFold<R, DotFold<R, Real>> {
  using Base = ComplexPartsFold<R, DotFold<R, Real>>;
  using T = Kokkos::complex<Real>;

 public:
  static constexpr int lanes = 2 * packed_length<T>;
  using thread_type = typename Base::thread_type;
  using spill_type = typename Base::spill_type;
  using Base::Base;

  template <int N, class Index>
  KOKKOS_FORCEINLINE_FUNCTION void add(thread_type& thread, spill_type& spill, const ElementPair<T> (&pairs)[N],
                                       const Index& index, const Status& status) const {
    ElementPair<Real> terms[2 * N];
    const TwoEachIndex<Index> term_index{index};
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const ElementPair<T> pair = kept(pairs[k]);
      terms[2 * k] = {pair.x.real(), pair.y.real()};
      terms[2 * k + 1] = {Conjugated ? pair.x.imag() : -pair.x.imag(), pair.y.imag()};
    }
    this->m_part.add(thread.re, spill.re, terms, term_index, status);
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) {
      const ElementPair<T> pair = kept(pairs[k]);
      terms[2 * k] = {pair.x.real(), pair.y.imag()};
      terms[2 * k + 1] = {Conjugated ? -pair.x.imag() : pair.x.imag(), pair.y.real()};
    }
    this->m_part.add(thread.im, spill.im, terms, term_index, status);
  }

 private:
  /// Without what is left out: both elements where one is NaN.
  KOKKOS_FORCEINLINE_FUNCTION ElementPair<T> kept(const ElementPair<T>& pair) const {
    if (this->m_nan == NanPolicy::omit && (pair.x != pair.x || pair.y != pair.y)) return {T(0), T(0)};
    return pair;
  }
};

/// Products: a value each, but of more registers than full teams have.
template <class R, class T>
class ComplexProductFold : public ValueFold<R, T> {
 public:
  static constexpr int team_size_max = 256;
  static constexpr int teams_at_once = 1;
  using ValueFold<R, T>::ValueFold;
};

}  // namespace tessera::detail

#endif
