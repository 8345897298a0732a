# CMake targets lab_<package> for the pinned packages of packages.json. Each is found under lib/ and used by its path in
# the store, so that a new pin is a new path and all its dependents are rebuilt.
set(LAB_LIB "${CMAKE_SOURCE_DIR}/lib" CACHE PATH "spm's folder of active packages")
find_package(Threads REQUIRED)

# lab_package(<variable> <folder prefix>): the real folder of the one active package with that prefix.
function(lab_package variable prefix)
  file(GLOB found LIST_DIRECTORIES true "${LAB_LIB}/${prefix}-[0-9]*")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "package ${prefix}: expected one folder ${LAB_LIB}/${prefix}-<version>, found ${count}\n"
      "hint: python3 make.py spm install ${prefix}")
  endif()
  file(REAL_PATH "${found}" real)
  set(${variable} "${real}" PARENT_SCOPE)
endfunction()

# lab_hide_store(<target> <name> <folder>): __FILE__ in the package's headers and sources is <name>/..., wherever the
# store lies. The compile command keeps the real folder, and with it the version.
function(lab_hide_store target name folder)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  else()
    set(scope PUBLIC)
  endif()
  lab_hide_place(options ${folder} ${name}/)
  target_compile_options(${target} ${scope} ${options})
endfunction()

lab_package(dir fmt)
add_library(lab_fmt STATIC ${dir}/src/format.cc)
target_include_directories(lab_fmt SYSTEM PUBLIC ${dir}/include)
lab_hide_store(lab_fmt fmt ${dir})

lab_package(dir boost)
add_library(lab_boost STATIC ${CMAKE_CURRENT_LIST_DIR}/boost.cpp)
target_include_directories(lab_boost SYSTEM PUBLIC ${dir}/include)
lab_hide_store(lab_boost boost ${dir})
target_compile_definitions(lab_boost PUBLIC BOOST_ALL_NO_LIB=1)

# Apart from the rest of Boost: only serve needs it, and it compiles for half a minute.
add_library(lab_beast STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/beast.cpp)
target_link_libraries(lab_beast PUBLIC lab_boost Threads::Threads)
target_compile_definitions(lab_beast PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED)
lab_hide_store(lab_beast boost ${dir})

lab_package(dir benchmark)
file(GLOB sources ${dir}/src/*.cc)
list(FILTER sources EXCLUDE REGEX "benchmark_main\\.cc$")
add_library(lab_benchmark STATIC ${sources})
target_include_directories(lab_benchmark SYSTEM PUBLIC ${dir}/include)
lab_hide_store(lab_benchmark benchmark ${dir})
target_compile_definitions(lab_benchmark PUBLIC BENCHMARK_STATIC_DEFINE PRIVATE HAVE_POSIX_REGEX HAVE_STD_REGEX HAVE_STEADY_CLOCK
  BENCHMARK_VERSION="1.7.1")
target_link_libraries(lab_benchmark PUBLIC Threads::Threads)

lab_package(dir googletest)
add_library(lab_gtest STATIC EXCLUDE_FROM_ALL ${dir}/googletest/src/gtest-all.cc ${dir}/googlemock/src/gmock-all.cc
  ${dir}/googlemock/src/gmock_main.cc)
target_include_directories(lab_gtest SYSTEM PUBLIC ${dir}/googletest/include ${dir}/googlemock/include
  PRIVATE ${dir}/googletest ${dir}/googlemock)
lab_hide_store(lab_gtest googletest ${dir})
target_link_libraries(lab_gtest PUBLIC Threads::Threads)

# The amalgamation. Only tables are used, with one connection per thread.
lab_package(dir sqlite)
add_library(lab_sqlite STATIC ${dir}/sqlite3.c)
target_include_directories(lab_sqlite SYSTEM PUBLIC ${dir})
lab_hide_store(lab_sqlite sqlite ${dir})
target_compile_definitions(lab_sqlite PRIVATE SQLITE_THREADSAFE=2 SQLITE_DQS=0 SQLITE_DEFAULT_MEMSTATUS=0
  SQLITE_OMIT_LOAD_EXTENSION SQLITE_OMIT_DEPRECATED SQLITE_OMIT_SHARED_CACHE)
target_link_libraries(lab_sqlite PUBLIC Threads::Threads)

lab_package(dir zstd)
add_library(lab_zstd INTERFACE)
target_include_directories(lab_zstd SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_zstd zstd ${dir})
target_link_libraries(lab_zstd INTERFACE ${dir}/lib/x86_64-linux-gnu/libzstd.a Threads::Threads)

# A header.
lab_package(dir xxhash)
add_library(lab_xxhash INTERFACE)
target_include_directories(lab_xxhash SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_xxhash xxhash ${dir})

lab_package(dir mimalloc)
# Defines only the mi_ functions and does not replace malloc.
add_library(lab_mimalloc STATIC ${dir}/src/static.c)
target_include_directories(lab_mimalloc SYSTEM PUBLIC ${dir}/include)
lab_hide_store(lab_mimalloc mimalloc ${dir})
target_compile_options(lab_mimalloc PRIVATE -w)
if(LAB_SANITIZE MATCHES "thread")
  target_compile_definitions(lab_mimalloc PRIVATE MI_TSAN=1)  # a page's flags share a byte otherwise: races by design
endif()
target_link_libraries(lab_mimalloc PUBLIC Threads::Threads)

lab_package(dir jemalloc)
# Debian's build has no prefix: it replaces malloc in a program that links it. The extended interface is available too.
add_library(lab_jemalloc INTERFACE)
target_include_directories(lab_jemalloc SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_jemalloc jemalloc ${dir})
target_link_libraries(lab_jemalloc INTERFACE ${dir}/lib/x86_64-linux-gnu/libjemalloc.a Threads::Threads ${CMAKE_DL_LIBS} m)

lab_package(dir gperftools)
# tcmalloc without its profilers. Debian's build has no prefix: it replaces malloc in a program that links it.
add_library(lab_tcmalloc INTERFACE)
target_include_directories(lab_tcmalloc SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_tcmalloc gperftools ${dir})
target_link_libraries(lab_tcmalloc INTERFACE ${dir}/lib/x86_64-linux-gnu/libtcmalloc_minimal.a Threads::Threads)

lab_package(dir vulkan-headers)
add_library(lab_vulkan_headers INTERFACE)
target_include_directories(lab_vulkan_headers SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_vulkan_headers vulkan-headers ${dir})

lab_package(dir vma)
# A header, which names its version in a comment alone. Its user compiles the implementation, for virtual blocks without
# any function of Vulkan.
file(STRINGS ${dir}/include/vk_mem_alloc.h vma_version REGEX "^<b>Version [0-9.]+</b>")
string(REGEX MATCH "[0-9.]+" vma_version "${vma_version}")
set(LAB_VMA_TOOLS ${dir}/tools/GpuMemDumpVis)
add_library(lab_vma INTERFACE)
target_compile_definitions(lab_vma INTERFACE LAB_VMA_VERSION="${vma_version}")
target_include_directories(lab_vma SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_vma vma ${dir})
target_link_libraries(lab_vma INTERFACE lab_vulkan_headers Threads::Threads)

# A header.
lab_package(dir plf-colony)
add_library(lab_colony INTERFACE)
target_include_directories(lab_colony SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_colony plf-colony ${dir})

# Only headers: the library is opened at run time.
lab_package(dir libxcb)
add_library(lab_xcb_headers INTERFACE)
target_include_directories(lab_xcb_headers SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_xcb_headers libxcb ${dir})

# Headers.
lab_package(dir stb)
add_library(lab_stb INTERFACE)
target_include_directories(lab_stb SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_stb stb ${dir})

# What reads SPIR-V, without what writes other languages from it.
lab_package(dir spirv-cross)
add_library(lab_spirv_cross INTERFACE)
target_include_directories(lab_spirv_cross SYSTEM INTERFACE ${dir}/include)
lab_hide_store(lab_spirv_cross spirv-cross ${dir})
target_link_libraries(lab_spirv_cross INTERFACE ${dir}/lib/x86_64-linux-gnu/libspirv-cross-core.a)

lab_package(dir quickjs)
file(STRINGS ${dir}/VERSION quickjs_version)
add_library(lab_quickjs STATIC EXCLUDE_FROM_ALL ${dir}/quickjs.c ${dir}/libregexp.c ${dir}/libunicode.c ${dir}/cutils.c
  ${dir}/dtoa.c)
target_include_directories(lab_quickjs SYSTEM PUBLIC ${dir})
lab_hide_store(lab_quickjs quickjs ${dir})
target_compile_definitions(lab_quickjs PRIVATE _GNU_SOURCE CONFIG_VERSION="${quickjs_version}")
# Without UBSan, because it shifts into the sign bit by design. AddressSanitizer stays on.
target_compile_options(lab_quickjs PRIVATE -w -fno-sanitize=undefined)
target_link_libraries(lab_quickjs PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)

foreach(target lab_fmt lab_boost lab_beast lab_benchmark lab_gtest lab_sqlite)
  target_compile_options(${target} PRIVATE -w)
endforeach()

# What is not measured. A report, which runs scripts in QuickJS, is made hardly slower.
foreach(target lab_beast lab_benchmark lab_sqlite lab_quickjs)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
