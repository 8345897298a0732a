# The functions that define the modules, families and variants.
#
#   lab_module(<name> [USES <target>...] [HEADERS <module>...] [OBJECTS] [TOGETHER] [PLAIN])
#       harness/<name>: *_test.cpp become build/.../tests/<name>_test; main.cpp and *_main.cpp are left to its
#       module.cmake, which is included if it exists; the other files become a library <name>. USES names the modules
#       that it calls. HEADERS names modules of which it includes headers but links nothing; this changes no build,
#       but `python3 -m harness.make.structure --check` allows the include. OBJECTS makes an object library, from which
#       variants are linked. TOGETHER compiles its files in groups (precompiled.cmake), which is not for what variants link.
#       PLAIN: a release has -O1, which is enough for what starts processes, reads and writes.
#   lab_program(<name> SOURCES <file>... [USES <target>...] [PLAIN] [BY_HAND])   build/.../<name>, which users or the
#       harness start. PLAIN as above, and its files are compiled in groups. BY_HAND: no session starts it, so that the
#       first press with --quick does not build it.
#   lab_family(<family>)   the folder variants/<family>: family.json names its reference and its core workloads (none: all
#       are core), family/ holds the sources that its variants share, and each .cpp next to family.json becomes a
#       variant's executable, together with rivals/<variant>.c or rivals/<variant>/*.c if it has such a rival in C
#   lab_malloc_variants(<target> <variant>...)   there, too: variants that link a library which replaces malloc
#   lab_variant(<variant> [USES <target>...] [LEFT_OUT])   in variants/<family>/variants.cmake, only for a variant that
#       links more than the others, or that this build leaves out

enable_testing()
set(LAB_TEST_DIR ${CMAKE_BINARY_DIR}/tests)

# Keeps the bytes of what a build makes anew: so a change of a common header that leaves them links nothing again.
set(LAB_KEEP_UNCHANGED ${CMAKE_CURRENT_LIST_DIR}/keep_unchanged.sh)

function(lab_own target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  # A source in C is somebody else's (variants/<family>/rivals): our optimisation, no warnings of ours.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${LAB_WARNINGS}>")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(archive ${CMAKE_CURRENT_BINARY_DIR}/${CMAKE_STATIC_LIBRARY_PREFIX}${target}${CMAKE_STATIC_LIBRARY_SUFFIX})
    add_custom_command(TARGET ${target} PRE_LINK COMMAND sh ${LAB_KEEP_UNCHANGED} before ${archive})
    # ninja looks at the time of what a link makes only if it makes more than one file.
    add_custom_command(TARGET ${target} POST_BUILD COMMAND sh ${LAB_KEEP_UNCHANGED} after ${archive}
      BYPRODUCTS ${archive}.kept)
  endif()
endfunction()

# The objects of the object library `target`, which has all its sources by now, as kept_<target>.
function(lab_keep_objects target)
  set(folder ${CMAKE_BINARY_DIR}/kept/${target})
  get_target_property(objects ${target} SOURCES)
  list(FILTER objects INCLUDE REGEX "\\.cpp$")
  list(TRANSFORM objects REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/" "${folder}/")
  list(TRANSFORM objects APPEND ${CMAKE_CXX_OUTPUT_EXTENSION})
  add_custom_command(OUTPUT ${objects} COMMAND sh ${LAB_KEEP_UNCHANGED} objects ${folder} $<TARGET_OBJECTS:${target}>
    DEPENDS $<TARGET_OBJECTS:${target}> ${LAB_KEEP_UNCHANGED} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Keeping the objects of ${target}")
  add_custom_target(keep_${target} DEPENDS ${objects})
  add_library(kept_${target} OBJECT IMPORTED GLOBAL)
  set_target_properties(kept_${target} PROPERTIES IMPORTED_OBJECTS "${objects}")
endfunction()

# QUICK: the tests' own code is not optimised, which saves two fifths of its build time. The code under test is built as
# ever. FIRST names libraries whose copies of what both instantiate, such as a std::set, are linked. The linker takes the
# first copy, and the tests' one is slow.
function(lab_test name)
  cmake_parse_arguments(arg "QUICK" "" "SOURCES;USES;FIRST" ${ARGN})
  add_executable(${name}_test EXCLUDE_FROM_ALL ${arg_SOURCES})
  lab_own(${name}_test)
  target_link_libraries(${name}_test PRIVATE ${arg_USES} lab_gtest)
  if(arg_QUICK)
    target_compile_options(${name}_test PRIVATE -O0)
    lab_precompile(${name}_test quick_test)
  else()
    lab_precompile(${name}_test test)
  endif()
  set(first "")
  foreach(library ${arg_FIRST})
    string(APPEND first ",$<TARGET_FILE:${library}>")
  endforeach()
  if(first)
    target_link_options(${name}_test PRIVATE "LINKER:--whole-archive${first},--no-whole-archive")
  endif()
  # Tests find their data and the executables they start through these two.
  target_compile_definitions(${name}_test PRIVATE LAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}" LAB_BUILD_DIR="${CMAKE_BINARY_DIR}")
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LAB_TEST_DIR})
  set_property(GLOBAL APPEND PROPERTY LAB_TESTS ${name}_test)
endfunction()

function(lab_module name)
  cmake_parse_arguments(arg "OBJECTS;TOGETHER;PLAIN" "" "USES;HEADERS" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB sources ${dir}/*.cpp)
  file(GLOB tests ${dir}/*_test.cpp)
  list(REMOVE_ITEM sources ${tests} ${dir}/main.cpp)
  file(GLOB mains ${dir}/*_main.cpp)
  list(REMOVE_ITEM sources ${mains} "")
  if(NOT sources)
    message(FATAL_ERROR "harness/${name} has no source")
  elseif(arg_OBJECTS)
    add_library(${name} OBJECT ${sources})
  else()
    add_library(${name} STATIC ${sources})
  endif()
  lab_own(${name})
  if(arg_PLAIN)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    lab_precompile(${name} plain)
  else()
    lab_precompile(${name} library)
  endif()
  if(arg_TOGETHER)
    lab_compile_together(${name})
  endif()
  target_link_libraries(${name} PUBLIC ${arg_USES})
  if(tests)
    set(first "")
    foreach(module ${name} ${arg_USES})
      # The modules that are libraries. Those of the variants do not exist yet.
      if(TARGET ${module} AND NOT module MATCHES "^lab_")
        get_target_property(type ${module} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
          list(APPEND first ${module})
        endif()
      endif()
    endforeach()
    lab_test(${name} QUICK SOURCES ${tests} USES ${name} FIRST ${first})
  endif()
  if(EXISTS ${dir}/module.cmake)
    include(${dir}/module.cmake)
  endif()
  if(arg_OBJECTS)
    lab_keep_objects(${name})
  endif()
endfunction()

function(lab_program name)
  cmake_parse_arguments(arg "PLAIN;BY_HAND" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(NOT arg_BY_HAND)
    set_property(GLOBAL APPEND PROPERTY LAB_OF_SESSION ${name})
  endif()
  lab_own(${name})
  target_link_libraries(${name} PRIVATE ${arg_USES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(arg_PLAIN)
    # With a library's -fPIC, to use its precompiled headers.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC $<$<CONFIG:Release>:-O1>)
    lab_precompile(${name} plain)
    lab_compile_together(${name})
  else()
    lab_precompile(${name} executable)
  endif()
endfunction()

function(lab_family family)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${family})
  file(READ ${dir}/family.json about)
  string(JSON reference ERROR_VARIABLE error GET "${about}" reference)
  if(error)
    message(FATAL_ERROR "variants/${family}/family.json: expected a field \"reference\", the name of a variant: ${error}")
  elseif(NOT EXISTS ${dir}/${reference}.cpp)
    message(FATAL_ERROR "variants/${family}/family.json: the reference '${reference}' has no file "
                        "variants/${family}/${reference}.cpp")
  endif()
  # The facts that the harness reads from variants.json. Each is optional. The harness checks the names in `core`, because
  # only the variants know their workloads.
  set(LAB_FAMILY_FACTS "")
  foreach(fact core environment preload)
    string(JSON value ERROR_VARIABLE error GET "${about}" ${fact})
    if(NOT error)
      string(APPEND LAB_FAMILY_FACTS "\"${fact}\": ${value}, ")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dir}/family.json)

  # The shared sources are compiled once, into objects that are linked into each variant.
  file(GLOB sources ${dir}/family/*.cpp)
  file(GLOB tests ${dir}/family/*_test.cpp ${dir}/*_test.cpp)
  list(REMOVE_ITEM sources ${tests} "")
  add_library(family_${family} OBJECT ${sources})
  lab_own(family_${family})
  lab_precompile(family_${family} library)
  target_compile_definitions(family_${family} PRIVATE LAB_FAMILY="${family}")
  target_link_libraries(family_${family} PUBLIC bench common)
  if(tests)
    lab_test(${family} SOURCES ${tests} USES family_${family} bench common designs base lab_benchmark)
    target_sources(${family}_test PRIVATE $<TARGET_OBJECTS:family_${family}> $<TARGET_OBJECTS:bench>)
  endif()

  include(${dir}/variants.cmake OPTIONAL)
  lab_keep_objects(family_${family})
  file(GLOB variants RELATIVE ${dir} ${dir}/*.cpp)
  list(FILTER variants EXCLUDE REGEX "_test\\.cpp$")
  foreach(source ${variants})
    string(REGEX REPLACE "\\.cpp$" "" variant ${source})
    if(NOT LAB_LEFT_OUT_${variant})
      lab_add_variant(${family} ${variant} ${reference})
    endif()
  endforeach()
endfunction()

macro(lab_variant variant)
  cmake_parse_arguments(arg "LEFT_OUT" "" "USES" ${ARGN})
  if(NOT EXISTS ${dir}/${variant}.cpp)
    message(FATAL_ERROR "variants/${family}/variants.cmake: there is no variants/${family}/${variant}.cpp")
  endif()
  set(LAB_LEFT_OUT_${variant} ${arg_LEFT_OUT})
  set(LAB_USES_${variant} ${arg_USES})
endmacro()

# A sanitizer is the program's malloc, so its builds leave these variants out.
macro(lab_malloc_variants target)
  foreach(name ${ARGN})
    if(LAB_SANITIZE)
      lab_variant(${name} LEFT_OUT)
    else()
      lab_variant(${name} USES ${target})
    endif()
  endforeach()
endmacro()

# Keeps the command that links `target`, for links in other layouts. The system's linker may be one that takes no order
# of sections, and a sanitizer's executables are not measured.
function(lab_keep_link_command target)
  if(LAB_TOOLCHAIN STREQUAL "pinned" AND NOT LAB_SANITIZE)
    set_target_properties(${target} PROPERTIES
      RULE_LAUNCH_LINK "sh \"${CMAKE_SOURCE_DIR}/harness/cmake/keep_link_command.sh\"")
  endif()
endfunction()

if(LAB_FUZZ)
  set(LAB_VARIANT_MAIN bench_fuzz_main)
else()
  set(LAB_VARIANT_MAIN bench_main)
endif()

function(lab_add_variant family variant reference)
  set(target variant_${family}_${variant})
  file(GLOB rival ${family}/rivals/${variant}.c ${family}/rivals/${variant}/*.c)
  set_source_files_properties(${rival} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_executable(${target} ${family}/${variant}.cpp ${rival}
    $<TARGET_OBJECTS:kept_bench> $<TARGET_OBJECTS:kept_${LAB_VARIANT_MAIN}> $<TARGET_OBJECTS:kept_family_${family}>)
  add_dependencies(${target} bench ${LAB_VARIANT_MAIN} family_${family})  # for the headers that these generate
  lab_own(${target})
  lab_precompile(${target} executable)
  target_compile_definitions(${target} PRIVATE LAB_FAMILY="${family}" LAB_VARIANT="${variant}" $<$<BOOL:${LAB_FUZZ}>:LAB_FUZZ>)
  # What the family links, but bench: to link an object library is to link its own objects.
  target_link_libraries(${target} PRIVATE
    $<FILTER:$<TARGET_PROPERTY:family_${family},INTERFACE_LINK_LIBRARIES>,EXCLUDE,^bench$> common designs base lab_benchmark
    ${LAB_USES_${variant}})
  if(LAB_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${variant}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/variants/${family})
  lab_keep_link_command(${target})
  set_property(GLOBAL APPEND PROPERTY LAB_OF_SESSION ${target})
  if(TARGET ${family}_test)
    add_dependencies(${family}_test ${target})  # a family's test may start all of its variants
  endif()
  if(variant STREQUAL reference)
    set(is_reference true)
  else()
    set(is_reference false)
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY LAB_VARIANT_LIST
    "\n  {\"family\": \"${family}\", \"variant\": \"${variant}\", \"reference\": ${is_reference}, ${LAB_FAMILY_FACTS}\"target\": \"${target}\", \"executable\": \"variants/${family}/${variant}\"},")
endfunction()

# Writes variants.json, which the harness reads, and tests.json, which lists the executables that `make.py test` runs.
# Paths in both are relative to the build folder.
function(lab_write_variant_list)
  get_property(list GLOBAL PROPERTY LAB_VARIANT_LIST)
  string(REGEX REPLACE ",$" "" list "${list}")
  file(CONFIGURE OUTPUT variants.json CONTENT "[${list}\n]\n" @ONLY)
  get_property(tests GLOBAL PROPERTY LAB_TESTS)
  list(JOIN tests "\", \"tests/" joined)
  file(CONFIGURE OUTPUT tests.json CONTENT "[\"tests/${joined}\"]\n" @ONLY)
  add_custom_target(lab_tests DEPENDS ${tests})
  # What a session starts, of all families.
  get_property(of_session GLOBAL PROPERTY LAB_OF_SESSION)
  add_custom_target(lab_session DEPENDS ${of_session})
endfunction()

# Writes the facts of the build that a result records. They are read at run time, because bisect runs other builds.
function(lab_write_build_info)
  file(CONFIGURE OUTPUT build_info.json @ONLY CONTENT "{
  \"toolchain\": \"@LAB_TOOLCHAIN@\",
  \"config\": \"@LAB_CONFIG@\",
  \"march\": \"@LAB_MARCH@\",
  \"compiler\": \"@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@\",
  \"flags\": \"@LAB_RECORDED_FLAGS@\"
}
")
endfunction()
