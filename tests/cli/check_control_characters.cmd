printf 'function f(x) = x + \033[31m\302\233 + \342\200\256y\n' > bad.act
actgen check bad.act 2>&1 | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c "$(printf '[\001-\037\233]')\|$(printf '\342\200\256')"
actgen check bad.act
--- exit 1
--- stdout
0
--- stderr
bad.act:1:21: error: *
    1 | function f(x) = x + \x1b[31m\xc2\x9b + \xe2\x80\xaey
      |                     ^*
