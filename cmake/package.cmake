# What `make install` puts down for those who build with the library: the libraries, the public headers, and what pkg-config and
# find_package(podium) read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/podium)

# Two sets of targets, because only the static library needs OpenSSL to be found.
install(TARGETS podium_shared EXPORT podium_shared INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS podium_static EXPORT podium_static INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT podium_shared FILE podiumTargets.cmake NAMESPACE podium:: DESTINATION ${package})
install(EXPORT podium_static FILE podiumStaticTargets.cmake NAMESPACE podium:: DESTINATION ${package})
install(DIRECTORY include/ TYPE INCLUDE)

# Compatible are the versions that share the name of the shared library.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/podiumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/podiumConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/podiumConfig.cmake
                              INSTALL_DESTINATION ${package})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/podiumConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/podiumConfigVersion.cmake
        DESTINATION ${package})
configure_file(cmake/podium.pc.in podium.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/podium.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
