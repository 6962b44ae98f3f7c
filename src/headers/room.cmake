# Makes an array of lines of the names that belong to C.
embed_lines(c_name_lines ${folder}/c_names.txt c_name_lines header.h)
list(APPEND sources ${embedded})
