mkdir there && actgen compile relu -o there; echo $?; ls; ls there
--- exit 0
--- stdout
3
there
--- stderr
actgen: error: cannot write 'there': Is a directory
