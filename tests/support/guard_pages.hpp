// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a host that ends with its elements: an access behind them, or before the page of the first one, ends the
// process.
#ifndef TESSERA_TESTS_SUPPORT_GUARD_PAGES_HPP
#define TESSERA_TESTS_SUPPORT_GUARD_PAGES_HPP

#include <sys/mman.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>

namespace tessera::test {

template <class T>
class GuardPages {
 public:
  explicit GuardPages(std::size_t count)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_((count * sizeof(T) + page_ - 1) / page_ * page_),
        memory_(mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
    std::byte* const begin = static_cast<std::byte*>(memory_) + page_;
    REQUIRE(mprotect(begin, bytes_, PROT_READ | PROT_WRITE) == 0);
    elements_ = reinterpret_cast<T*>(begin + bytes_) - count;
  }
  ~GuardPages() { munmap(memory_, bytes_ + 2 * page_); }
  GuardPages(const GuardPages&) = delete;
  GuardPages& operator=(const GuardPages&) = delete;

  [[nodiscard]] T* data() const { return elements_; }

 private:
  std::size_t page_, bytes_;
  void* memory_;
  T* elements_ = nullptr;
};

}  // namespace tessera::test

#endif
