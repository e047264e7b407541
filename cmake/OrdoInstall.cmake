# `cmake --install` and find_package(ordo).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ordo EXPORT ordo-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ordo.h extend.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ordo)
install(DIRECTORY engine kernels autograd nn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ordo FILES_MATCHING
        PATTERN "*.h" PATTERN "*.def")
install(EXPORT ordo-targets NAMESPACE ordo:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ordo)
file(WRITE ${PROJECT_BINARY_DIR}/ordo-config.cmake [[
include(${CMAKE_CURRENT_LIST_DIR}/ordo-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/OrdoCompiler.cmake)
ordo_check_compiler(ORDO_COMPILER_OPTIONS)
set_property(TARGET ordo::ordo APPEND PROPERTY
             INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${ORDO_COMPILER_OPTIONS}>")
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ordo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ordo-config.cmake ${PROJECT_BINARY_DIR}/ordo-config-version.cmake
        cmake/OrdoCompiler.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ordo)
