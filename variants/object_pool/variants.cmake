lab_variant(colony USES lab_colony)
