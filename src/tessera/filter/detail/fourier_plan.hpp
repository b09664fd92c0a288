// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of complex Fourier transforms in double precision: cuFFT on CUDA, FFTW 3 on hosts, where the target
// tessera::transform has found them.
#ifndef TESSERA_FILTER_DETAIL_FOURIER_PLAN_HPP
#define TESSERA_FILTER_DETAIL_FOURIER_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tessera/concepts.hpp>
#include <tessera/detail/device_limits.hpp>
#include <tessera/error.hpp>
#include <type_traits>

#if defined(TESSERA_HAS_CUFFT) && defined(KOKKOS_ENABLE_CUDA)
#include <cufft.h>
#endif
#ifdef TESSERA_HAS_FFTW
#include <fftw3.h>
#endif

namespace tessera::detail {

using Complex = Kokkos::complex<double>;

/// Neither without scale: both ways together multiply by the length.
enum class FourierDirection { forward, backward };

inline void require_fourier(bool fine, const std::string& actual) {
  TESSERA_REQUIRE_RESOURCE(fine, "tessera::FilterTransform", "options", actual, "a plan of the transforms that runs",
                           "lower memory_bytes or block");
}

/// Where no library is at hand.
struct NoFourierPlan {};

#if defined(TESSERA_HAS_CUFFT) && defined(KOKKOS_ENABLE_CUDA)
class CufftPlan {
 public:
  /// Transforms of `length` elements, `batch` at a time; allocates.
  CufftPlan(const Kokkos::Cuda& space, std::int64_t length, std::int64_t batch) {
    require_cufft(cufftCreate(&m_plan), "cufftCreate");
    try {
      // The work area is ours: the plan allocates nothing, then or later.
      require_cufft(cufftSetAutoAllocation(m_plan, 0), "cufftSetAutoAllocation");
      require_cufft(cufftSetStream(m_plan, space.cuda_stream()), "cufftSetStream");
      std::size_t bytes = 0;
      require_cufft(cufftMakePlan1d(m_plan, static_cast<int>(length), CUFFT_Z2Z, static_cast<int>(batch), &bytes),
                    "cufftMakePlan1d of " + std::to_string(batch) + " times " + std::to_string(length) + " elements");
      m_work = Kokkos::View<std::byte*, Kokkos::CudaSpace>(
          Kokkos::view_alloc(space, "tessera::filter::transform::work", Kokkos::WithoutInitializing), bytes);
      require_cufft(cufftSetWorkArea(m_plan, m_work.data()), "cufftSetWorkArea");
    } catch (...) {
      (void)cufftDestroy(m_plan);
      throw;
    }
  }
  ~CufftPlan() { (void)cufftDestroy(m_plan); }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  /// The whole batch, in place.
  void run(const Kokkos::Cuda& space, FourierDirection direction, Complex* blocks, std::int64_t /*count*/) const {
    require_cufft(cufftSetStream(m_plan, space.cuda_stream()), "cufftSetStream");
    auto* data = reinterpret_cast<cufftDoubleComplex*>(blocks);
    require_cufft(
        cufftExecZ2Z(m_plan, data, data, direction == FourierDirection::forward ? CUFFT_FORWARD : CUFFT_INVERSE),
        "cufftExecZ2Z");
  }

 private:
  static void require_cufft(cufftResult status, const std::string& call) {
    require_fourier(status == CUFFT_SUCCESS, call + " gave status " + std::to_string(static_cast<int>(status)));
  }

  cufftHandle m_plan{};
  Kokkos::View<std::byte*, Kokkos::CudaSpace> m_work;
};
#endif

#ifdef TESSERA_HAS_FFTW
/// One plan for every block: any thread may execute it.
class FftwPlan {
 public:
  /// blocks: of `length` elements each; only where they lie matters.
  FftwPlan(std::int64_t length, Complex* blocks) : m_length(length) {
    auto* data = reinterpret_cast<fftw_complex*>(blocks);
    const std::lock_guard lock(planner());
    for (const FourierDirection direction : {FourierDirection::forward, FourierDirection::backward}) {
      const bool forward = direction == FourierDirection::forward;
      // Measuring would choose other transforms, and other bits, from run to run.
      (forward ? m_forward : m_backward) =
          fftw_plan_dft_1d(static_cast<int>(length), data, data, forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
    }
    if (m_forward == nullptr || m_backward == nullptr) destroy();
    require_fourier(m_forward != nullptr && m_backward != nullptr,
                    "fftw_plan_dft_1d has no plan for " + std::to_string(length) + " elements");
  }
  ~FftwPlan() {
    const std::lock_guard lock(planner());
    destroy();
  }
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  /// The first `count` blocks, in place, one a thread.
  template <ExecutionSpace Space>
  void run(const Space& space, FourierDirection direction, Complex* blocks, std::int64_t count) const {
    const Blocks functor{direction == FourierDirection::forward ? m_forward : m_backward, blocks, m_length};
    const Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>> policy(
        space, 0, count, Kokkos::ChunkSize(1));
    Kokkos::parallel_for("tessera::filter::transform::fftw", policy, functor);
  }

 private:
  struct Blocks {
    fftw_plan plan;
    Complex* blocks;
    std::int64_t length;
    void operator()(std::int64_t block) const {
      auto* data = reinterpret_cast<fftw_complex*>(blocks + block * length);
      fftw_execute_dft(plan, data, data);
    }
  };

  /// Only fftw_execute may run in several threads.
  static std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
  }
  void destroy() {
    if (m_forward != nullptr) fftw_destroy_plan(m_forward);
    if (m_backward != nullptr) fftw_destroy_plan(m_backward);
    m_forward = m_backward = nullptr;
  }

  std::int64_t m_length;
  fftw_plan m_forward = nullptr, m_backward = nullptr;
};
#endif

template <ExecutionSpace Space>
struct FourierPlanOf {
#ifdef TESSERA_HAS_FFTW
  using type = std::conditional_t<is_host_space<Space>, FftwPlan, NoFourierPlan>;
#else
  using type = NoFourierPlan;
#endif
};
#if defined(TESSERA_HAS_CUFFT) && defined(KOKKOS_ENABLE_CUDA)
template <>
struct FourierPlanOf<Kokkos::Cuda> {
  using type = CufftPlan;
};
#endif
template <ExecutionSpace Space>
using FourierPlan = typename FourierPlanOf<Space>::type;

template <ExecutionSpace Space>
std::shared_ptr<const FourierPlan<Space>> make_fourier_plan([[maybe_unused]] const Space& space, std::int64_t length,
                                                            [[maybe_unused]] std::int64_t batch,
                                                            [[maybe_unused]] Complex* blocks) {
  if constexpr (is_host_space<Space>) {
    return std::make_shared<const FourierPlan<Space>>(length, blocks);
  } else {
    return std::make_shared<const FourierPlan<Space>>(space, length, batch);
  }
}

}  // namespace tessera::detail

#endif
