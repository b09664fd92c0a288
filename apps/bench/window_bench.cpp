// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum, mean and median of a window that moves along one long line, mode reflect, and the minimum as a stencil.
#include <Kokkos_Core.hpp>
#include <tessera/filter/median_filter.hpp>
#include <tessera/filter/stencil.hpp>
#include <tessera/filter/window_filter.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "direct_line.hpp"

namespace tessera::apps::bench {
namespace {

/// The direct form, one output a thread, every load from memory.
template <class T>
struct DirectWindow {
  const T* in;
  std::int64_t count, window;

  template <class Visitor>
  KOKKOS_FUNCTION void visit(std::int64_t i, const Visitor& visitor) const {
    for (std::int64_t k = 0; k < window; ++k) visitor(in[reflected(i - window / 2 + k, count)]);
  }
  KOKKOS_FUNCTION T min(std::int64_t i) const {
    T least = Kokkos::Experimental::infinity_v<T>;
    visit(i, [&](T x) { least = x < least ? x : least; });
    return least;
  }
  /// The bench's data has sums that are exact in double.
  KOKKOS_FUNCTION T mean(std::int64_t i) const {
    double sum = 0;
    visit(i, [&](T x) { sum += static_cast<double>(x); });
    return static_cast<T>(sum / static_cast<double>(window));
  }
  template <WindowOperation Operation>
  KOKKOS_FUNCTION T output(std::int64_t i) const {
    return Operation == WindowOperation::min ? min(i) : mean(i);
  }
};

template <class T, WindowOperation Operation>
struct StoreWindows {
  DirectWindow<T> direct;
  T* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out[i] = direct.template output<Operation>(i); }
};

/// Every step-th output.
template <class T, WindowOperation Operation>
struct CountWrongWindows {
  DirectWindow<T> direct;
  const T* out;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += !(direct.template output<Operation>(i * step) == out[i * step]);
  }
};

template <class T>
struct CountWrongMedians {
  DirectWindow<T> direct;
  const T* out;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    Rank<T> rank{out[i * step]};
    direct.visit(i * step, [&](T x) { rank.see(x); });
    wrong += !rank.is_median(direct.window);
  }
};

/// What a user would write.
struct LeastOf {
  template <class T, int Radius>
  KOKKOS_FUNCTION T operator()(const StencilWindow<T, Radius>& window) const {
    T least = window[0];
    for (int k = -Radius; k <= Radius; ++k) least = window[k] < least ? window[k] : least;
    return least;
  }
};

template <class T>
struct CountChanged {
  const T *in, *out;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += !(in[i * step] == out[i * step]);
  }
};

/// What the direct form of an array may read: more would take minutes, so outputs are sampled, and a host leaves the
/// peer out.
constexpr std::int64_t direct_loads_max = std::int64_t{1} << 34;

template <class Space, class T>
class WindowCase {
 public:
  WindowCase(const Space& space, const Request& request)
      : m_space(space),
        m_count(static_cast<std::int64_t>(request.size())),
        m_window(request.taps),
        m_options{.league_size = request.league_size},
        m_in(make_elements<Space, T>(space, m_count)),
        m_out(make_output<Space, T>(space, m_count)) {
    m_case.bytes = 2 * request.size() * sizeof(T);
    m_case.bounded_by_copy = true;
    add_stopwatch(m_case, space);
    for_team_sizes(request, [&](int team_size, const std::string& suffix) {
      m_options.team_size = team_size;
      m_suffix = suffix;
      add_operation<WindowOperation::min>();
      add_operation<WindowOperation::box>();
      add_median();
      if (m_window == 3) add_stencil<1>();
      if (m_window == 5) add_stencil<2>();
      if (m_window == 9) add_stencil<4>();
    });
    add_peer<WindowOperation::min>();
    add_peer<WindowOperation::box>();
    Contender copy{"Kokkos::deep_copy", Role::context, {}, {}, {}, {}, {}};
    copy.task = "copy";
    add(
        copy, [space, in = m_in, out = m_out] { Kokkos::deep_copy(space, out, in); },
        CountChanged<T>{m_in.data(), m_out.data(), step()});
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  [[nodiscard]] DirectWindow<T> direct() const { return {m_in.data(), m_count, m_window}; }
  [[nodiscard]] std::int64_t step() const { return 1 + m_count * m_window / direct_loads_max; }

  template <class Run, class Counter>
  void add(Contender contender, Run run, const Counter& counter) {
    contender.run = run;
    contender.check = [space = m_space, out = m_out, run, counter,
                       range = Range<Space>(m_space, 0, (m_count - 1) / step() + 1)] {
      poison(space, out);
      run();
      return wrong_outputs(range, counter);
    };
    contender.bits = bits_of(m_space, m_out, m_count);
    m_case.contenders.push_back(std::move(contender));
  }

  /// planned(contender) sets its variant and plan, and gives what runs it.
  template <class Planned, class Counter>
  void add_tessera(const std::string& name, const std::string& task, const Planned& planned, const Counter& counter) {
    Contender contender{"tessera " + name + m_suffix, Role::tessera, "automatic", {}, {}, {}, {}};
    contender.task = task;
    try {
      const auto run = planned(contender);
      add(contender, run, counter);
    } catch (const Error& error) {
      contender.refusal = error.what();
      m_case.contenders.push_back(contender);
    }
  }

  template <WindowOperation Operation>
  void add_operation() {
    const std::string name(to_string(Operation));
    const CountWrongWindows<T, Operation> counter{direct(), m_out.data(), step()};
    add_tessera(
        name, name,
        [&](Contender& contender) {
          const WindowPlan plan = window_plan(m_space, m_in, Operation, m_window, m_options);
          set_plan(contender, plan);
          return [space = m_space, in = m_in, out = m_out, window = m_window, options = m_options,
                  workspace = Workspace<Space>(m_space, plan.workspace_bytes)] {
            if constexpr (Operation == WindowOperation::min) {
              min_filter(space, in, window, out, options, workspace);
            } else {
              box_filter(space, in, window, out, options, workspace);
            }
          };
        },
        counter);
  }

  template <WindowOperation Operation>
  void add_peer() {
    const std::string name(to_string(Operation));
    const CountWrongWindows<T, Operation> counter{direct(), m_out.data(), step()};
    Contender peer{"Kokkos::parallel_for " + name + ", direct", Role::peer, {}, {}, {}, {}, {}};
    peer.task = name;
    if (is_host && m_count * m_window > direct_loads_max) {
      peer.refusal = "it would take minutes";
      m_case.contenders.push_back(peer);
      return;
    }
    add(
        peer,
        [policy = Range<Space>(m_space, 0, m_count), in = m_in, direct = direct(), out = m_out] {
          Kokkos::parallel_for("tessera::bench::direct", policy, StoreWindows<T, Operation>{direct, out.data()});
        },
        counter);
  }

  static void set_plan(Contender& contender, const WindowPlan& plan) {
    contender.variant = to_string(plan.variant);
    contender.plan = {{"league_size", plan.league_size},
                      {"team_size", plan.team_size},
                      {"vector_length", plan.vector_length},
                      {"tile", plan.tile},
                      {"parts", plan.parts},
                      {"walk", plan.walk},
                      {"lanes", plan.lanes},
                      {"scratch_bytes", plan.scratch_bytes},
                      {"workspace_bytes", plan.workspace_bytes}};
  }

  void add_median() {
    add_tessera(
        "median", "median",
        [&](Contender& contender) {
          const MedianPlan plan = median_plan(m_space, m_in, m_window, m_options);
          contender.variant = to_string(plan.method);
          contender.plan = {{"league_size", plan.league_size},
                            {"team_size", plan.team_size},
                            {"vector_length", plan.vector_length},
                            {"tile", plan.tile},
                            {"runs", plan.runs},
                            {"scratch_bytes", plan.scratch_bytes}};
          return [space = m_space, in = m_in, out = m_out, window = m_window, options = m_options] {
            median_filter(space, in, window, out, options);
          };
        },
        CountWrongMedians<T>{direct(), m_out.data(), step()});
  }

  template <int Radius>
  void add_stencil() {
    add_tessera(
        "stencil, min", "min",
        [&](Contender& contender) {
          const StencilOptions<T> options{.league_size = m_options.league_size, .team_size = m_options.team_size};
          set_plan(contender, stencil_plan<Radius>(m_space, m_in, m_out, options));
          return [space = m_space, in = m_in, out = m_out, options] {
            stencil<Radius>(space, in, out, LeastOf{}, options);
          };
        },
        CountWrongWindows<T, WindowOperation::min>{direct(), m_out.data(), step()});
  }

  static constexpr bool is_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

  Space m_space;
  std::int64_t m_count, m_window;
  WindowOptions m_options;
  std::string m_suffix;  // of the names of one team size
  Kokkos::View<T*, Space> m_in, m_out;
  Case m_case;
};

}  // namespace

Operation window_operation() {
  return {
      "window",          {NumberType::float32, NumberType::float64}, {"automatic"}, 2, make_floating_case<WindowCase>,
      {3, 31, 301, 3001}};
}

}  // namespace tessera::apps::bench
