# podium_options: how Podium's own code is compiled and linked. Nothing of it reaches those who link the library.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

add_library(podium_options INTERFACE)
target_compile_options(podium_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
                       $<$<BOOL:${PODIUM_WERROR}>:-Werror>)

# gcc has notes, not warnings, for an ABI that it changed in version 11; nothing here passes such a struct on.
check_c_compiler_flag(-Wno-psabi PODIUM_HAS_NO_PSABI)
if(PODIUM_HAS_NO_PSABI)
  target_compile_options(podium_options INTERFACE -Wno-psabi)
endif()

# mingw-w64's isnan and its like name a conversion to float, which they never do for a double, and gcc blames the caller.
check_c_source_compiles("#include <math.h>
#pragma GCC diagnostic error \"-Wfloat-conversion\"
int is_nan(double x);
int is_nan(double x) { return isnan(x); }
int main(void) { return 0; }" PODIUM_ISNAN_IS_CLEAN)
if(NOT PODIUM_ISNAN_IS_CLEAN)
  target_compile_options(podium_options INTERFACE -Wno-float-conversion)
endif()
# Windows' own printf writes three digits of an exponent and knows neither %zu nor %lld; mingw-w64 has one of its own.
if(MINGW)
  target_compile_definitions(podium_options INTERFACE __USE_MINGW_ANSI_STDIO=1)
endif()

# 32-bit x86 computes in 80 bits unless SSE2 does it. The results would differ from every other machine's, so doubles.h
# does not allow that in the library, and here the program and the tests follow.
check_c_source_compiles("#include <float.h>
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1, \"\");
int main(void) { return 0; }" PODIUM_DOUBLES_ARE_DOUBLES)
if(NOT PODIUM_DOUBLES_ARE_DOUBLES)
  target_compile_options(podium_options INTERFACE -msse2 -mfpmath=sse)
endif()

if(PODIUM_HARDENED)
  include(cmake/hardening.cmake)
endif()
