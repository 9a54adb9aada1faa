# To build for 64-bit Windows on another machine, with mingw-w64's gcc (Debian: gcc-mingw-w64-x86-64):
#
#   cmake -S . -B build/windows --toolchain cmake/mingw-w64.cmake -DPODIUM_WITH_OPENSSL=OFF
#
# Tests then run by wine, unless CMAKE_CROSSCOMPILING_EMULATOR names something else.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(podium_wine NAMES wine wine64)
if(podium_wine)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${podium_wine})
endif()
