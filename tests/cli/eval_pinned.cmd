# Plans of a file are followed to the last bit, for ever. The file pinned.plans is of November 2026, and gave these values then.
# Without the file, other plans give others.
values() { for isa in x86-64 avx2; do actgen eval gelu --accuracy 'abs 2^-16' --isa $isa "$@" --json -5.1 -1.4 -0.2 0.1 0.7 2.3 3.9 | grep -o '"value": [^,]*' | cut -d' ' -f2 | paste - - - - - - -; done; }
values --plans $DATA/pinned.plans | tee pinned; values > own; cmp -s pinned own || echo 'others without the file'
--- exit 0
--- stdout
-2.780657496259664e-06	-0.11305955052375793	-0.0841466411948204	0.053983718156814575	0.5306243896484375	2.2753357887268066	3.899813413619995
-6.398186087608337e-06	-0.1130593940615654	-0.0841481015086174	0.05398283153772354	0.5306215286254883	2.275334358215332	3.8998124599456787
others without the file
--- stderr
