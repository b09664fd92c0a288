// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host's panel of reducers: chains of each output, side by side.
#ifndef TESSERA_REDUCE_DETAIL_HOST_VALUE_PANEL_HPP
#define TESSERA_REDUCE_DETAIL_HOST_VALUE_PANEL_HPP

#include <algorithm>
#include <cstdint>
#include <tessera/detail/host_prefetch.hpp>
#include <tessera/detail/host_stream.hpp>
#include <tessera/reduce/detail/host_panel.hpp>
#include <tessera/reduce/detail/value_fold.hpp>
#include <type_traits>

namespace tessera::detail {

/// Of the rows taken, one level each for 64 times as many as the last.
inline constexpr int panel_levels = 7;

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
  /// Elements that a row has several of an output's of must not need their own position.
  static bool takes_copies(NanPolicy nan) {
    constexpr bool takes_position = requires(const R& reducer, const T& element) {
      reducer.map(element, std::int64_t{});
    };
    return !takes_position && Fold::takes_all(nan);
  }

  void begin(const Fold& fold, int outputs, int new_copies) {
    copies = new_copies;
    width = outputs * copies;
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
    whole = nullptr;
    if (blocks <= 1 && copies == 1) return;
    blocks = std::max<std::int64_t>(1, blocks);
    push(fold);
    const R& reducer = fold.reducer();
    whole = levels[0];
    if constexpr (!is_order_free<R>()) {
      bool begun = false;
      for (std::int64_t left = blocks, level = 0; left > 0; left /= panel_rows, ++level) {
        if (left % panel_rows == 0) continue;
        Value* from = levels[level];
        for (int c = 0; begun && c < width; ++c) reducer.join(from[c], whole[c]);
        whole = from;
        begun = true;
      }
    }
    width /= copies;
    join_copies(width, copies, [&](int into, int from, int count) {
      for (int c = 0; c < count; ++c) reducer.join(whole[into + c], whole[from + c]);
    });
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
    if (!counts_omitted && whole == nullptr) return visit_all(of_chain);
    if (!counts_omitted) return visit_all([&](int c) { return whole[c]; });
    if constexpr (Fold::counts) {
      for (int c = 0; c < width; ++c) {
        typename Fold::team_type result{whole == nullptr ? of_chain(c) : whole[c], omitted[c]};
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

  /// Where NaN are left out.
  template <class Pointer>
  void add_row_of_numbers(const Fold& fold, const Pointer& from, const PanelRows& rows, int row, const Status& status) {
    const AxesOffsets& at = rows.at[row];
    for (int c = 0; c < rows.columns; ++c) {
      const T element = from[c];
      if (element == element) {
        ChainOf::add(fold.reducer(), chains[c], element, at.position);
        continue;
      }
      ++omitted[c];
      if (fold.context().nan == NanPolicy::error) {
        status.raise(StatusKind::nan_found,
                     static_cast<std::uint64_t>(rows.first_input + at.input + c * rows.input_step));
      }
    }
  }

  template <class Pointer>
  void add_row(const Fold& fold, const Pointer& from, const PanelRows& rows, int row, const Status& status) {
    const R& reducer = fold.reducer();
    const AxesOffsets& at = rows.at[row];
    int c = 0;
    if constexpr (Fold::counts) {
      if (counts_omitted) return add_row_of_numbers(fold, from, rows, row, status);
    }
    if constexpr (std::is_pointer_v<Pointer> && chains_on_host<R, T, lanes>() && keeps_lanes<R>()) {
      const std::int64_t ahead = rows.to_next(row, 1);
      for (; c + lanes <= rows.columns; c += lanes) {
        if (c * sizeof(T) % stream_line == 0) prefetch_line(from + c, ahead);
        reducer.chain_host(*reinterpret_cast<ChainValue(*)[lanes]>(chains + c), from + c, 1);
      }
    }
    for (; c < rows.columns; ++c) ChainOf::add(reducer, chains[c], from[c], at.position);
  }

  int width, copies;
  std::int64_t blocks;  // begun
  bool counts_omitted;
  Value* whole;
  alignas(64) ChainValue chains[columns];
  Value levels[level_count][columns];
  std::int64_t omitted[Fold::counts ? columns : 1];
};

}  // namespace tessera::detail

#endif
