printf 'kernel sum(x: e4m3, g: e4m3) -> (y: e4m3) { y = x + g }\n' > two.act
printf 'kernel most(x: u8, g: u8) -> (y: u8) { y = max(x, g) }\n' >> two.act
printf 'kernel one(x: u8, g: u8) -> (y: u8, z: u8) {\n y = max(x, 9)\n z = g + 1\n}\n' >> two.act
actgen run two.act:sum --in 1,2 --in 3,4
actgen run two.act:most --in 1,200 --in 3,4
actgen run two.act:one --in 1,200 --in 3,255
--- exit 0
--- stdout
4 6
3 200
y: 9 200
z: 4 255
--- stderr
