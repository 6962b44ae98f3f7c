actgen list --json | grep -o '"name": "[a-z]*", "alias_of": [a-z"_]*' | grep -E '"(gelu|relu)"'
--- exit 0
--- stdout
"name": "relu", "alias_of": null
"name": "gelu", "alias_of": null
