// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes of row-major matrices, out of place.
#include <Kokkos_Core.hpp>
#include <span>
#include <string>
#include <tessera/transpose/transpose.hpp>
#include <tessera/transpose/transpose_in_place.hpp>

#include "bench_case.hpp"
#include "bench_data.hpp"
#include "device/transpose_fields.hpp"
#ifdef TESSERA_BENCH_HAS_CUBLAS
#include "cublas_peers.hpp"
#endif
#include "python_peer.hpp"

namespace tessera::apps::bench {
namespace {

template <class T>
struct CountMisplaced {
  const T* out;
  std::int64_t rows, columns;  // of the input
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const std::int64_t column = i / rows, row = i % rows;
    wrong += !(out[i] == element<T>(static_cast<std::uint64_t>(row * columns + column)));
  }
};

template <class Space, class T>
class TransposeCase {
 public:
  template <class Layout>
  using Matrix = Kokkos::View<T**, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  TransposeCase(const Space& space, const Request& request)
      : m_space(space),
        m_rows(static_cast<std::int64_t>(request.rows)),
        m_columns(static_cast<std::int64_t>(request.columns)),
        m_in(make_elements<Space, T>(space, m_rows * m_columns)),
        m_out(make_output<Space, T>(space, m_rows * m_columns)) {
    m_case.bytes = 2 * request.size() * sizeof(T);
    m_case.bounded_by_copy = true;
    add_stopwatch(m_case, space);
    for (const auto variant : transpose_variants) {
      for (const auto& wanted : request.variants) {
        if (wanted != to_string(variant)) continue;
        for_team_sizes(request, [&](int team_size, const std::string& suffix) {
          add_tessera({variant, request.league_size, team_size}, suffix);
        });
      }
    }
    if (!request.variants.empty()) add_in_place();
    add_deep_copy();
    if constexpr (detail::is_host_space<Space>) add_numpy(request.type);
#ifdef TESSERA_BENCH_HAS_CUBLAS
    if constexpr (std::is_same_v<Space, Kokkos::Cuda>) add_geam();
#endif
  }

  [[nodiscard]] const Case& get() const { return m_case; }

 private:
  template <class Run>
  void add(Contender contender, Run run) {
    contender.run = [run, in = m_in, out = m_out] { run(); };  // keeps the arrays
    contender.check = [misplaced = misplaced(), space = m_space, out = m_out, run = contender.run] {
      poison(space, out);
      run();
      return misplaced();
    };
    add_with_bits(std::move(contender));
  }
  void add_with_bits(Contender contender) {
    contender.bits = bits_of(m_space, m_out, m_rows * m_columns);
    m_case.contenders.push_back(std::move(contender));
  }

  /// Says how many elements of the output are wrong.
  [[nodiscard]] auto misplaced() const {
    return [space = m_space, out = m_out, rows = m_rows, columns = m_columns] {
      return wrong_outputs(Range<Space>(space, 0, rows * columns), CountMisplaced<T>{out.data(), rows, columns});
    };
  }

  void add_tessera(const TransposeOptions& options, const std::string& suffix) {
    Contender contender{"tessera " + std::string(to_string(options.variant)) + suffix,
                        Role::tessera,
                        std::string(to_string(options.variant)),
                        {},
                        {},
                        {},
                        {}};
    const Matrix<Kokkos::LayoutRight> in(m_in.data(), m_rows, m_columns), out(m_out.data(), m_columns, m_rows);
    try {
      const auto plan = transpose_plan<T>(m_space, m_rows, m_columns, options);
      contender.plan = plan_fields(plan);
      add(contender, [space = m_space, in, out, options] { tessera::transpose(space, in, out, options); });
    } catch (const Error& error) {
      contender.refusal = error.what();
      m_case.contenders.push_back(contender);
    }
  }
  /// Each run turns what the one before left, which is any matrix to it; the check turns the input.
  void add_in_place() {
    const auto plan = in_place_plan<T>(m_space, m_rows, m_columns);
    Contender contender{"tessera in place",
                        Role::tessera,
                        std::string(to_string(plan.variant)),
                        {{"league_size", plan.league_size},
                         {"team_size", plan.team_size},
                         {"passes", plan.passes},
                         {"bytes_moved", static_cast<std::int64_t>(plan.bytes_moved)},
                         {"scratch_bytes", plan.scratch_bytes},
                         {"workspace_bytes", plan.workspace_bytes}},
                        {},
                        {},
                        {}};
    contender.run = [space = m_space, out = m_out, rows = m_rows, columns = m_columns,
                     workspace = Workspace<Space>(m_space, plan.workspace_bytes)] {
      transpose_in_place(space, out, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), {}, workspace);
    };
    contender.check = [misplaced = misplaced(), space = m_space, in = m_in, out = m_out, run = contender.run] {
      Kokkos::deep_copy(space, out, in);
      run();
      return misplaced();
    };
    add_with_bits(std::move(contender));
  }
  void add_deep_copy() {
    const Matrix<Kokkos::LayoutRight> in(m_in.data(), m_rows, m_columns);
    const Matrix<Kokkos::LayoutLeft> out(m_out.data(), m_rows, m_columns);
    add({"Kokkos::deep_copy to LayoutLeft", Role::peer, {}, {}, {}, {}, {}},
        [space = m_space, in, out] { Kokkos::deep_copy(space, out, in); });
  }
  void add_numpy(NumberType type) {
    const auto size = static_cast<std::size_t>(m_rows * m_columns);
    const std::string rows = std::to_string(m_rows), columns = std::to_string(m_columns);
    add_with_bits(python_contender(
        "numpy transposed copy",
        {"numpy", "numpy.copyto(y.reshape(" + columns + ", " + rows + "), x.reshape(" + rows + ", " + columns + ").T)",
         type},
        std::as_bytes(std::span<const T>(m_in.data(), size)), std::as_writable_bytes(std::span<T>(m_out.data(), size)),
        misplaced()));
  }
#ifdef TESSERA_BENCH_HAS_CUBLAS
  void add_geam() {
    const auto cublas = std::make_shared<CublasPeers>(m_space.cuda_stream());
    add({"cuBLAS geam", Role::peer, {}, {}, {}, {}, {}},
        [cublas, in = m_in.data(), out = m_out.data(), rows = m_rows, columns = m_columns] {
          cublas->transpose(in, out, rows, columns);
        });
  }
#endif

  Space m_space;
  std::int64_t m_rows, m_columns;
  Kokkos::View<T*, Space> m_in, m_out;
  Case m_case;
};

}  // namespace

Operation transpose_operation() {
  Operation operation{
      "transpose", {NumberType::float32, NumberType::float64}, {}, 2, make_floating_case<TransposeCase>};
  for (const auto variant : transpose_variants) operation.variants.emplace_back(to_string(variant));
  return operation;
}

}  // namespace tessera::apps::bench
