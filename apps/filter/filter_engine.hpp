// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's filters behind a header without Kokkos. Kokkos must have started.
#ifndef TESSERA_APPS_FILTER_FILTER_ENGINE_HPP
#define TESSERA_APPS_FILTER_FILTER_ENGINE_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/host_array.hpp"
#include "common/measurement.hpp"
#include "common/number_type.hpp"

namespace tessera::apps {

/// Names as --mode and --variant take them; modes for filters without weights.
[[nodiscard]] std::vector<std::string> boundary_mode_names();
[[nodiscard]] std::vector<std::string> window_mode_names();
[[nodiscard]] std::vector<std::string> filter_variant_names();

/// What is asked of a filter along one axis.
struct FilterRequest {
  std::string operation = "correlate";  // as the record names it
  std::vector<double> weights;          // finite; empty of box, min, max and median
  std::int64_t window = 0;              // elements, of these
  bool convolve = false;                // else correlate
  std::string mode_left = "reflect", mode_right = "reflect";
  Number cval = 0.0;  // of the input's type
  std::int64_t origin = 0;
  std::size_t axis = 0;  // that lines run along
  bool accumulate_double = false;
  std::optional<NumberType> output_type;  // in which the result is written
  std::string nan = "propagate";          // a NanPolicy
  std::int64_t iterate = 1;               // applications, one after the other, each to what the one before stored
  Number following_cval = cval;           // of the output's type: for those after the first

  [[nodiscard]] bool has_weights() const { return window == 0; }
  /// Whether outputs are elements of the input.
  [[nodiscard]] bool keeps_elements() const { return !has_weights() && operation != "box"; }
  [[nodiscard]] bool has_mode(const std::string& mode) const { return mode_left == mode || mode_right == mode; }
  /// Whether integer data is filtered exactly, in integers: scaled sums are not whole.
  [[nodiscard]] bool is_whole() const {
    const auto whole = [](double weight) { return weight == std::trunc(weight); };
    return std::all_of(weights.begin(), weights.end(), whole) && !has_mode("renormalise");
  }
  [[nodiscard]] std::int64_t taps() const { return has_weights() ? static_cast<std::int64_t>(weights.size()) : window; }
  /// Elements of an output's window before it and after it.
  [[nodiscard]] std::int64_t reach_left() const {
    return convolve ? taps() - 1 - taps() / 2 - origin : taps() / 2 + origin;
  }
  [[nodiscard]] std::int64_t reach_right() const { return taps() - 1 - reach_left(); }
  /// Whether complex elements count as a whole, not part by part: those with a NaN, and cval, which has no imaginary
  /// part.
  [[nodiscard]] bool joins_parts() const {
    return nan != "propagate" || (has_mode("constant") && std::get<double>(cval) != 0);
  }
  /// The first output of a line and how many there are: mode valid leaves out those whose window leaves the line.
  [[nodiscard]] std::int64_t first_output() const { return mode_left == "valid" ? reach_left() : 0; }
  [[nodiscard]] std::int64_t outputs(std::int64_t extent) const {
    return std::max<std::int64_t>(0, extent - first_output() - (mode_right == "valid" ? reach_right() : 0));
  }
};

/// The applications after the first.
[[nodiscard]] inline FilterRequest following_request(FilterRequest request) {
  request.cval = request.following_cval;
  return request;
}

/// Whether there are filters with weights from elements of In to elements of Out.
template <class In, class Out>
inline constexpr bool can_filter = std::is_floating_point_v<In>
                                       ? std::is_floating_point_v<Out> && sizeof(Out) >= sizeof(In)
                                       : sizeof(Out) == 8 && (sizeof(In) == 8 || !std::is_unsigned_v<Out>);

/// Whether there are filters without: means of integers are double, all else keeps its type.
template <class In, class Out>
inline constexpr bool can_window = std::is_same_v<In, Out> || (std::is_integral_v<In> && std::is_same_v<Out, double>);

/// An array as its lines along one axis lie: inner neighbours side by side, such slabs outer times.
struct LinesShape {
  std::uint64_t outer = 1, extent = 1, inner = 1;
  [[nodiscard]] std::uint64_t lines() const { return outer * inner; }
};
[[nodiscard]] inline LinesShape lines_shape(const Shape& shape, std::size_t axis) {
  LinesShape lines{1, shape[axis], 1};
  for (std::size_t d = 0; d < axis; ++d) lines.outer *= shape[d];
  for (std::size_t d = axis + 1; d < shape.size(); ++d) lines.inner *= shape[d];
  return lines;
}
/// The same of an array's numbers: the two parts of complex elements lie on lines of their own.
[[nodiscard]] inline LinesShape lines_shape(const HostArray& array, std::size_t axis) {
  LinesShape lines = lines_shape(array.shape, axis);
  if (array.is_complex) lines.inner *= 2;
  return lines;
}

/// Arrays of rank 1 or more, of one shape but for the output's extent along the lines.
struct FilterArrays {
  HostArray input;
  HostArray output;    // of a type that can_filter or can_window says of the input's; complex as the input is
  HostArray previous;  // of more than one application: what the last one reads; of the output's type
};

/// One input and its output on the space that computes.
class FilterEngine {
 public:
  virtual ~FilterEngine() = default;
  /// The variant that automatic stands for in the last application.
  [[nodiscard]] virtual std::string automatic_variant() const = 0;
  /// Times all applications; the output is then that of the last repeat. The plan is that of the last application. The
  /// measurement is not yet verified.
  [[nodiscard]] virtual Measurement measure(const RunOptions& options) const = 0;
  /// Whether a call makes several applications.
  [[nodiscard]] virtual bool joins_applications(const RunOptions& options) const = 0;
  /// All applications again, a call for each.
  virtual void apply_one_by_one(const RunOptions& options) const = 0;
  [[nodiscard]] virtual Transfer to_device() const = 0;
  /// Brings the output to the host.
  [[nodiscard]] virtual Transfer fetch_output() const = 0;
  /// Brings what the last of several applications read to the host.
  virtual void fetch_previous() const = 0;
};

/// arrays: must outlive the engine.
/// \throws Failure (no_resource) where the device has no room.
[[nodiscard]] std::unique_ptr<FilterEngine> make_filter_engine(FilterArrays& arrays, const FilterRequest& request,
                                                               const std::string& space);

}  // namespace tessera::apps

#endif
