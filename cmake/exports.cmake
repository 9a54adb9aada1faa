# Windows knows no hidden symbols: a DLL exports what its list of exports names, and without a list everything. The list
# is made from the headers, so that the objects stay the same in both libraries and programs that link the static one
# export nothing. The ABI is in the name of the DLL, because Windows has no other place for it.
set(exports "EXPORTS\n")
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.h)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX REPLACE "#[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "PODIUM_API [^(]*podium_[a-z_]+\\(" declarations "${text}")
  foreach(declaration ${declarations})
    string(REGEX REPLACE ".*[ *](podium_[a-z_]+)\\($" "  \\1\n" name "${declaration}")
    string(APPEND exports "${name}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/podium.def "${exports}")
target_sources(podium_shared PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/podium.def)
set_target_properties(podium_shared PROPERTIES RUNTIME_OUTPUT_NAME podium-${podium_abi})
