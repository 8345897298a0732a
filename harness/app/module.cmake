# Its tests run the fixture family.
add_dependencies(app_test fake_variant)
