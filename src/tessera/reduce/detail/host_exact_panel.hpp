// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's panel of exact sums, of elements, magnitudes, squares or both that variances follow from: in three doubles
// each, what two do not hold showing in the third. Blocks of floats in a few binades are summed in one double before.
#ifndef TESSERA_REDUCE_DETAIL_HOST_EXACT_PANEL_HPP
#define TESSERA_REDUCE_DETAIL_HOST_EXACT_PANEL_HPP

#include <tessera/detail/host_vector.hpp>

#if defined(TESSERA_HOST_VECTORS)

#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/reduce/detail/exact_block.hpp>
#include <tessera/reduce/detail/exact_pair.hpp>
#include <tessera/reduce/detail/exact_terms.hpp>
#include <tessera/reduce/detail/host_pairs.hpp>
#include <tessera/reduce/detail/host_panel.hpp>
#include <tessera/reduce/detail/host_rounding.hpp>
#include <tessera/reduce/detail/moments_fold.hpp>
#include <type_traits>

namespace tessera::detail {

template <class R, class T>
requires(MomentsFold<R, T>::sums_exactly && sizeof(T) <= sizeof(double) &&
         MomentsFold<R, T>::in_pairs) struct HostPanel<MomentsFold<R, T>> {
  using Fold = MomentsFold<R, T>;
  static constexpr bool narrow = sizeof(T) < sizeof(double), squares = R::wanted.squares, spread = Fold::is_spread;
  /// Whether one double is tried first.
  static constexpr bool in_blocks = narrow && !squares;
  static constexpr int columns = in_blocks ? 1024 : 512;
  /// Elements of a row that are taken at a time.
  static constexpr int group = LaneRange<T>::lanes;
  static bool takes_copies(NanPolicy) { return true; }

  void begin(const Fold&, int outputs, int new_copies) {
    copies = new_copies;
    width = outputs * copies;
    has_pairs = false;
    blocks = 0;
    if constexpr (!in_blocks) begin_pairs();
  }

  void add(const Fold&, const T* from, const PanelRows& rows, const Status&) {
    if constexpr (in_blocks) {
      if (blocks++ > 0) push();
      if (add_block(from, rows)) return;
      if (!has_pairs) begin_pairs();
      std::fill(block, block + padded(), 0.0);
    }
    for_each_group(from, rows, [&]<int N>(int c, const T*(&groups)[N], auto count) {
      for (int part = 0; part < count; part += lanes) {
        Sums sums;
        load_sums(c + part, sums);
        for (int r = 0; r < N; ++r) {
          HostTerms terms;
          load_terms(groups[r], part, count, terms);
          add_terms(terms, sums);
        }
        store_sums(sums, c + part);
      }
    });
  }

  /// Rows that are summed along themselves, at most so long: doubles seldom hold the sums of longer ones of floats.
  static constexpr int summed_row_max = in_blocks ? few_max : 8 * few_max;
  /// Others are quicker as the columns of a tile: of those half of the lanes would be idle.
  static constexpr bool sums_row(std::int64_t length) {
    return (length >= group + group / 2 || (narrow && length == group)) && length <= summed_row_max;
  }

  /// In place of add(): `length` neighbours for each output, outputs stride apart.
  void add_rows(const T* from, std::int64_t stride, int length) {
    blocks = 1;
    if constexpr (in_blocks) {
      if (add_block_of_rows(from, stride, length)) return;
      std::fill(block, block + padded(), 0.0);
      begin_pairs();
    }
    for (int c = 0; c < width; c += lanes) {
      HostPairs rows[sets][lanes];
      for (int r = 0; r < std::min(lanes, width - c); ++r) {
        const T* const row = from + (c + r) * stride;
        Sums sums;
        for (int at = 0; at < length; at += group) {
          const int count = std::min(group, length - at);
          prefetch_page_ahead<group>(row + at);
          for (int part = 0; part < count; part += lanes) {
            HostTerms terms;
            load_terms(row + at, part, count, terms);
            add_terms(terms, sums);
          }
        }
        for (int s = 0; s < sets; ++s) rows[s][r] = sums.of[s];
      }
      Sums sums;
      for (int s = 0; s < sets; ++s) sum_lanes(rows[s], sums.of[s]);
      store_sums(sums, c);
    }
  }

  void close(const Fold&) {
    if constexpr (in_blocks) {
      if (blocks == 0) {
        std::fill(block, block + padded(), 0.0);
        block_span = block_rows = 0;
      }
      if (has_pairs || block_span > float_span(std::int64_t{block_rows} * copies)) push();
    }
    width /= copies;
    join_copies(width, copies, [&](int into, int from, int count) {
      if (in_blocks && !has_pairs) {
        for (int c = 0; c < count; ++c) block[into + c] += block[from + c];
      } else {
        for (auto& set : pairs) set.add(into, from, count);
      }
    });
  }

  /// The results of as many elements each, step apart, where doubles hold all sums; whether they do.
  template <class Result>
  bool write(const Fold& fold, std::int64_t size, Result* out, std::int64_t step) {
    if constexpr (rounds_in_vectors<Result> && !squares) {
      const bool plain = in_blocks && !has_pairs;
      if (!fold.suffices(size) || !(plain || pairs_hold())) return false;
      const HostTerms none = {};
      for (int c = 0; c < width; c += lanes) {
        HostPairs sums;
        plain ? load_vector(block + c, sums.high) : pairs[0].load(c, sums);
        HostVector<Result, lanes> results;
        if constexpr (Fold::is_mean) {
          round_quotients<Result>(sums.high, plain ? none : sums.low, static_cast<double>(size), results);
        } else {
          round_pairs<Result>(sums.high, plain ? none : sums.low, results);
        }
        if (step == 1 && c + lanes <= width) {
          store_vector(results, out + c);
        } else {
          for (int lane = 0; lane < std::min(lanes, width - c); ++lane) out[(c + lane) * step] = results[lane];
        }
      }
      return true;
    } else {
      return false;
    }
  }

  template <class Visit, class Alone>
  void totals(const Fold&, const Visit& visit, const Alone& alone) const {
    for (int c = 0; c < width; ++c) {
      if constexpr (squares) {
        typename Fold::pair_type total;
        if constexpr (spread) {
          total = {pairs[0].bounded(c), pairs[1].bounded(c)};
        } else {
          total = pairs[0].bounded(c);
        }
        visit(c, total);
      } else {
        const BoundedPair total = in_blocks && !has_pairs ? BoundedPair{block[c], 0, 0} : pairs[0].bounded(c);
        ExactPair pair{total.high, total.low};
        if (total.exact()) {  // not where both parts together overflow
          visit(c, pair);
        } else {
          alone(c);
        }
      }
    }
  }

 private:
  static constexpr int sets = spread ? 2 : 1;
  static constexpr int lanes = host_terms;
  /// Rows that are added before their sums go back to memory: of what costs little more than to read, one after the
  /// other.
  static constexpr int rows_at_once = in_blocks ? 1 : 2;

  /// Of some columns: of elements and squares, or either.
  struct Sums {
    HostPairs of[sets];
  };
  void load_sums(int c, Sums& sums) const {
    for (int s = 0; s < sets; ++s) pairs[s].load(c, sums.of[s]);
  }
  void store_sums(const Sums& sums, int c) {
    for (int s = 0; s < sets; ++s) pairs[s].store(sums.of[s], c);
  }
  static void add_terms(const HostTerms& terms, Sums& sums) {
    if constexpr (!squares || spread) sums.of[0].add(terms);
    if constexpr (squares) sums.of[sets - 1].template add_squares<narrow>(terms);
  }

  [[nodiscard]] int padded() const { return static_cast<int>(ceil_div(width, group)) * group; }

  void begin_pairs() {
    has_pairs = true;
    for (auto& set : pairs) set.clear(padded());
  }

  /// Calls visit(first column, groups of so many rows, elements of each), the last of which may be short.
  template <class Visit>
  void for_each_group(const T* from, const PanelRows& rows, const Visit& visit) const {
    int r = 0;
    for (; r + rows_at_once <= rows.count; r += rows_at_once) for_each_group<rows_at_once>(from, rows, r, visit);
    if constexpr (rows_at_once > 1) {
      for (; r < rows.count; ++r) for_each_group<1>(from, rows, r, visit);
    }
  }
  template <int N, class Visit>
  void for_each_group(const T* from, const PanelRows& rows, int first, const Visit& visit) const {
    const T *row[N], *groups[N];
    std::int64_t ahead[N];
    for (int r = 0; r < N; ++r) {
      row[r] = from + rows.at[first + r].in;
      ahead[r] = rows.to_next(first + r, N);
    }
    int c = 0;
    for (; c + group <= rows.columns; c += group) {
      for (int r = 0; r < N; ++r) {
        groups[r] = row[r] + c;
        if (c * sizeof(T) % stream_line == 0) prefetch_line(groups[r], ahead[r]);
      }
      visit(c, groups, std::integral_constant<int, group>{});
    }
    if (c == rows.columns) return;
    for (int r = 0; r < N; ++r) groups[r] = row[r] + c;
    visit(c, groups, rows.columns - c);
  }

  static void load_terms(const T* from, HostTerms& terms) {
    if constexpr (narrow) {
      load_widened<lanes>(from, terms);
    } else {
      load_vector(from, terms);
    }
    if (Fold::sums_magnitudes) terms = magnitudes_of(terms);
  }
  /// Of a group that has so many elements, those from part on; zeros where there are none.
  static void load_terms(const T* elements, int part, int count, HostTerms& terms) {
    const T* const from = elements + part;
    if (part + lanes <= count) return load_terms(from, terms);
    terms = HostTerms{};
    if (part >= count) return;
    if constexpr (narrow) {
      load_widened_first<lanes>(from, count - part, terms);
    } else {
      load_first(from, count - part, terms);
    }
    if (Fold::sums_magnitudes) terms = magnitudes_of(terms);
  }

  /// Of a group that has so many elements.
  static void take_range(const T* elements, int count, LaneRange<T>& range) {
    typename LaneRange<T>::Terms terms;
    if (count == group) {
      load_vector(elements, terms);
    } else {
      load_first(elements, count, terms);
    }
    range.take(terms);
  }

  /// Whether the pairs are all that there is; each is settled then.
  bool pairs_hold() {
    HostTerms gone = {};
    for (int c = 0; c < width; c += lanes) {
      HostPairs sums;
      pairs[0].load(c, sums);
      sums.settle();
      pairs[0].store(sums, c);
      gone += sums.lost + (sums.low - sums.low);  // NaN where both parts overflow
    }
    return across<double, lanes>(gone, [](const auto& x, const auto& y) { return x + y; }) == 0;
  }

  /// The block's sums to the pairs.
  void push() {
    if (!has_pairs) begin_pairs();
    for (int c = 0; c < width; c += lanes) {
      HostTerms terms;
      load_vector(block + c, terms);
      HostPairs sums;
      pairs[0].load(c, sums);
      sums.add(terms);
      pairs[0].store(sums, c);
    }
  }

  /// Whether doubles hold sums of so many terms.
  bool holds_block(const LaneRange<T>& range, int rows) {
    const FieldRange fields = block_fields(range);
    block_rows = rows;
    block_span = fields.highest - fields.lowest;
    return fields.highest <= 2 * FloatFormat<T>::exponent_max && block_span <= float_span(rows);
  }

  /// Sums of a few rows, if a double holds them.
  bool add_block(const T* from, const PanelRows& rows) {
    LaneRange<T> range;
    std::fill(block, block + padded(), 0.0);
    for_each_group(from, rows, [&]<int N>(int c, const T*(&groups)[N], auto count) {
      for (int r = 0; r < N; ++r) take_range(groups[r], count, range);
      for (int part = 0; part < count; part += lanes) {
        HostTerms sum;
        load_vector(block + c + part, sum);
        for (int r = 0; r < N; ++r) {
          HostTerms terms;
          load_terms(groups[r], part, count, terms);
          sum += terms;
        }
        store_vector(sum, block + c + part);
      }
    });
    return holds_block(range, rows.count);
  }

  /// Likewise along rows.
  bool add_block_of_rows(const T* from, std::int64_t stride, int length) {
    LaneRange<T> range;
    for (int c = 0; c < width; c += lanes) {
      HostTerms sums[lanes] = {};
      for (int r = 0; r < std::min(lanes, width - c); ++r) {
        const T* const row = from + (c + r) * stride;
        HostTerms first = {}, second = {}, terms;
        int at = 0;
        for (; at + group <= length; at += group) {
          prefetch_page_ahead<group>(row + at);
          take_range(row + at, group, range);
          load_terms(row + at, terms);
          first += terms;
          load_terms(row + at + lanes, terms);
          second += terms;
        }
        if (at < length) {
          take_range(row + at, length - at, range);
          load_terms(row + at, 0, length - at, terms);
          first += terms;
          load_terms(row + at, lanes, length - at, terms);
          second += terms;
        }
        sums[r] = first + second;
      }
      turn_lanes(sums);
      for (int k = 1; k < lanes; ++k) sums[0] += sums[k];
      store_vector(sums[0], block + c);
    }
    return holds_block(range, length);
  }

  int width, copies;
  int block_rows, block_span;  // terms of a column's last block, and the binades of all
  bool has_pairs;
  std::int64_t blocks;
  alignas(64) double block[in_blocks ? columns : lanes];
  HostPairColumns<columns> pairs[sets];
};

}  // namespace tessera::detail

#endif

#endif
