# Flags of every target, in one place; the ones that shape a measurement are recorded in build_info.h.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Hidden, because position-independent code may not inline a function that somebody could replace.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

set(LAB_CONFIG "release" CACHE STRING "release, debug, asan, tsan or fuzz")
set(LAB_MARCH "x86-64-v2" CACHE STRING "-march of everything that is built")
set(LAB_TOOLCHAIN "system" CACHE STRING "pinned or system; names the build folder")
set(LAB_SANITIZE "" CACHE STRING "-fsanitize list")
option(LAB_CHECKED_LIBRARY "libstdc++ assertions" OFF)
option(LAB_FUZZ "variants are fuzz targets of libFuzzer; needs clang" OFF)

# -O2 is what distributions ship, and what the articles' readers will compare with.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")

add_compile_options(-march=${LAB_MARCH})
# A section per function, so that a variant can be linked in other layouts (harness/measure/code_layouts.h).
add_compile_options(-ffunction-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR LAB_TOOLCHAIN STREQUAL "clang")
  # Executables run on machines with another C++ library, or none.
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
      add_compile_options(-Wno-tsan)  # tsan does not model fences; none of ours is a fence
    endif()
  endif()
endif()
if(LAB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
if(LAB_CHECKED_LIBRARY)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# For our own code only; what we fetch is compiled as it comes.
set(LAB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Werror)
if(LAB_FUZZ)
  set(LAB_WARNINGS -w)  # clang's are others, and the other configs judge
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
get_directory_property(options COMPILE_OPTIONS)
list(JOIN options " " options)
set(LAB_RECORDED_FLAGS "-std=c++20 -fPIC ${CMAKE_CXX_FLAGS_${type}} ${options}")

# lab_hide_place(<variable> <folder> <name>): flags with which __FILE__ begins with <name> instead of <folder>/. So equal
# sources give equal bytes wherever the folder lies. ccache with a base_dir calls the compiler with paths relative to
# the build folder, hence the second flag. Debug information keeps the paths that a debugger opens; a release has none.
function(lab_hide_place variable folder name)
  file(RELATIVE_PATH relative ${CMAKE_BINARY_DIR} ${folder})
  string(REGEX REPLACE "/$" "" relative ${relative})
  set(${variable} -fmacro-prefix-map=${folder}/=${name} -fmacro-prefix-map=${relative}/=${name} PARENT_SCOPE)
endfunction()

# In the checkout and in the build folder, __FILE__ is the path from there. The flags are not recorded, because they
# differ between checkouts and the code does not. Tests are exempt: they hold the checkout's path (LAB_SOURCE_DIR).
lab_hide_place(options ${CMAKE_SOURCE_DIR} "")
add_compile_options(${options} -fmacro-prefix-map=${CMAKE_BINARY_DIR}/=)
