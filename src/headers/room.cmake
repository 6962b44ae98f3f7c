# Makes an array of lines of the names that belong to C.
embed_lines(c_name_lines ${folder}/c_names.txt c_name_lines header.h)
foreach(part IN ITEMS opening torch ort)
  embed_lines(binding_${part}_lines ${folder}/binding_${part}.txt binding_${part}_lines header.h)
endforeach()
list(APPEND sources ${embedded})
