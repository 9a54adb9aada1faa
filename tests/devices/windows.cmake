# The unit tests that can run on Windows, with a stand-in for Check, which Debian does not have for mingw-w64. Left out:
#   minimax, threshold, wide      their references are MPFR and GMP, which Debian does not have for mingw-w64 either
#   random                        forks, and replaces functions of POSIX; random_none and privatize run
#   output                        permissions of POSIX
#   stack, wipe_*                 change stacks with ucontext
set(tests ${CMAKE_CURRENT_SOURCE_DIR})
find_package(Threads REQUIRED)

function(podium_windows_test label name)
  cmake_parse_arguments(test "" "" "SOURCES;LIBRARIES;DEFINITIONS;OPTIONS" ${ARGN})
  set(target ${label}_${name})
  add_executable(${target} ${label}/${name}.c ${test_SOURCES})
  target_include_directories(${target} PRIVATE devices/stub . ../src ../include ../cli ../adapters/common)
  target_compile_definitions(${target} PRIVATE TEST_DATA="${tests}/data" TEST_STRIDE=3 ${test_DEFINITIONS})
  target_compile_options(${target} PRIVATE ${test_OPTIONS})
  target_link_libraries(${target} PRIVATE podium_static Threads::Threads m)
  target_link_options(${target} PRIVATE -static)
  add_test(NAME ${label}/${name} COMMAND ${target})
  set_tests_properties(${label}/${name} PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

foreach(name shape collection mass draw vector privatize aggregate plausible estimate distribution summary difference
        shuffle promise information bounds interval band plan_shape)
  podium_windows_test(unit ${name})
endforeach()
podium_windows_test(unit place OPTIONS -frounding-math)
podium_windows_test(unit spec DEFINITIONS TEST_LOCALES="")
podium_windows_test(unit text DEFINITIONS TEST_LOCALES="")
podium_windows_test(unit sql_spec SOURCES ../adapters/common/spec.c DEFINITIONS SQL_MESSAGE_MAX=100 TEST_LOCALES="")
podium_windows_test(unit siphash SOURCES ../cli/table/siphash.c)
podium_windows_test(unit template SOURCES ../cli/commands/paper/template.c)
podium_windows_test(unit number SOURCES ../cli/table/number.c DEFINITIONS NUMBER_STRINGS=2)
podium_windows_test(unit random_none SOURCES ../src/device/random.c ../src/device/random_none.c
                    DEFINITIONS PODIUM_RANDOM=PODIUM_RANDOM_NONE)

add_executable(gnuplot devices/gnuplot.c)

# The DLL, as another program uses it: it is beside the program, where Windows looks for it
add_executable(dll_quickstart ../examples/quickstart.c)
target_link_libraries(dll_quickstart PRIVATE podium_shared)
set_target_properties(dll_quickstart PROPERTIES RUNTIME_OUTPUT_DIRECTORY $<TARGET_FILE_DIR:podium_shared>)
add_test(NAME example/dll COMMAND dll_quickstart)
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME example/${name} COMMAND example_${name})
endforeach()
