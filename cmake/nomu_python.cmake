# The Python that groups sources and runs the tests: the system's own where there is one, since modules that tests need
# come as its packages (Debian: python3-onnx, python3-selenium), and another Python may be the first on the path.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
