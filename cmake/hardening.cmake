# Adds to podium_options: stack protectors, libc's checked functions, read-only relocations. Sets podium_hardened_link to
# the library that has what these call, if it is not libc.
include(CheckLinkerFlag)

check_c_compiler_flag(-fstack-protector-strong PODIUM_HAS_STACK_PROTECTOR)
if(PODIUM_HAS_STACK_PROTECTOR)
  target_compile_options(podium_options INTERFACE -fstack-protector-strong)
  # To privatise one value takes a thousand instructions. In these files only functions with arrays of bytes are
  # protected: with all the others it would take 2% longer.
  file(GLOB few_instructions src/device/privatize.c src/device/random*.c src/device/wipe*.c)
  set_source_files_properties(${few_instructions} PROPERTIES COMPILE_OPTIONS -fstack-protector)
endif()
# glibc's checks need an optimising compiler, and some distributions' compilers turn them on by themselves.
set(CMAKE_REQUIRED_FLAGS -O2)
check_c_source_compiles("#ifdef _FORTIFY_SOURCE
#error
#endif
int main(void) { return 0; }" PODIUM_NOT_FORTIFIED)
unset(CMAKE_REQUIRED_FLAGS)
if(PODIUM_NOT_FORTIFIED)
  set(optimised $<IN_LIST:$<CONFIG>,Release$<SEMICOLON>RelWithDebInfo$<SEMICOLON>MinSizeRel>)
  target_compile_definitions(podium_options INTERFACE $<${optimised}:_FORTIFY_SOURCE=2>)
endif()
# mingw-w64 before 11 leaves both to a library of gcc's. The static one, so that what is built needs no file of the
# compiler when it runs.
if(MINGW)
  check_linker_flag(C -l:libssp.a PODIUM_HAS_LIBSSP)
  if(PODIUM_HAS_LIBSSP)
    set(podium_hardened_link -l:libssp.a)
    target_link_libraries(podium_options INTERFACE ${podium_hardened_link})
  endif()
endif()
check_linker_flag(C -Wl,-z,relro,-z,now PODIUM_HAS_RELRO)
if(PODIUM_HAS_RELRO)
  target_link_options(podium_options INTERFACE -Wl,-z,relro,-z,now)
endif()
