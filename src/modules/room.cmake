# backend_find.c and numbers_find.c load libraries by their names and version.
set_source_files_properties(${folder}/backend_find.c ${folder}/numbers_find.c PROPERTIES COMPILE_DEFINITIONS
                            ACTGEN_SOVERSION="${PROJECT_VERSION_MAJOR}")
