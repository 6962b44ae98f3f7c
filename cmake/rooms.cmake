# The house: floors from the ground up. Each room is an OBJECT library that sees itself and the floors below it.
set(actgen_floors_below ${PROJECT_SOURCE_DIR}/include)
set(actgen_rooms)
set(actgen_rooms_of_llvm ir loops llvm) # the rooms that see LLVM

function(actgen_floor)
  set(folders)
  foreach(path IN LISTS ARGN)
    get_filename_component(room ${path} NAME)
    set(folder ${PROJECT_SOURCE_DIR}/src/${path})
    list(APPEND folders ${folder} ${PROJECT_BINARY_DIR}/generated/${room})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    if(EXISTS ${folder}/room.cmake) # what the room needs in addition: generated files, flags for some files
      include(${folder}/room.cmake)
    endif()
    if(sources)
      add_library(actgen_${room} OBJECT ${sources})
      target_include_directories(actgen_${room} PRIVATE ${folder} ${PROJECT_BINARY_DIR}/generated/${room}
                                                        ${actgen_floors_below})
      # The tests link all rooms as a shared library and see these symbols. `protected` makes calls within the library
      # as cheap as `hidden` does.
      set_target_properties(actgen_${room} PROPERTIES C_VISIBILITY_PRESET protected)
      target_link_libraries(actgen_${room} PRIVATE actgen_dependencies)
      if(room IN_LIST actgen_rooms_of_llvm)
        target_link_libraries(actgen_${room} PRIVATE actgen_libllvm)
      endif()
      list(APPEND actgen_rooms actgen_${room})
    endif()
  endforeach()
  list(APPEND actgen_floors_below ${folders})
  set(actgen_floors_below ${actgen_floors_below} PARENT_SCOPE)
  set(actgen_rooms ${actgen_rooms} PARENT_SCOPE)
endfunction()
