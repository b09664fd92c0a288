// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <tuple>

#include "common/failure.hpp"
#include "common/text.hpp"

namespace tessera::apps::bench {
namespace {

auto key_of(const Task& task) {
  const Request& request = task.request;
  return std::make_tuple(task.operation, request.type, request.rows, request.columns, request.taps);
}

Request request_for(const Operation* operation, NumberType type, const SizeOption& size) {
  Request request;
  request.type = type;
  request.columns = size.rows * size.columns;
  if (operation != nullptr && operation->name == "transpose") {
    const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size.columns)));
    request.rows = size.is_matrix ? size.rows : side;
    request.columns = size.is_matrix ? size.columns : side;
  }
  return request;
}

class ListOfPart {
 public:
  ListOfPart(const Part& part, const std::vector<Task>& before) : m_part(part), m_before(before) {}

  void add_ceilings() {
    const std::vector<NumberType> all{NumberType::int8, NumberType::int32, NumberType::int64, NumberType::float32,
                                      NumberType::float64};
    for (const auto type : m_part.types.value_or(all)) {
      for (const auto& size : m_part.sizes) add({nullptr, request_for(nullptr, type, size)});
    }
  }

  void add_operation(const Operation& operation) {
    for (const auto type : m_part.types.value_or(operation.types)) {
      if (std::find(operation.types.begin(), operation.types.end(), type) == operation.types.end()) {
        std::vector<std::string> types;
        for (const auto known : operation.types) types.push_back(to_string(known));
        fmt::print(stderr, "tessera-bench: note: {} is measured in {}, not in {}\n", operation.name, join(types),
                   to_string(type));
        continue;
      }
      for (const auto& size : m_part.sizes) add_widths(operation, request_for(&operation, type, size));
    }
  }

  [[nodiscard]] const std::vector<Task>& get() const { return m_list; }

 private:
  void add_widths(const Operation& operation, Request request) {
    for (const auto& variant : m_part.variants) {
      const auto& known = operation.variants;
      if (std::find(known.begin(), known.end(), variant) != known.end()) request.variants.push_back(variant);
    }
    request.summations = m_part.summations;
    request.team_sizes = m_part.team_sizes;
    request.league_size = m_part.league_size;
    if (operation.taps.empty()) add({&operation, request});
    if (operation.taps.empty()) return;
    for (const auto taps : m_part.taps.empty() ? operation.taps : m_part.taps) {
      request.taps = taps;
      add({&operation, request});
    }
  }

  void add(const Task& task) {
    const auto is_same = [&](const Task& other) { return key_of(other) == key_of(task); };
    if (std::any_of(m_list.begin(), m_list.end(), is_same)) return;
    if (std::any_of(m_before.begin(), m_before.end(), is_same)) {
      const Request& request = task.request;
      refuse(fmt::format("{} measures {} {} of {}{} elements again; merge the parts", m_part.where,
                         task.operation == nullptr ? "ceiling" : task.operation->name, to_string(request.type),
                         request.rows == 1 ? "" : fmt::format("{}x", request.rows), request.columns));
    }
    m_list.push_back(task);
  }

  const Part& m_part;
  const std::vector<Task>& m_before;
  std::vector<Task> m_list;
};

/// About the time it takes, in bytes: contenders, and what each costs even on small arrays.
double weight_of(const Task& task) {
  const Request& request = task.request;
  const double bytes = static_cast<double>(request.size()) * static_cast<double>(size_of(request.type));
  const double peers = 4, start = 4e6;
  const double contenders = peers + static_cast<double>(request.variants.size() * request.team_sizes.size());
  return (task.operation == nullptr ? 1 : task.operation->cases) * contenders * (bytes + start);
}

}  // namespace

std::vector<Task> bench_list(const std::vector<Part>& parts, const std::vector<Operation>& operations) {
  std::vector<Task> all;
  for (const auto& part : parts) {
    const auto has = [&](const std::string& name) {
      return std::find(part.operations.begin(), part.operations.end(), name) != part.operations.end();
    };
    ListOfPart list(part, all);
    if (has("ceiling")) list.add_ceilings();
    for (const auto& operation : operations) {
      if (has(operation.name)) list.add_operation(operation);
    }
    all.insert(all.end(), list.get().begin(), list.get().end());
  }
  return all;
}

// The heaviest first, each to the shard that has least: R. L. Graham, "Bounds on multiprocessing timing anomalies"
// (1969).
std::vector<Task> shard_of(const std::vector<Task>& list, const Shard& shard) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight_of(list[a]) > weight_of(list[b]); });
  std::vector<double> loads(static_cast<std::size_t>(shard.count));
  std::vector<std::size_t> mine;
  for (const std::size_t task : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += weight_of(list[task]);
    if (least - loads.begin() == shard.index) mine.push_back(task);
  }
  std::sort(mine.begin(), mine.end());
  std::vector<Task> tasks;
  for (const std::size_t task : mine) tasks.push_back(list[task]);
  return tasks;
}

}  // namespace tessera::apps::bench
