# Warnings, sanitizers and a compiler cache, for targets of this project only: nothing leaks to those who link nomu.

add_library(nomu_compiler INTERFACE)
target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>)
# GCC 12 sees overlapping copies in its own std::string (bug 105651).
target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)

if(NOMU_SANITIZE)
  target_compile_options(nomu_compiler INTERFACE -fsanitize=${NOMU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nomu_compiler INTERFACE -fsanitize=${NOMU_SANITIZE})
endif()

find_program(NOMU_CCACHE ccache)
if(NOMU_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NOMU_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${NOMU_CCACHE}")
endif()
