# Fast compiles. Most of what a compile reads is the standard library's, the same each time. With the headers precompiled
# an object had the same bytes as with them included (compared by hand for a variant).
#
#   lab_precompile(<target> <kind>)   for a target of ours that links base; kinds: library, plain (a library for which
#                                     -O1 is enough), executable, test, quick_test
#
#   lab_compile_together(<target>)    its files in groups, each like one file: what several files instantiate is compiled
#                                     once. So a name in an unnamed namespace stands once in a module.
#
# LAB_FAST_COMPILES=OFF builds without both, and then each file must include what it uses.
set(fast ON)
if(NOT LAB_TOOLCHAIN STREQUAL "pinned" OR NOT LAB_CONFIG MATCHES "^(release|asan)$")
  set(fast OFF)  # so that CI builds both ways; and warnings of another compiler may count the library's headers as ours
endif()
option(LAB_FAST_COMPILES "precompiled headers, and modules of the harness in groups" ${fast})

# What nearly every file of a kind reads. A compile takes about 5 ms more for each MB of them.
set(LAB_PRECOMPILED <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <functional> <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <utility> <vector>)
set(LAB_PRECOMPILED_OF_HARNESS <filesystem> <fstream> <numeric> <ranges> <set> <sstream> <variant>
  <boost/system/result.hpp> <fmt/format.h> <boost/json.hpp>)

if(LAB_FAST_COMPILES)
  # The compiler's own garbage collector starts at 128 MiB, which the precompiled headers fill: with twice as much it
  # rarely runs, and a compile has a fifth more memory.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=262144>)
endif()

function(lab_compile_together target)
  if(LAB_FAST_COMPILES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

function(lab_precompile target kind)
  if(LAB_FAST_COMPILES)
    target_precompile_headers(${target} REUSE_FROM lab_precompiled_${kind})
  endif()
endfunction()

# One for each set of flags that the compiler tells apart. Libraries have -fPIC, executables -fPIE.
function(lab_precompiled_headers kind)
  cmake_parse_arguments(arg "" "" "OPTIONS;USES;HEADERS" ${ARGN})
  set(target lab_precompiled_${kind})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp CONTENT "// Its target has headers alone.\n")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
  lab_own(${target})
  target_link_libraries(${target} PRIVATE lab_fmt lab_boost ${arg_USES})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${LAB_PRECOMPILED} ${arg_HEADERS})
  if(arg_OPTIONS MATCHES "-fPIE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endfunction()

if(LAB_FAST_COMPILES)
  set(harness ${LAB_PRECOMPILED_OF_HARNESS})
  set(gtest <gmock/gmock.h> <gtest/gtest.h>)
  lab_precompiled_headers(library HEADERS ${harness})
  lab_precompiled_headers(plain OPTIONS -O1 HEADERS ${harness})
  lab_precompiled_headers(executable OPTIONS -fPIE)
  lab_precompiled_headers(test OPTIONS -fPIE USES lab_gtest HEADERS ${harness} ${gtest})
  lab_precompiled_headers(quick_test OPTIONS -fPIE -O0 USES lab_gtest HEADERS ${harness} ${gtest})
endif()

lab_compile_together(lab_benchmark)
