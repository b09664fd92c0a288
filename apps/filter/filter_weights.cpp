// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tessera/filter/named_weights.hpp>
#include <utility>

#include "common/dataset.hpp"
#include "common/failure.hpp"
#include "common/host_array.hpp"
#include "common/memory_limit.hpp"
#include "common/text.hpp"

namespace tessera::apps {
namespace {

void require_finite(const std::string& source, const std::vector<double>& weights) {
  if (weights.empty()) refuse(source + ": there are no weights");
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!std::isfinite(weights[k])) {
      refuse(fmt::format("{}: weight {} is {}; weights must be finite", source, k, format_number(weights[k])));
    }
  }
}

std::vector<double> listed_weights(const std::string& list) {
  std::vector<double> weights;
  for (const auto& text : split(list)) {
    const auto weight = parse_double(text);
    if (!weight) refuse(fmt::format("--weights: weight {}, `{}`, is not a number", weights.size(), text));
    weights.push_back(*weight);
  }
  require_finite("--weights", weights);
  return weights;
}

std::vector<double> stored_weights(const std::string& spec) {
  const Dataset dataset(spec);
  const std::string name = "--weights-from " + spec;
  if (dataset.is_complex()) {
    refuse(fmt::format("{}: holds {}; weights are real numbers", name, dataset.info().stored_type));
  }
  const Shape& shape = dataset.info().shape;
  if (shape.size() != 1) refuse(fmt::format("{}: weights must have rank 1, these have {}", name, shape.size()));
  require_host_memory(name, dataset.read_bytes() + shape[0] * sizeof(double));
  const HostArray array = dataset.read();
  std::vector<double> weights(shape[0]);
  visit_type(array.type, [&](const auto zero) {
    std::copy_n(array.buffer.as<std::decay_t<decltype(zero)>>(), weights.size(), weights.begin());
  });
  require_finite(name, weights);
  return weights;
}

double number(std::string_view what, const std::string& text) {
  const auto value = parse_double(text);
  if (!value) refuse(fmt::format("{}: `{}` is not a number", what, text));
  return *value;
}

/// Runs f; what the library refuses is refused in the name of the option.
template <class F>
auto for_option(const std::string& option, const F& f) {
  try {
    return f();
  } catch (const InvalidArgument& error) {
    refuse(option + ": " + error.what());
  }
}

/// Room for weights while they are made. Numbers of taps that cannot be are left to the library.
void require_room(const std::string& option, std::int64_t taps) {
  if (taps < 0 || taps > std::int64_t{1} << 31) return;
  require_host_memory(option, static_cast<std::uint64_t>(taps) * (sizeof(double) + 2 * sizeof(long double)));
}

std::vector<double> gaussian(const FilterSource& source) {
  const double sigma = number("--gaussian", source.gaussian);
  const std::int64_t order = source.order.empty() ? 0 : whole_number("--order", source.order);
  const double truncate = source.truncate.empty() ? 4.0 : number("--truncate", source.truncate);
  return for_option("--gaussian", [&] {
    require_room("--gaussian", 2 * gaussian_radius(sigma, truncate) + 1);
    return gaussian_weights(sigma, order, truncate);
  });
}

std::vector<double> binomial(const FilterSource& source) {
  const std::int64_t taps = whole_number("--binomial", source.binomial);
  require_room("--binomial", taps);
  return for_option("--binomial", [&] { return binomial_weights(taps); });
}

std::vector<double> savgol(const FilterSource& source) {
  const auto parts = split(source.savgol);
  if (parts.size() < 2 || parts.size() > 4) {
    refuse(fmt::format("--savgol: `{}` is not WINDOW,POLYNOMIAL[,DERIVATIVE[,DELTA]]", source.savgol));
  }
  const std::int64_t window = whole_number("--savgol: window", parts[0]);
  const std::int64_t polynomial = whole_number("--savgol: polynomial", parts[1]);
  const std::int64_t derivative = parts.size() > 2 ? whole_number("--savgol: derivative", parts[2]) : 0;
  const double delta = parts.size() > 3 ? number("--savgol: delta", parts[3]) : 1.0;
  require_room("--savgol", window);
  return for_option("--savgol", [&] { return savgol_weights(window, polynomial, derivative, delta); });
}

std::int64_t window(const std::string& option, const std::string& text) {
  const std::int64_t elements = whole_number(option, text);
  if (elements < 1) refuse(fmt::format("{}: a window of {} elements; it holds 1 or more", option, elements));
  return elements;
}

/// The option that is given. \throws Failure where none is, or several
std::string only_source(const FilterSource& source) {
  std::vector<std::string> options, given;
  for (const auto& [option, text] : {std::pair{"--weights", &source.weights},
                                     {"--weights-from", &source.weights_from},
                                     {"--gaussian", &source.gaussian},
                                     {"--binomial", &source.binomial},
                                     {"--savgol", &source.savgol},
                                     {"--box", &source.box},
                                     {"--min", &source.min},
                                     {"--max", &source.max},
                                     {"--median", &source.median}}) {
    options.emplace_back(option);
    if (!text->empty()) given.emplace_back(option);
  }
  if (given.empty()) refuse(fmt::format("one of {} is missing; see --help", join(options)));
  if (given.size() > 1) refuse(fmt::format("{} and {} cannot both be given", given[0], given[1]));
  for (const auto& [option, text] : {std::pair{"--order", &source.order}, {"--truncate", &source.truncate}}) {
    if (!text->empty() && source.gaussian.empty()) refuse(fmt::format("{} goes with --gaussian alone", option));
  }
  return given[0];
}

}  // namespace

ChosenFilter chosen_filter(const FilterSource& source) {
  const std::string option = only_source(source);
  if (option == "--weights") return {"", listed_weights(source.weights)};
  if (option == "--weights-from") return {"", stored_weights(source.weights_from)};
  if (option == "--gaussian") return {"gaussian", gaussian(source)};
  if (option == "--binomial") return {"binomial", binomial(source)};
  if (option == "--savgol") return {"savgol", savgol(source)};
  if (option == "--box") return {"box", {}, window(option, source.box)};
  if (option == "--min") return {"min", {}, window(option, source.min)};
  if (option == "--max") return {"max", {}, window(option, source.max)};
  return {"median", {}, window(option, source.median)};
}

std::int64_t whole_number(std::string_view what, const std::string& text) {
  const auto number = parse_int64(text);
  if (!number) refuse(fmt::format("{}: `{}` is not a whole number", what, text));
  return *number;
}

}  // namespace tessera::apps
