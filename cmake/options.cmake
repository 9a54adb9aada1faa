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
