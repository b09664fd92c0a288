# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The package that find_package(Tessera) reads. It needs Kokkos only, but for its component transform.
include(CMakePackageConfigHelpers)

set(tessera_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
install(TARGETS tessera EXPORT TesseraTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT tessera_development)
install(EXPORT TesseraTargets NAMESPACE tessera:: DESTINATION "${tessera_package_dir}" COMPONENT tessera_development)
install(TARGETS tessera_transform EXPORT TesseraTransformTargets COMPONENT tessera_development)
install(EXPORT TesseraTransformTargets NAMESPACE tessera:: DESTINATION "${tessera_package_dir}"
        COMPONENT tessera_development)
configure_package_config_file(cmake/TesseraConfig.cmake.in "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
                              INSTALL_DESTINATION "${tessera_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake" COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/TesseraConfig.cmake" "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
              cmake/FindFFTW3.cmake
        DESTINATION "${tessera_package_dir}" COMPONENT tessera_development)
