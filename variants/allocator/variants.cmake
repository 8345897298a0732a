# A sanitizer is the program's malloc, and so is jemalloc.
if(LAB_SANITIZE)
  lab_variant(jemalloc LEFT_OUT)
else()
  lab_variant(jemalloc USES lab_jemalloc)
endif()
lab_variant(mimalloc USES lab_mimalloc)
