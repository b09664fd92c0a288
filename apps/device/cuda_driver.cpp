// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos calls three functions of CUDA's driver library, and so every program with it would need that library to start,
// on machines without a GPU too. Defined here, they find it when they are called; the linker then drops the library.
#include <Kokkos_Macros.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda.h>
#include <dlfcn.h>

namespace {

template <class Function>
Function* driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

#define TESSERA_STRINGIFY_EXPANDED(name) #name
#define TESSERA_STRINGIFY(name) TESSERA_STRINGIFY_EXPANDED(name)  // cuda.h maps some names to later versions
#define TESSERA_FORWARD(name, parameters, arguments)                                             \
  extern "C" __attribute__((visibility("hidden"))) CUresult CUDAAPI name parameters {            \
    static auto* const function = driver_function<CUresult parameters>(TESSERA_STRINGIFY(name)); \
    return function == nullptr ? CUDA_ERROR_NOT_FOUND : function arguments;                      \
  }

TESSERA_FORWARD(cuCtxGetDevice, (CUdevice * device), (device))
TESSERA_FORWARD(cuCtxPushCurrent, (CUcontext context), (context))
TESSERA_FORWARD(cuStreamGetCtx, (CUstream stream, CUcontext* context), (stream, context))
#endif
