// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <tessera/filter/boundary.hpp>
#include <tessera/filter/filter_options.hpp>

#include "common/engine_errors.hpp"
#include "common/failure.hpp"
#include "device/device_array.hpp"
#include "device/enumerator.hpp"
#include "device/timing.hpp"
#include "filter_step.hpp"
#include "parts_step.hpp"

namespace tessera::apps {
namespace {

std::unique_ptr<FilterStep> real_step(const HostArray& input, const HostArray& output, const FilterRequest& request,
                                      const LinesShape& shape, const std::string& space) {
  return visit_type(input.type, [&](const auto in) {
    return visit_type(output.type, [&](const auto out) -> std::unique_ptr<FilterStep> {
      using In = std::decay_t<decltype(in)>;
      using Out = std::decay_t<decltype(out)>;
      if constexpr (can_window<In, Out>) {
        if (!request.has_weights()) return make_window_step<In, Out>(request, shape, space);
      }
      if constexpr (can_filter<In, Out>) {
        if (request.has_weights()) return make_filter_step<In, Out>(request, shape, space);
      }
      throw std::logic_error("no filter from " + to_string(input.type) + " to " + to_string(output.type));
    });
  });
}

std::unique_ptr<FilterStep> step_between(const HostArray& input, const HostArray& output, const FilterRequest& request,
                                         const std::string& space) {
  if (!input.is_complex || !splits_parts(request, input.shape)) {
    return real_step(input, output, request, lines_shape(input, request.axis), space);
  }
  const LinesShape shape = lines_shape(input.shape, request.axis);
  return make_parts_step(input.type, output.type, request, shape, space,
                         [&](const FilterRequest& of_part) { return real_step(input, output, of_part, shape, space); });
}

/// Applications go to and fro between the output and the array of the previous one; the input is only read.
template <class Space>
class SpaceFilterEngine final : public FilterEngine {
 public:
  SpaceFilterEngine(const Space& space, FilterArrays& arrays, const FilterRequest& request,
                    const std::string& space_name)
      : m_space(space),
        m_operation(request.operation),
        m_iterate(request.iterate),
        m_input_bytes(arrays.input.buffer.bytes()),
        m_output_bytes(arrays.output.buffer.bytes()),
        m_input(space, arrays.input.buffer.as<std::byte>(), m_input_bytes),
        m_output(space, arrays.output.buffer.as<std::byte>(), m_output_bytes),
        m_first(step_between(arrays.input, arrays.output, request, space_name)) {
    if (m_iterate > 1) {
      m_previous.emplace(space, arrays.previous.buffer.as<std::byte>(), m_output_bytes);
      m_following = step_between(arrays.previous, arrays.output, following_request(request), space_name);
    }
    m_to_device = m_input.to_device();
  }

  std::string automatic_variant() const override {
    return with_library_errors([&] { return last().automatic_variant(); });
  }

  Measurement measure(const RunOptions& options) const override {
    return with_library_errors([&] {
      Measurement measurement;
      measurement.seconds =
          time_repeats(m_space, options,
                       m_iterate > 1 ? applications(options, calls_of(options)) : first_into(m_output, options, 1));
      m_first->check();
      if (m_iterate > 1) check_following(options);
      last().describe(options, measurement);
      if (m_iterate > 1) {
        measurement.plan.emplace_back("iterate", m_iterate);
        measurement.plan.emplace_back("calls", calls_of(options).count());
      }
      measurement.operation = m_operation;
      measurement.bytes =
          m_input_bytes + m_output_bytes + static_cast<std::uint64_t>(m_iterate - 1) * 2 * m_output_bytes;
      measurement.bounded_by_copy = true;
      return measurement;
    });
  }

  bool joins_applications(const RunOptions& options) const override {
    return m_iterate > 1 && calls_of(options).count() < m_iterate;
  }
  void apply_one_by_one(const RunOptions& options) const override {
    with_library_errors([&] {
      applications(options, {1, 1, 0, m_iterate - 2})();
      m_space.fence("tessera-filter: applications one by one");
    });
  }
  Transfer to_device() const override { return m_to_device; }
  Transfer fetch_output() const override { return m_output.to_host(); }
  void fetch_previous() const override { (void)m_previous->to_host(); }

 private:
  using Bytes = DeviceArray<Space, std::byte>;

  const FilterStep& last() const { return m_iterate > 1 ? *m_following : *m_first; }

  std::function<void()> first_into(const Bytes& target, const RunOptions& options, int steps) const {
    return m_first->prepared(m_input.data(), target.data(), options, steps);
  }

  /// The status of all applications together has the lowest element of any; as a run of its own, the first that reads
  /// a NaN refuses its first one.
  void check_following(const RunOptions& options) const {
    try {
      return m_following->check();
    } catch (const InvalidArgument&) {  // found again below, by its application
    }
    const auto array = [&](std::int64_t application) -> const Bytes& {
      return (m_iterate - application) % 2 == 0 ? m_output : *m_previous;
    };
    first_into(array(1), options, 1)();
    for (std::int64_t application = 2; application <= m_iterate; ++application) {
      m_following->prepared(array(application - 1).data(), array(application).data(), options, 1)();
      try {
        m_following->check();
      } catch (const InvalidArgument& error) {
        refuse("application " + std::to_string(application) + ": " + error.what());
      }
    }
  }

  /// How the applications are made: some by the first call, which reads the input, then `full` calls of `most` each and
  /// one of `rest`, if there are any. The last one is by itself, for the verification: the other array then has what it
  /// read.
  struct Calls {
    int first, most, rest;
    std::int64_t full;
    [[nodiscard]] std::int64_t count() const { return 1 + full + (rest > 0 ? 1 : 0) + 1; }
  };

  Calls calls_of(const RunOptions& options) const {
    std::int64_t left = m_iterate - 1;
    Calls calls{static_cast<int>(std::min<std::int64_t>(left, m_first->most_steps(options))),
                m_following->most_steps(options), 0, 0};
    left -= calls.first;
    calls.full = left / calls.most;
    calls.rest = static_cast<int>(left % calls.most);
    return calls;
  }

  std::function<void()> applications(const RunOptions& options, const Calls& calls) const {
    // The last one writes the output, the one before it the other array, and so on back to the first.
    const auto into_output = [&](int steps) {
      return m_following->prepared(m_previous->data(), m_output.data(), options, steps);
    };
    const auto into_previous = [&](int steps) {
      return m_following->prepared(m_output.data(), m_previous->data(), options, steps);
    };
    return [calls, first = first_into(calls.count() % 2 != 0 ? m_output : *m_previous, options, calls.first),
            to = into_output(calls.most), fro = into_previous(calls.most),
            rest = into_previous(std::max(calls.rest, 1)), last = into_output(1)] {
      first();
      for (std::int64_t after = calls.count() - 2; after > calls.count() - 2 - calls.full; --after) {
        (after % 2 != 0 ? fro : to)();
      }
      if (calls.rest > 0) rest();
      last();
    };
  }

  Space m_space;
  std::string m_operation;
  std::int64_t m_iterate;
  std::uint64_t m_input_bytes, m_output_bytes;
  Bytes m_input, m_output;
  std::optional<Bytes> m_previous;
  std::unique_ptr<FilterStep> m_first, m_following;
  Transfer m_to_device;
};

}  // namespace

std::vector<std::string> boundary_mode_names() { return names_of(boundary_modes); }

std::vector<std::string> window_mode_names() { return names_of(element_modes); }

std::vector<std::string> filter_variant_names() { return names_of(filter_variants); }

std::unique_ptr<FilterEngine> make_filter_engine(FilterArrays& arrays, const FilterRequest& request,
                                                 const std::string& space) {
  return with_library_errors([&] {
    return visit_space(space, [&](const auto& instance) -> std::unique_ptr<FilterEngine> {
      using Engine = SpaceFilterEngine<std::decay_t<decltype(instance)>>;
      return std::make_unique<Engine>(instance, arrays, request, space);
    });
  });
}

}  // namespace tessera::apps
