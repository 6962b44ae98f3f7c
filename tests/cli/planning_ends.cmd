# The search ends within seconds for formulas of hundreds of nodes with many candidates. (Formulas of thousands of nodes have
# one candidate, which is measured to its end.)
terms=$(seq -s+ 1 50 | sed 's/[0-9]\{1,\}/&.5*exp(-(x-&)^2\/(&+1))*sin(&*x)/g')
actgen show --stage lane -e "$terms" --accuracy '3 ulp'
--- exit 1
--- stderr
actgen: error: expression (*): no plan keeps `3 ulp`, as far as was searched (the formula is too large to search on)*
...
