# The libraries nomu is made from. They come from the system; with NOMU_FETCH_DEPS those that it lacks are fetched and
# compiled, for distributions without a package.
set(NOMU_FETCHED "")

# A function, so that what is set here for the fetched project stays with it. Without CMP0077 its options would overwrite
# these, and NLopt's own default for BUILD_SHARED_LIBS would reach nomu.
function(nomu_fetch name repository tag)
  message(STATUS "nomu: ${name} ${tag} is fetched from ${repository}")
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # CMake 4 reads no project that names an older one
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  foreach(part CXX PYTHON OCTAVE MATLAB GUILE SWIG TESTS FORTRAN)  # of NLopt
    set(NLOPT_${part} OFF)
  endforeach()
  include(FetchContent)
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
  FetchContent_MakeAvailable(${name})
  string(TOLOWER ${name} lower)
  set(${lower}_SOURCE_DIR "${${lower}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

# nomu_dependency(NAME REPOSITORY TAG [arguments of find_package])
macro(nomu_dependency name repository tag)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    if(NOT NOMU_FETCH_DEPS)
      message(FATAL_ERROR "nomu: ${name} was not found. Install it (scripts/setup does on Debian and Ubuntu), "
        "or configure with -DNOMU_FETCH_DEPS=ON to have it fetched from ${repository}")
    endif()
    nomu_fetch(${name} ${repository} ${tag})
    list(APPEND NOMU_FETCHED ${name})
  endif()
endmacro()

if(NOMU_STATIC)
  set(NOMU_PORTABLE ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-static-pie)
  # Debian has NLopt as a shared library only; scripts/static_nlopt makes the other one.
  find_library(NOMU_STATIC_NLOPT NAMES libnlopt.a HINTS "${PROJECT_SOURCE_DIR}/build/nlopt/lib")
  find_path(NOMU_STATIC_NLOPT_INCLUDE NAMES nlopt.h HINTS "${PROJECT_SOURCE_DIR}/build/nlopt/include")
  if(NOMU_STATIC_NLOPT AND NOMU_STATIC_NLOPT_INCLUDE)
    add_library(NLopt::nlopt STATIC IMPORTED)
    set_target_properties(NLopt::nlopt PROPERTIES IMPORTED_LOCATION "${NOMU_STATIC_NLOPT}"
      INTERFACE_INCLUDE_DIRECTORIES "${NOMU_STATIC_NLOPT_INCLUDE}")
    set(NLopt_FOUND ON)
  elseif(NOT NOMU_FETCH_DEPS)
    message(FATAL_ERROR "nomu: there is no libnlopt.a, which NOMU_STATIC needs. scripts/static_nlopt makes it from the sources of "
      "Debian's own package ('make static' does all of it), and -DNOMU_FETCH_DEPS=ON has NLopt fetched and compiled")
  else()
    set(CMAKE_DISABLE_FIND_PACKAGE_NLopt ON)
  endif()
endif()

nomu_dependency(fmt https://github.com/fmtlib/fmt 9.1.0)
nomu_dependency(Eigen3 https://gitlab.com/libeigen/eigen 3.4.0 NO_MODULE)
if(NOT NLopt_FOUND)
  nomu_dependency(NLopt https://github.com/stevengj/nlopt v2.7.1 CONFIG)
  if(NOT TARGET NLopt::nlopt)  # which only the installed package has
    add_library(NLopt::nlopt ALIAS nlopt)
  endif()
endif()
nomu_dependency(tomlplusplus https://github.com/marzer/tomlplusplus v3.3.0)
nomu_dependency(nlohmann_json https://github.com/nlohmann/json v3.11.2)
if(NOMU_BUILD_CLI)
  nomu_dependency(CLI11 https://github.com/CLIUtils/CLI11 v2.3.2)
endif()
find_package(Boost 1.74 REQUIRED)  # headers only
find_package(Threads REQUIRED)

if(NOMU_PORTABLE)
  set(NOMU_FMT fmt::fmt-header-only)
  add_library(nomu_toml INTERFACE)
  target_compile_definitions(nomu_toml INTERFACE TOML_HEADER_ONLY=1)
  if(tomlplusplus IN_LIST NOMU_FETCHED)
    target_include_directories(nomu_toml SYSTEM INTERFACE "${tomlplusplus_SOURCE_DIR}/include")
  endif()
  set(NOMU_TOML $<BUILD_INTERFACE:nomu_toml>)
  set(NOMU_WITH_ONEDNN OFF)
  set(ZLIB_USE_STATIC_LIBS ON)
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3)
  if(NOT NOMU_BUILD_PYTHON)  # a wheel carries ONNX's libraries, and shares the C++ library with them
    set(NOMU_WITH_ONNX OFF)
    set(NOMU_WITH_POSTGRES OFF)
    set(NOMU_WITH_SERVER OFF)
    if(NOT NOMU_STATIC)  # after which the compiler would go back to shared libraries
      add_link_options(-static-libstdc++ -static-libgcc)
    endif()
  endif()
  if(NOT NOMU_STATIC)  # such a program does not start if it names folders of libraries
    set(CMAKE_BUILD_RPATH "$ORIGIN")
  endif()
else()
  set(NOMU_FMT fmt::fmt)
  set(NOMU_TOML tomlplusplus::tomlplusplus)
endif()
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
