actgen show -e 'x + nonsense(x)' --stage spec
--- exit 1
--- stdout
--- stderr
expression:1:5: error: *nonsense*
    1 | x + nonsense(x)
      |     ^~~~~~~~*
