// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into everything that ThreadSanitizer watches. Kokkos orders its team barrier by relaxed atomics between
// fences, which ThreadSanitizer does not model, and waits in its own library, which is not instrumented: correct code
// would be reported. The linker's --wrap sends these calls here, where they order what the fences order.
#include <sanitizer/tsan_interface_atomic.h>

extern "C" {

int __real___tsan_atomic32_fetch_add(volatile int* address, int value, __tsan_memory_order order);
int __wrap___tsan_atomic32_fetch_add(volatile int* address, int value, __tsan_memory_order) {
  return __real___tsan_atomic32_fetch_add(address, value, __tsan_memory_order_acq_rel);
}

// What the compiler makes of adding nothing.
int __real___tsan_atomic32_load(const volatile int* address, __tsan_memory_order order);
int __wrap___tsan_atomic32_load(const volatile int* address, __tsan_memory_order) {
  return __real___tsan_atomic32_load(address, __tsan_memory_order_acquire);
}

// Kokkos::Impl::HostBarrier::impl_backoff_wait_until_equal
void __real__ZN6Kokkos4Impl11HostBarrier29impl_backoff_wait_until_equalEPiib(int* address, int value, bool active);
void __wrap__ZN6Kokkos4Impl11HostBarrier29impl_backoff_wait_until_equalEPiib(int* address, int value, bool active) {
  __real__ZN6Kokkos4Impl11HostBarrier29impl_backoff_wait_until_equalEPiib(address, value, active);
  __real___tsan_atomic32_load(address, __tsan_memory_order_acquire);
}
}
