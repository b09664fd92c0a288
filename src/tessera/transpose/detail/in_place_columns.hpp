// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Column shuffles and rotations of in-place transposes, on panels of neighbouring columns.
#ifndef TESSERA_TRANSPOSE_DETAIL_IN_PLACE_COLUMNS_HPP
#define TESSERA_TRANSPOSE_DETAIL_IN_PLACE_COLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/detail/packed.hpp>
#include <tessera/detail/scratch_layout.hpp>
#include <tessera/detail/tile_range.hpp>
#include <tessera/detail/tile_walk.hpp>
#include <tessera/transpose/detail/in_place_maps.hpp>
#include <tessera/transpose/detail/in_place_move.hpp>
#include <tessera/transpose/in_place_plan.hpp>

namespace tessera::detail {

/// Calls move(row, column) for a tile, by whole rows: on hosts.
template <TeamMember Member, class Move>
KOKKOS_FUNCTION void for_each_in_rows(const Member& team, int rows, int columns, const Move& move) {
  for (int i = team.team_rank(); i < rows; i += team.team_size()) {
    for (int l = 0; l < columns; ++l) move(i, l);
  }
}

/// What a thread of a device moves of a tile: one column, every groups-th row from `first` on, `count` of them.
struct ColumnShare {
  int lane, first, groups, count;
};

/// Of rows + more rows of columns, in a team whose threads take 2^lane_bits columns, and no more rows than these at a
/// time. What its size leaves over rests.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION ColumnShare column_share(const Member& team, int rows, int columns, int lane_bits,
                                                     int more = 0) {
  const int lane = team.team_rank() & ((1 << lane_bits) - 1), first = team.team_rank() >> lane_bits;
  const int groups = Kokkos::min(team.team_size() >> lane_bits, rows);
  const bool rests = lane >= columns || first >= groups;
  return {lane, first, groups, rests ? 0 : (rows + more - first - 1) / groups + 1};
}

/// Columns through the workspace. Neighbouring columns come from rows that differ by their shift, floor(j / run), so
/// that a row of the panel in the buffer holds column j of row + shift(j): it then moves as a whole.
template <ExecutionSpace Space, class T>
struct ColumnBatches {
  using value_type = T;
  using Batch = LineBatch<T>;
  static constexpr int ahead = in_place_ahead<Space>;

  T* data;
  std::int64_t m, n;
  ColumnShuffle shuffle;
  int tile_rows, lane_bits;  // tiles of 2^lane_bits columns

  [[nodiscard]] KOKKOS_FUNCTION int width() const { return 1 << lane_bits; }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t scratch_bytes() const {
    return column_tile_scratch_bytes(tile_rows, width(), sizeof(T));
  }
  /// Of so many lines.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles(std::int64_t lines) const {
    return divide(m + tile_rows - 1, tile_rows).quotient * ((lines + width() - 1) >> lane_bits);
  }

  /// Rows of the tile's columns in the matrix or the buffer: columns begin at data.
  struct Panel {
    T* data;
    std::int64_t pitch;
  };

  struct Tile {
    Panel matrix, buffer;
    std::int64_t row, column;  // the first ones, in the matrix
    int rows, columns;
  };

  [[nodiscard]] KOKKOS_FUNCTION Tile tile_of(const Batch& batch, std::int64_t tile) const {
    const QuotientRemainder split = divide(tile, (batch.lines + width() - 1) >> lane_bits);
    const std::int64_t row = split.quotient * tile_rows, lane = split.remainder * width();
    const std::int64_t column = batch.first + lane;
    return {{data + column, n},
            {batch.buffer + lane, batch.lines},
            row,
            column,
            static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, m - row)),
            static_cast<int>(Kokkos::min<std::int64_t>(width(), batch.lines - lane))};
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION void fetch(const Member& team, const Batch& batch, std::int64_t index, std::byte* scratch) const {
    const Tile tile = tile_of(batch, index);
    if (shuffle.is_inverse) {
      map_rows<true>(team, tile, 0, scratch);
    } else {
      const std::int64_t shift = shift_of(tile.column);
      skew<true>(team, tile, tile.matrix, tile.buffer, tile.row + shift - shift_of(batch.first), scratch);
    }
  }

  template <TeamMember Member>
  KOKKOS_FUNCTION void put_back(const Member& team, const Batch& batch, std::int64_t index, std::byte* scratch) const {
    const Tile tile = tile_of(batch, index);
    if (shuffle.is_inverse) {
      skew<false>(team, tile, tile.buffer, tile.matrix, tile.row - shift_of(tile.column + tile.columns - 1), scratch);
    } else {
      map_rows<false>(team, tile, modulo(shift_of(batch.first), m), scratch);
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t shift_of(std::int64_t column) const {
    return divide(column, shuffle.run).quotient;
  }

  /// Whole rows between the matrix and the buffer: row i of one is row (map(i) + offset) mod m of the other.
  template <bool ToBuffer, TeamMember Member>
  KOKKOS_FUNCTION void map_rows(const Member& team, const Tile& tile, std::int64_t offset, std::byte* scratch) const {
    ScratchLayout layout;
    layout.append<T>(static_cast<std::size_t>(tile_rows) << lane_bits);
    auto* places = reinterpret_cast<std::int64_t*>(scratch + layout.bytes());  // of rows in the buffer
    for (int i = team.team_rank(); i < tile.rows; i += team.team_size()) {
      const std::int64_t row = shuffle.map(tile.row + i) + offset;
      places[i] = (row >= m ? row - m : row) * tile.buffer.pitch;
    }
    team.team_barrier();
    T* matrix = tile.matrix.data + tile.row * tile.matrix.pitch;
    if constexpr (is_host_space<Space>) {
      return for_each_in_rows(team, tile.rows, tile.columns, [&](int i, int l) {
        T& of_buffer = tile.buffer.data[places[i] + l];
        T& of_matrix = matrix[i * tile.matrix.pitch + l];
        (ToBuffer ? of_buffer : of_matrix) = ToBuffer ? of_matrix : of_buffer;
      });
    }
    const ColumnShare share = column_share(team, tile.rows, tile.columns, lane_bits);
    T* buffer = tile.buffer.data + share.lane;
    matrix += share.first * tile.matrix.pitch + share.lane;
    places += share.first;
    const std::int64_t step = share.groups * tile.matrix.pitch;
    const auto next_of_matrix = [&] {
      T* element = matrix;
      matrix += step;
      return element;
    };
    const auto next_of_buffer = [&] {
      T* element = buffer + *places;
      places += share.groups;
      return element;
    };
    if constexpr (ToBuffer) {
      move_ahead<ahead, T>(
          share.count, [&] { return load_once(next_of_matrix()); }, [&](const T& value) { *next_of_buffer() = value; });
    } else {
      move_ahead<ahead, T>(
          share.count, [&] { return *next_of_buffer(); }, [&](const T& value) { store_once(next_of_matrix(), value); });
    }
  }

  /// Rows beyond the last are the first ones again.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t wrapped(std::int64_t row) const {
    while (row >= m) row -= m;
    return row;
  }

  /// Row tile.row + i, column l of the target comes from row (first + i + s(l)) mod m of the source, where s is the
  /// column's shift from the tile's first one, or with the inverse from its last one: rows of the source that together
  /// are a parallelogram, through scratch.
  template <bool ToBuffer, TeamMember Member>
  KOKKOS_FUNCTION void skew(const Member& team, const Tile& tile, const Panel& source, const Panel& target,
                            std::int64_t first, std::byte* scratch) const {
    auto* staged = reinterpret_cast<T*>(scratch);
    ScratchLayout layout;
    layout.append<T>(static_cast<std::size_t>(tile_rows) << lane_bits);
    auto* shifts = reinterpret_cast<std::int32_t*>(scratch + layout.bytes());
    const std::int64_t least = shift_of(tile.column), most = shift_of(tile.column + tile.columns - 1);
    for (int l = team.team_rank(); l < tile.columns; l += team.team_size()) {
      const std::int64_t shift = shift_of(tile.column + l);
      shifts[l] = static_cast<std::int32_t>(shuffle.is_inverse ? most - shift : shift - least);
    }
    team.team_barrier();
    first = modulo(first, m);
    if constexpr (is_host_space<Space>) {
      return for_each_in_rows(team, tile.rows, tile.columns, [&](int i, int l) {
        target.data[(tile.row + i) * target.pitch + l] = source.data[wrapped(first + i + shifts[l]) * source.pitch + l];
      });
    }
    load_parallelogram<ToBuffer>(team, tile, source, first, static_cast<int>(most - least), shifts, staged);
    team.team_barrier();
    const ColumnShare share = column_share(team, tile.rows, tile.columns, lane_bits);
    T* row = target.data + (tile.row + share.first) * target.pitch + share.lane;
    staged += team.team_rank();
    const std::int64_t step = share.groups * target.pitch;
    const int staged_step = share.groups << lane_bits;
    const auto load = [&] {
      const T value = *staged;
      staged += staged_step;
      return value;
    };
    const auto store = [&](const T& value) {
      if constexpr (ToBuffer) {
        *row = value;
      } else {
        store_once(row, value);
      }
      row += step;
    };
    move_ahead<ahead, T>(share.count, load, store);
  }

  template <bool FromMatrix, TeamMember Member>
  KOKKOS_FUNCTION void load_parallelogram(const Member& team, const Tile& tile, const Panel& source, std::int64_t first,
                                          int spread, const std::int32_t* shifts, T* staged) const {
    const ColumnShare share = column_share(team, tile.rows, tile.columns, lane_bits, spread);
    const int shift = share.count != 0 ? shifts[share.lane] : 0;
    int from = share.first - shift, to = from;  // the row in the tile
    const std::int64_t row = wrapped(first + share.first);
    const T* memory = source.data + row * source.pitch + share.lane;
    staged += share.lane;
    const std::int64_t step = share.groups * source.pitch, turn = m * source.pitch;
    constexpr std::int64_t far = 1 << 30;  // than a tile has rows
    const auto period = static_cast<int>(Kokkos::min(m, far));
    auto rows_left = static_cast<int>(Kokkos::min(m - row, far));
    const auto has_row = [&](int i) { return static_cast<unsigned>(i) < static_cast<unsigned>(tile.rows); };
    const auto load = [&] {
      T value{};
      if (has_row(from)) value = FromMatrix ? load_once(memory) : *memory;
      from += share.groups;
      memory += step;
      rows_left -= share.groups;
      if (rows_left <= 0) {
        memory -= turn;
        rows_left += period;
      }
      return value;
    };
    const auto store = [&](const T& value) {
      if (has_row(to)) staged[to << lane_bits] = value;
      to += share.groups;
    };
    move_ahead<ahead, T>(share.count, load, store);
  }
};

/// Whole columns of a panel in scratch, one panel a team.
template <ExecutionSpace Space, class T>
struct ColumnsInScratch {
  using policy_type = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<1024, 1>>;
  using member_type = typename policy_type::member_type;
  static constexpr int ahead = in_place_ahead<Space>;

  T* data;
  std::int32_t m;
  std::int64_t n;
  ColumnShuffle shuffle;
  int lane_bits;  // panels of 2^lane_bits columns

  struct Scratch {
    T* elements;           // m x 2^lane_bits
    std::int32_t* rows;    // the row map
    std::int32_t* shifts;  // of the panel's columns
  };

  KOKKOS_FUNCTION Scratch scratch_of(const member_type& team) const {
    const int width = 1 << lane_bits;
    std::byte* memory = team_scratch(team, column_scratch_bytes(m, width, sizeof(T)));
    ScratchLayout layout;
    const std::size_t elements = layout.append<std::byte>(static_cast<std::size_t>(m * width) * sizeof(T));
    const std::size_t rows = layout.append<std::int32_t>(static_cast<std::size_t>(m));
    const std::size_t shifts = layout.append<std::int32_t>(static_cast<std::size_t>(width));
    return {reinterpret_cast<T*>(memory + elements), reinterpret_cast<std::int32_t*>(memory + rows),
            reinterpret_cast<std::int32_t*>(memory + shifts)};
  }

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const Scratch scratch = scratch_of(team);
    for (int i = team.team_rank(); i < m; i += team.team_size()) {
      scratch.rows[i] = static_cast<std::int32_t>(shuffle.map(i));
    }
    const TileWalk walk = tile_walk(team, ceil_div(n, std::int64_t{1} << lane_bits));
    for (std::int64_t panel = walk.begin; panel < walk.end; panel += walk.step) {
      const std::int64_t column = panel << lane_bits;
      const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(1 << lane_bits, n - column));
      for (int l = team.team_rank(); l < columns; l += team.team_size()) {
        scratch.shifts[l] = static_cast<std::int32_t>(modulo(divide(column + l, shuffle.run).quotient, m));
      }
      team.team_barrier();
      move<true>(team, data + column, columns, scratch);
      team.team_barrier();
      move<false>(team, data + column, columns, scratch);
      if (panel + walk.step < walk.end) team.team_barrier();  // scratch is staged anew
    }
  }

  /// The shuffle gathers from scratch, its inverse scatters to it.
  template <bool ToScratch>
  KOKKOS_FUNCTION void move(const member_type& team, T* panel, int columns, const Scratch& scratch) const {
    const auto place = [&](int i, int shift) {  // of row i in scratch
      if (ToScratch != shuffle.is_inverse) return i;
      const int row = scratch.rows[i] + shift;
      return row >= m ? row - m : row;
    };
    if constexpr (is_host_space<Space>) {
      return for_each_in_rows(team, m, columns, [&](int i, int l) {
        T& staged = scratch.elements[place(i, scratch.shifts[l]) << lane_bits | l];
        T& element = panel[i * n + l];
        (ToScratch ? staged : element) = ToScratch ? element : staged;
      });
    }
    const ColumnShare share = column_share(team, m, columns, lane_bits);
    const int shift = share.count != 0 ? scratch.shifts[share.lane] : 0;
    int row = share.first;
    T* memory = panel + row * n + share.lane;
    const std::int64_t step = share.groups * n;
    const auto of_matrix = [&]() -> T& {
      T& element = *memory;
      memory += step;
      return element;
    };
    const auto of_scratch = [&]() -> T& {
      T& element = scratch.elements[place(row, shift) << lane_bits | share.lane];
      row += share.groups;
      return element;
    };
    if constexpr (ToScratch) {
      move_ahead<ahead, T>(share.count, of_matrix, [&](const T& value) { of_scratch() = value; });
    } else {
      move_ahead<ahead, T>(share.count, of_scratch, [&](const T& value) { of_matrix() = value; });
    }
  }
};

template <ExecutionSpace Space, class T>
void launch_columns(const Space& space, const InPlacePlan& plan, const InPlaceShape& shape,
                    const ColumnShuffle& shuffle, T* data, std::byte* workspace, int asked_team_size) {
  const std::string label = "tessera::transpose_in_place::columns";
  const int lane_bits = std::countr_zero(static_cast<unsigned>(plan.tile_columns));
  if (plan.columns.memory == LineMemory::workspace) {
    const ColumnBatches<Space, T> pass{data, shape.m, shape.n, shuffle, plan.tile_rows, lane_bits};
    return launch_batches(label, space, plan, plan.team_size, plan.columns, pass, shape.n, shape.m, workspace,
                          asked_team_size);
  }
  const ColumnsInScratch<Space, T> functor{data, static_cast<std::int32_t>(shape.m), shape.n, shuffle, lane_bits};
  launch_pass(label, space, plan, plan.team_size, ceil_div(shape.n, plan.tile_columns),
              column_scratch_bytes(shape.m, plan.tile_columns, sizeof(T)), functor, asked_team_size);
}

}  // namespace tessera::detail

#endif
