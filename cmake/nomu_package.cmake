# What a package holds beside the tool, the library and the headers, and how `cpack` makes a .deb of all of them.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/CITATION.cff" DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NOMU_BUILD_CLI)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/man/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES "${PROJECT_SOURCE_DIR}/docs/completion/nomu.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME nomu)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nomu)
set(CPACK_PACKAGE_VENDOR "the nomu authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the nomu authors <nomu@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # what the tool needs to run
# What programs that link the library need.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "libfmt-dev, libtomlplusplus-dev, libnlopt-dev, libsqlite3-dev, zlib1g-dev, libdnnl-dev, ocl-icd-opencl-dev, libonnx-dev, libprotobuf-dev")
include(CPack)
