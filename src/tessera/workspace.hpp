// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that calls reuse, so that they allocate nothing.
#ifndef TESSERA_WORKSPACE_HPP
#define TESSERA_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/concepts.hpp>
#include <tessera/error.hpp>
#include <tessera/status.hpp>

namespace tessera {

/// Memory for partial results, the ticket by which teams agree who is last, what a kernel says of outputs that it left
/// to the next one, and the status word.
///
/// Calls that share a workspace must be ordered: one instance, or a fence between. Copies share the memory.
template <ExecutionSpace Space>
class Workspace {
 public:
  /// \param[in] bytes  room for partial results: a plan's workspace_bytes. \throws ResourceError without memory.
  /// Fences the instance.
  Workspace(const Space& space, std::size_t bytes) : m_bytes(bytes) {
    try {
      m_memory =
          Memory(Kokkos::view_alloc(space, "tessera::workspace", Kokkos::WithoutInitializing), header_bytes + bytes);
    } catch (const std::exception&) {
      throw ResourceError(detail::error_text("tessera::Workspace", "bytes", std::to_string(bytes) + " bytes",
                                             "what the memory space has free", "free memory or use a smaller league"));
    }
    const Header header;
    Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> source(
        reinterpret_cast<const std::byte*>(&header), sizeof(Header));
    Kokkos::deep_copy(space, Kokkos::subview(m_memory, std::pair<std::size_t, std::size_t>(0, sizeof(Header))), source);
    space.fence("tessera::workspace::initialised");
  }

  /// Room for partial results.
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }

  [[nodiscard]] void* partials() const { return m_memory.data() + header_bytes; }
  [[nodiscard]] std::uint64_t* status_word() const { return &header()->status; }
  [[nodiscard]] std::uint32_t* ticket() const { return &header()->ticket; }
  [[nodiscard]] std::uint32_t* left() const { return &header()->left; }

 private:
  struct Header {
    std::uint64_t status = Status::good;
    std::uint32_t ticket = 0;
    std::uint32_t left = 0;
  };
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;
  static constexpr std::size_t header_bytes = 256;

  [[nodiscard]] Header* header() const { return reinterpret_cast<Header*>(m_memory.data()); }

  Memory m_memory;
  std::size_t m_bytes;
};

/// Fences the instance, and throws what the data spoiled in earlier calls on this workspace; the status is then good
/// again. \throws InvalidArgument
template <ExecutionSpace Space>
void check(const Space& space, const Workspace<Space>& workspace) {
  using Word = Kokkos::View<std::uint64_t, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Word word(workspace.status_word());
  std::uint64_t status = Status::good;
  Kokkos::deep_copy(space, status, word);
  space.fence("tessera::check");
  if (status == Status::good) return;
  Kokkos::deep_copy(space, word, Status::good);
  space.fence("tessera::check");
  const std::string index = std::to_string(status >> 8);
  switch (static_cast<StatusKind>(status & 0xff)) {
    case StatusKind::integer_overflow:
      throw InvalidArgument(detail::error_text(
          "tessera::reduce", "in", "the exact integer result does not fit 64 bits (output " + index + ")",
          "a result of int64 (uint64 for unsigned elements)", "reduce in floating point, or fewer elements"));
    case StatusKind::nan_found:
      throw InvalidArgument(detail::error_text("tessera::reduce", "in", "element " + index + " is NaN",
                                               "no NaN, as NanPolicy::error asks", "omit or propagate NaN"));
    case StatusKind::nan_filtered:
      throw InvalidArgument(detail::error_text("tessera::filter", "in", "element " + index + " is NaN",
                                               "no NaN, as NanPolicy::error asks", "omit or propagate NaN"));
    case StatusKind::nothing_left:
      break;
  }
  throw InvalidArgument(detail::error_text("tessera::reduce", "in", "too few elements are left for output " + index,
                                           "more elements that are not NaN than the operation needs",
                                           "propagate NaN, or give more elements"));
}

}  // namespace tessera

#endif
