# Writes the revision of the sources into a file, which is touched only when it changes.
#   cmake -DSOURCE=DIR -DVERSION=0.1.0 -DOUT=FILE -P revision.cmake
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --exclude * OUTPUT_VARIABLE revision
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR revision STREQUAL "")
  set(revision "${VERSION}")
endif()
set(text "#include \"paper/revision.hpp\"\n\nnamespace nomu::cli {\nconst char* revision() { return \"${revision}\"; }\n}  // namespace nomu::cli\n")
set(old "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT text STREQUAL old)
  file(WRITE "${OUT}" "${text}")
endif()
