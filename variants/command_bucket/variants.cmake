lab_malloc_variants(lab_jemalloc v1_st_jemalloc v1_st_jemalloc_fifo)
lab_malloc_variants(lab_tcmalloc v1_st_tcmalloc v1_st_tcmalloc_fifo)
lab_variant(v1_st_mimalloc USES lab_mimalloc)
lab_variant(v1_st_mimalloc_fifo USES lab_mimalloc)

include(${dir}/device/device.cmake)
