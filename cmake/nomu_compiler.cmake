# Warnings, sanitizers and a compiler cache, for targets of this project only: nothing leaks to those who link nomu.

add_library(nomu_compiler INTERFACE)
target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion>)
if(NOT NOMU_UNITY)  # among sources that are compiled together, a parameter may have the name of another one's constant
  target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
endif()
# GCC 12 sees overlapping copies in its own std::string (bug 105651).
target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)

if(NOMU_WERROR)
  target_compile_options(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

# oneDNN brings OpenMP along. Without this Eigen would use it for threads of its own, beside those of core/team, and results
# would depend on their number.
target_compile_definitions(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:EIGEN_DONT_PARALLELIZE>)

if(NOMU_SANITIZE)
  target_compile_options(nomu_compiler INTERFACE -fsanitize=${NOMU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nomu_compiler INTERFACE -fsanitize=${NOMU_SANITIZE})
endif()

# What stops a mistake from becoming somebody else's program. `nomu --version --verbose` lists what is in effect.
set(NOMU_HARDENED "")
if(NOMU_HARDEN AND NOT NOMU_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # Some distributions define a level of their own, and would warn of another one in every source.
  target_compile_options(nomu_compiler INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  target_compile_definitions(nomu_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
  target_link_options(nomu_compiler INTERFACE LINKER:-z,relro LINKER:-z,now)
  set(NOMU_HARDENED "-fstack-clash-protection -z relro -z now")
endif()

find_program(NOMU_CCACHE ccache)
if(NOMU_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NOMU_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${NOMU_CCACHE}")
endif()
