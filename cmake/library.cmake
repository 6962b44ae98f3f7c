set(objects)
foreach(room IN LISTS actgen_rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()

# Every room in one archive, for tests of the rooms. Users link libactgen.
add_library(actgen_internal STATIC ${objects})
target_link_libraries(actgen_internal PUBLIC actgen_dependencies actgen_libllvm)
target_include_directories(actgen_internal PUBLIC ${actgen_floors_below})
