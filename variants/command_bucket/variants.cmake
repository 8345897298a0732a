# A sanitizer is the program's malloc, and so are jemalloc and tcmalloc.
foreach(rival jemalloc tcmalloc)
  foreach(variant v1_st_${rival} v1_st_${rival}_fifo)
    if(LAB_SANITIZE)
      lab_variant(${variant} LEFT_OUT)
    else()
      lab_variant(${variant} USES lab_${rival})
    endif()
  endforeach()
endforeach()
lab_variant(v1_st_mimalloc USES lab_mimalloc)
lab_variant(v1_st_mimalloc_fifo USES lab_mimalloc)

include(${dir}/device/device.cmake)
