# Compiler flags of every target. build_info.json records those that affect a measurement.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Hidden, because position-independent code may not inline a function that another library could replace.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

set(LAB_CONFIG "release" CACHE STRING "release, debug, asan or tsan")
set(LAB_MARCH "x86-64-v2" CACHE STRING "-march of everything that is built")
set(LAB_TOOLCHAIN "system" CACHE STRING "pinned or system; names the build folder")
set(LAB_SANITIZE "" CACHE STRING "-fsanitize list")
option(LAB_CHECKED_LIBRARY "libstdc++ assertions" OFF)

# -O2 is the level that distributions use and that readers of the articles compare with.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")

add_compile_options(-march=${LAB_MARCH})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Executables must run on machines with another C++ library, or with none.
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
if(LAB_SANITIZE)
  add_compile_options(-fsanitize=${LAB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(LAB_SANITIZE MATCHES "address")
      add_link_options(-static-libasan -static-libubsan)
    endif()
    if(LAB_SANITIZE MATCHES "thread")
      add_link_options(-static-libtsan)
      add_compile_options(-Wno-tsan)  # tsan does not model fences; this code has none
    endif()
  endif()
endif()
if(LAB_CHECKED_LIBRARY)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# For this project's code only; fetched code is compiled without warnings.
set(LAB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Werror)

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
get_directory_property(options COMPILE_OPTIONS)
list(JOIN options " " options)
set(LAB_RECORDED_FLAGS "-std=c++20 -fPIC ${CMAKE_CXX_FLAGS_${type}} ${options}")

# Equal sources give equal bytes in every checkout: __FILE__ is relative to the checkout's root. These flags are not
# recorded, because they differ between checkouts and the code does not. Debug information keeps real paths, which a
# debugger needs; measured builds have none. Tests are exempt: they contain the checkout's path (LAB_SOURCE_DIR).
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -fmacro-prefix-map=${CMAKE_BINARY_DIR}/=build/)
