// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's accumulators of many neighbouring outputs, a panel: rows, an element of each output, are added in vectors.
#ifndef TESSERA_REDUCE_DETAIL_HOST_PANEL_HPP
#define TESSERA_REDUCE_DETAIL_HOST_PANEL_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/detail/host_vector.hpp>
#include <tessera/reduce/detail/axes_shape.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// Rows that a panel takes at once: the chains of its sums, and of each level of their joins.
inline constexpr int panel_rows = 64;
/// Of the rows taken, one level each for 64 times as many as the last.
inline constexpr int panel_levels = 7;

/// Rows behind one pointer: offsets of each, what a step along a row adds to the index in the input, and the offset of
/// what is probably read next.
struct PanelRows {
  const AxesOffsets* at;
  int count;
  std::int64_t first_input, input_step, next;

  [[nodiscard]] std::int64_t after(int row) const { return row + 1 < count ? at[row + 1].in : next; }
};

/// The panel of a fold: columns, the most outputs it has; begin(fold, width); add(fold, from, rows, status) of at most
/// panel_rows rows; close(); totals(visit, alone) calls visit(column, total) with what the fold finalizes, or
/// alone(column) where the fold must see the elements itself.
template <class Fold>
struct HostPanel;

/// Whether there is one. Only where there are vectors, not in what nvcc compiles for hosts.
template <class Fold>
constexpr bool takes_panels() {
  return has_host_vectors && requires { HostPanel<Fold>::columns; };
}

/// Chains of panel_rows rows, whose values are joined as many at a time, and so on: that many additions each of a chain
/// and of seven levels are within the bound of fast sums. Values that are not large, as they lie on the stack.
template <class R, class T>
requires(sizeof(typename R::value_type) <= 64 &&
         sizeof(typename Chain<R>::type) <= 64) struct HostPanel<ValueFold<R, T>> {
  using Fold = ValueFold<R, T>;
  using Value = typename R::value_type;
  using ChainOf = Chain<R>;
  using ChainValue = typename ChainOf::type;
  static constexpr int columns = sizeof(T) <= 4 && sizeof(Value) <= 16 ? 1024 : sizeof(Value) <= 32 ? 512 : 128;

  void begin(const Fold& fold, int new_width) {
    width = new_width;
    blocks = 0;
    counts_omitted = Fold::counts && fold.context().nan != NanPolicy::propagate;
    if (counts_omitted) std::fill(omitted, omitted + width, 0);
    begin_chains(fold);
  }

  template <class Pointer>
  void add(const Fold& fold, const Pointer& from, const PanelRows& rows, const Status& status) {
    constexpr int length = static_cast<int>(std::min<std::int64_t>(panel_rows, chain_length<R>()));
    for (int begin = 0; begin < rows.count; begin += length) {
      if (blocks > 0) push(fold);
      ++blocks;
      for (int r = begin; r < std::min(begin + length, rows.count); ++r) {
        add_row(fold, from + rows.at[r].in, rows, r, status);
      }
    }
  }

  void close(const Fold& fold) {
    if (blocks <= 1) return;
    push(fold);
    const R& reducer = fold.reducer();
    whole = levels[0];
    if constexpr (is_order_free<R>()) return;
    bool begun = false;
    for (std::int64_t left = blocks, level = 0; left > 0; left /= panel_rows, ++level) {
      if (left % panel_rows == 0) continue;
      Value* from = levels[level];
      for (int c = 0; begun && c < width; ++c) reducer.join(from[c], whole[c]);
      whole = from;
      begun = true;
    }
  }

  template <class Visit, class Alone>
  void totals(const Fold& fold, const Visit& visit, const Alone&) const {
    const auto visit_all = [&](const auto& value) {
      for (int c = 0; c < width; ++c) {
        typename Fold::team_type result;
        result.value = value(c);
        if constexpr (Fold::counts) result.omitted = 0;
        visit(c, result);
      }
    };
    const auto of_chain = [&](int c) { return ChainOf::close(fold.reducer(), chains[c]); };
    if (!counts_omitted && blocks <= 1) return visit_all(of_chain);
    if (!counts_omitted) return visit_all([&](int c) { return whole[c]; });
    if constexpr (Fold::counts) {
      for (int c = 0; c < width; ++c) {
        typename Fold::team_type result{blocks <= 1 ? of_chain(c) : whole[c], omitted[c]};
        visit(c, result);
      }
    }
  }

 private:
  static constexpr int lanes = Fold::lanes;
  static constexpr int level_count = is_order_free<R>() ? 1 : panel_levels;

  void begin_chains(const Fold& fold) { std::fill(chains, chains + width, ChainOf::identity(fold.reducer())); }

  /// The chains of a block to the levels: a counter to base panel_rows, of the blocks before this one.
  void push(const Fold& fold) {
    const R& reducer = fold.reducer();
    std::int64_t before = blocks - 1;
    const auto join = [&](Value* into, bool first, const auto& value) {
      for (int c = 0; c < width; ++c) {
        if (first) {
          into[c] = value(c);
        } else {
          reducer.join(into[c], value(c));
        }
      }
    };
    const bool first = is_order_free<R>() ? before == 0 : before % panel_rows == 0;
    join(levels[0], first, [&](int c) { return ChainOf::close(reducer, chains[c]); });
    for (int level = 0; level + 1 < level_count && before % panel_rows == panel_rows - 1; ++level) {
      before /= panel_rows;
      join(levels[level + 1], before % panel_rows == 0, [&](int c) { return levels[level][c]; });
    }
    begin_chains(fold);
  }

  template <class Pointer>
  void add_row(const Fold& fold, const Pointer& from, const PanelRows& rows, int row, const Status& status) {
    const R& reducer = fold.reducer();
    const AxesOffsets& at = rows.at[row];
    int c = 0;
    if (counts_omitted) {
      for (; c < width; ++c) {
        const T element = from[c];
        if (element == element) {
          ChainOf::add(reducer, chains[c], element, at.position);
        } else {
          ++omitted[c];
          if (fold.context().nan == NanPolicy::error) {
            status.raise(StatusKind::nan_found,
                         static_cast<std::uint64_t>(rows.first_input + at.input + c * rows.input_step));
          }
        }
      }
      return;
    }
    if constexpr (std::is_pointer_v<Pointer> && chains_on_host<R, T, lanes>() && keeps_lanes<R>()) {
      const std::int64_t ahead = rows.after(row) - at.in;
      for (; c + lanes <= width; c += lanes) {
        if (c * sizeof(T) % stream_line == 0) prefetch_line(from + c, ahead);
        reducer.chain_host(*reinterpret_cast<ChainValue(*)[lanes]>(chains + c), from + c, 1);
      }
    }
    for (; c < width; ++c) ChainOf::add(reducer, chains[c], from[c], at.position);
  }

  int width;
  std::int64_t blocks;  // begun
  bool counts_omitted;
  Value* whole;
  alignas(64) ChainValue chains[columns];
  Value levels[level_count][columns];
  std::int64_t omitted[Fold::counts ? columns : 1];
};

#if defined(TESSERA_HOST_VECTORS)

/// Exact sums in three doubles each: what two do not hold shows in the third. Blocks of floats in a few binades are
/// summed in one double before.
template <class R, class T>
requires(std::is_floating_point_v<T> && sizeof(T) <= sizeof(double) && R::wanted.sum != R::wanted.magnitude &&
         !R::wanted.squares) struct HostPanel<MomentsFold<R, T>> {
  using Fold = MomentsFold<R, T>;
  static constexpr bool narrow = sizeof(T) < sizeof(double);
  static constexpr int columns = narrow ? 1024 : 512;

  void begin(const Fold&, int new_width) {
    width = new_width;
    has_pairs = false;
    blocks = 0;
    if constexpr (!narrow) begin_pairs();
  }

  void add(const Fold&, const T* from, const PanelRows& rows, const Status&) {
    if constexpr (narrow) {
      if (blocks++ > 0) push();
      if (add_block(from, rows)) return;
      if (!has_pairs) begin_pairs();
      std::fill(block, block + padded(), 0.0);
    }
    for (int r = 0; r < rows.count; ++r) {
      for_each_group(from + rows.at[r].in, rows.after(r) - rows.at[r].in, [&](int c, const Elements& elements) {
        Terms terms;
        terms_of(elements, terms);
        add_terms(c, terms);
      });
    }
  }

  void close(const Fold&) {
    if constexpr (narrow) {
      if (blocks == 0) std::fill(block, block + padded(), 0.0);
      if (has_pairs) push();
    }
  }

  template <class Visit, class Alone>
  void totals(const Fold&, const Visit& visit, const Alone& alone) const {
    if constexpr (narrow) {
      if (!has_pairs) {
        for (int c = 0; c < width; ++c) {
          ExactPair pair{block[c], 0};
          visit(c, pair);
        }
        return;
      }
    }
    for (int c = 0; c < width; ++c) {
      ExactPair pair = two_sum(high[c], low[c]);
      if (lost[c] == 0 && pair.exact()) {  // not where both together overflow
        visit(c, pair);
      } else {
        alone(c);
      }
    }
  }

 private:
  static constexpr int lanes = host_terms;
  using Terms = HostVector<double, lanes>;
  using Elements = HostVector<T, lanes>;
  using Bits = HostVector<std::int32_t, lanes>;

  [[nodiscard]] int padded() const { return (width + lanes - 1) / lanes * lanes; }

  void begin_pairs() {
    has_pairs = true;
    std::fill(high, high + padded(), 0.0);
    std::fill(low, low + padded(), 0.0);
    std::fill(lost, lost + padded(), 0.0);
  }

  /// Calls visit(first column, elements) for a row; those beyond its end are zeros.
  template <class Visit>
  void for_each_group(const T* from, std::int64_t ahead, const Visit& visit) const {
    Elements elements;
    int c = 0;
    for (; c + lanes <= width; c += lanes) {
      if (c * sizeof(T) % stream_line == 0) prefetch_line(from + c, ahead);
      load_vector(from + c, elements);
      visit(c, elements);
    }
    if (c == width) return;
    T tail[lanes] = {};
    std::copy(from + c, from + width, tail);
    load_vector(tail, elements);
    visit(c, elements);
  }

  static void terms_of(const Elements& elements, Terms& terms) {
    terms = __builtin_convertvector(elements, Terms);
    if (R::wanted.magnitude) terms = terms < 0 ? -terms : terms;
  }

  void add_terms(int c, const Terms& terms) {
    Terms a, b, gone;
    load_vector(high + c, a);
    load_vector(low + c, b);
    load_vector(lost + c, gone);
    const Terms sum = a + terms;
    const Terms from_terms = sum - a;
    const Terms error = (a - (sum - from_terms)) + (terms - from_terms);
    const Terms rest = b + error;
    const Terms from_error = rest - b;
    const Terms left = (b - (rest - from_error)) + (error - from_error);
    gone += left < 0 ? -left : left;
    store_vector(sum, high + c);
    store_vector(rest, low + c);
    store_vector(gone, lost + c);
  }

  /// The block's sums to the pairs.
  void push() {
    if (!has_pairs) begin_pairs();
    for (int c = 0; c < width; c += lanes) {
      Terms terms;
      load_vector(block + c, terms);
      add_terms(c, terms);
    }
  }

  /// Sums of a few rows, if a double holds them.
  bool add_block(const T* from, const PanelRows& rows) {
    constexpr std::int32_t no_sign = 0x7fffffff;
    Bits largest = {}, smallest = largest + no_sign;
    std::fill(block, block + padded(), 0.0);
    for (int r = 0; r < rows.count; ++r) {
      for_each_group(from + rows.at[r].in, rows.after(r) - rows.at[r].in, [&](int c, const Elements& elements) {
        Terms terms, sum;
        terms_of(elements, terms);
        load_vector(block + c, sum);
        sum += terms;
        store_vector(sum, block + c);
        Bits bits;
        std::memcpy(&bits, &elements, sizeof(bits));
        bits &= no_sign;
        largest = bits > largest ? bits : largest;
        const Bits less = (bits - 1) & no_sign;  // of a zero the largest there is
        smallest = less < smallest ? less : smallest;
      });
    }
    std::int32_t most = 0, least = no_sign;
    for (int lane = 0; lane < lanes; ++lane) {
      most = std::max<std::int32_t>(most, largest[lane]);
      least = std::min<std::int32_t>(least, smallest[lane]);
    }
    const int highest = most >> 23;
    return highest < 255 && highest - (least >> 23) <= float_span(rows.count);
  }

  int width;
  bool has_pairs;
  std::int64_t blocks;
  alignas(64) double block[narrow ? columns : 1];
  alignas(64) double high[columns], low[columns], lost[columns];
};

#endif

}  // namespace tessera::detail

#endif
