// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a window filter is mapped to teams: data.
#ifndef TESSERA_FILTER_WINDOW_PLAN_HPP
#define TESSERA_FILTER_WINDOW_PLAN_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

/// Strategy of a window filter; the window's size and the lines' place decide.
enum class WindowVariant {
  few,      ///< tile and halo in team scratch, windows of few elements in registers; short lines several at once
  lines,    ///< short lines that follow each other in team scratch, a thread each, windows of few elements in registers
  padded,   ///< several short lines in team scratch, each with its halos, a run of neighbouring outputs for a thread
  chunks,   ///< tile and halo in team scratch, windows of whole chunks and their ends (on hosts vectors, no scratch)
  runs,     ///< the same in longer pieces, each a thread's
  walks,    ///< the same by teams that walk along lines and keep in scratch what the next tile needs of the last
  blocks,   ///< blocks as long as the window, or parts of them: the end of one and the beginning of the next
  columns,  ///< lines across memory: neighbouring threads take neighbouring lines, short windows in registers, of
            ///< others blocks as above, which on devices a thread takes by itself if they are not too long
  interleaved,  ///< few lines across memory that fill it together: tiles of all of them in team scratch, a run of
                ///< neighbouring outputs of one for a thread
  direct        ///< no scratch: every element of every window from memory (means that leave out NaN)
};

constexpr std::string_view to_string(WindowVariant variant) {
  switch (variant) {
    case WindowVariant::few:
      return "few";
    case WindowVariant::lines:
      return "lines";
    case WindowVariant::padded:
      return "padded";
    case WindowVariant::chunks:
      return "chunks";
    case WindowVariant::runs:
      return "runs";
    case WindowVariant::walks:
      return "walks";
    case WindowVariant::blocks:
      return "blocks";
    case WindowVariant::columns:
      return "columns";
    case WindowVariant::interleaved:
      return "interleaved";
    case WindowVariant::direct:
      break;
  }
  return "direct";
}

struct WindowPlan {
  WindowVariant variant = WindowVariant::chunks;
  int league_size = 1;
  int team_size = 1;
  int vector_length = 1;
  int tile = 1;                     ///< outputs a team makes at a time
  int parts = 1;                    ///< of a block; more than 8 take a workspace and two more kernels
  int walk = 1;                     ///< tiles that a team takes, of walks, blocks and columns in a row
  int lanes = 1;                    ///< lines that a team takes at once, of columns and interleaved: neighbouring ones
  std::size_t scratch_bytes = 0;    ///< level 0, a team
  std::size_t workspace_bytes = 0;  ///< what the parts come to
  bool operator==(const WindowPlan&) const = default;
};

inline std::string to_string(const WindowPlan& plan) {
  return std::string(to_string(plan.variant)) + " league " + std::to_string(plan.league_size) + " team " +
         std::to_string(plan.team_size) + " vector " + std::to_string(plan.vector_length) + " tile " +
         std::to_string(plan.tile) + " parts " + std::to_string(plan.parts) + " walk " + std::to_string(plan.walk) +
         " lanes " + std::to_string(plan.lanes) + " scratch " + std::to_string(plan.scratch_bytes) + " B workspace " +
         std::to_string(plan.workspace_bytes) + " B";
}

}  // namespace tessera

#endif
