printf 'kernel k(' > a.act; printf 'kernel k(' > b.act
actgen check a.act missing.act b.act
--- exit 3
--- stdout
--- stderr
a.act:1:*: error: *
...
actgen: error: cannot open 'missing.act': No such file or directory
b.act:1:*: error: *
...
