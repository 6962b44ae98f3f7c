# Seconds, not minutes: the search has an end for formulas of thousands of nodes.
terms=$(seq -s+ 1 199 | sed 's/[0-9]\{1,\}/&.5*exp(-(x-&)^2\/(&+1))*sin(&*x)/g')
actgen show --stage lane -e "$terms" --accuracy '3 ulp'
--- exit 1
--- stderr
actgen: error: expression (*): no plan keeps `3 ulp`, as far as was searched (the formula is too large to search on)*
...
