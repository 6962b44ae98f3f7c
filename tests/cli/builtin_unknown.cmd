actgen show geluu --stage expr
--- exit 1
--- stdout
--- stderr
actgen: error: *geluu*did you mean*gelu*
