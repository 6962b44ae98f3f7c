for end in s ll c; do actgen compile relu -o relu.$end 2>&1 | head -1; done; ls relu.* 2>/dev/null
--- exit 2
--- stdout
actgen: error: -o writes an object file; `actgen show WHAT --stage asm > relu.s` writes asm
actgen: error: -o writes an object file; `actgen show WHAT --stage ir > relu.ll` writes ir
actgen: error: -o writes an object file; with --emit c it writes C source
