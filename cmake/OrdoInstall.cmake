# `cmake --install`, find_package(ordo), pkg-config, and packages by cpack. What is installed may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ordo EXPORT ordo-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ordo.h extend.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ordo)
install(DIRECTORY engine kernels autograd nn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ordo FILES_MATCHING
        PATTERN "*.h" PATTERN "*.def")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
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

file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/ordo.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@to_prefix@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: ordo
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -std=c++20 -I${includedir}
Libs: -L${libdir} -lordo
]])
install(FILES ${PROJECT_BINARY_DIR}/ordo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ DEB)
  set(CPACK_PACKAGE_VENDOR "The Ordo maintainers")
  set(CPACK_PACKAGE_CONTACT "The Ordo maintainers <ordo@localhost>")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)  # ordo show, ordo diff --html
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, python3-numpy")
  find_program(ORDO_SHLIBDEPS dpkg-shlibdeps)
  mark_as_advanced(ORDO_SHLIBDEPS)
  if(ORDO_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  endif()
  include(CPack)
endif()
