// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parts_step.hpp"

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "device/spaces.hpp"

namespace tessera::apps {
namespace {

/// Elements, whose parts alternate, into real parts and, behind them, imaginary ones. An element is NaN if a part is.
template <class In>
struct SplitParts {
  const In* elements;
  In* parts;
  std::int64_t count;
  bool joins_nan;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const In re = elements[2 * i], im = elements[2 * i + 1];
    parts[i] = joins_nan && im != im ? im : re;
    parts[count + i] = joins_nan && re != re ? re : im;
  }
};

/// Back again, but for outputs that copy an element of the input: those have both its parts, even where one is NaN.
template <class In, class Out>
struct JoinParts {
  const In* copied;
  const Out* parts;
  Out* elements;
  std::int64_t count, extent, outputs, inner;
  std::int64_t first_output, copied_before, copied_from;  // along a line of the input

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t slab = i / inner / outputs, along = i / inner % outputs + first_output;
    if (along < copied_before || along >= copied_from) {
      const In* element = copied + 2 * ((slab * extent + along) * inner + i % inner);
      elements[2 * i] = element[0];
      elements[2 * i + 1] = element[1];
    } else {
      elements[2 * i] = parts[i];
      elements[2 * i + 1] = parts[count + i];
    }
  }
};

FilterRequest imaginary(FilterRequest request) {
  const bool is_nan = request.nan != "propagate" && std::isnan(std::get<double>(request.cval));
  if (!is_nan) request.cval = 0.0;
  return request;
}

template <class Space, class In, class Out>
class PartsStep final : public FilterStep {
 public:
  PartsStep(const Space& space, const FilterRequest& request, const LinesShape& shape, const MakePartStep& make)
      : m_space(space), m_real(make(request)), m_imaginary(make(imaginary(request))) {
    const auto extent = static_cast<std::int64_t>(shape.extent);
    m_joins_nan = request.nan != "propagate";
    m_join.extent = extent;
    m_join.outputs = request.outputs(extent);
    m_join.inner = static_cast<std::int64_t>(shape.inner);
    m_join.first_output = request.first_output();
    m_join.copied_before = request.mode_left == "keep" ? request.reach_left() : 0;
    m_join.copied_from = extent - (request.mode_right == "keep" ? request.reach_right() : 0);
    const auto lines = static_cast<std::int64_t>(shape.lines());
    m_count = lines * extent;
    m_join.count = lines * m_join.outputs;
    m_in = parts<In>(m_count);
    m_out = parts<Out>(m_join.count);
  }

  std::string automatic_variant() const override { return m_real->automatic_variant(); }

  int most_steps(const RunOptions& options) const override { return m_real->most_steps(options); }

  std::function<void()> prepared(const void* in, void* out, const RunOptions& options, int steps) const override {
    const SplitParts<In> split{static_cast<const In*>(in), m_in.data(), m_count, m_joins_nan};
    JoinParts<In, Out> join = m_join;
    join.copied = split.elements;
    join.parts = m_out.data();
    join.elements = static_cast<Out*>(out);
    return [this, split, join, real = m_real->prepared(m_in.data(), m_out.data(), options, steps),
            imaginary = m_imaginary->prepared(m_in.data() + split.count, m_out.data() + join.count, options, steps)] {
      Kokkos::parallel_for("tessera::apps::parts::split", Range(m_space, 0, split.count), split);
      real();
      imaginary();
      Kokkos::parallel_for("tessera::apps::parts::join", Range(m_space, 0, join.count), join);
    };
  }

  void check() const override {
    m_real->check();
    m_imaginary->check();
  }

  void describe(const RunOptions& options, Measurement& measurement) const override {
    m_real->describe(options, measurement);
  }

 private:
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  template <class T>
  using Parts = Kokkos::View<T*, typename Space::memory_space>;

  template <class T>
  Parts<T> parts(std::int64_t count) const {
    return Parts<T>(Kokkos::view_alloc(m_space, "tessera::apps::parts", Kokkos::WithoutInitializing), 2 * count);
  }

  Space m_space;
  std::unique_ptr<FilterStep> m_real, m_imaginary;
  bool m_joins_nan = false;
  std::int64_t m_count = 0;
  JoinParts<In, Out> m_join{};
  Parts<In> m_in;
  Parts<Out> m_out;
};

}  // namespace

std::unique_ptr<FilterStep> make_parts_step(ElementType in, ElementType out, const FilterRequest& request,
                                            const LinesShape& shape, const std::string& space,
                                            const MakePartStep& make) {
  return visit_space(space, [&](const auto& instance) -> std::unique_ptr<FilterStep> {
    using Space = std::decay_t<decltype(instance)>;
    if (in == ElementType::float64) {
      return std::make_unique<PartsStep<Space, double, double>>(instance, request, shape, make);
    }
    if (out == ElementType::float64) {
      return std::make_unique<PartsStep<Space, float, double>>(instance, request, shape, make);
    }
    return std::make_unique<PartsStep<Space, float, float>>(instance, request, shape, make);
  });
}

}  // namespace tessera::apps
