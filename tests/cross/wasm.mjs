// node wasm.mjs MODULE DATA LANES STEP: runs the tests in a module of WebAssembly, as main.c does on systems with files.
import { readFileSync } from "node:fs";

const [module, file, lanes, step] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, data, check, hash, kernels, wrong_kernel, wrong_number } = instance.exports;
const bytes = readFileSync(file), place = data();
memory.grow(Math.ceil((place + bytes.length - memory.buffer.byteLength) / 65536) + 1);
new Uint8Array(memory.buffer).set(bytes, place);
const compared = check(place, Number(lanes), Number(step)), hashed = compared && hash();
if (hashed) {
    console.log(`${kernels()} kernels, ${compared} values are right, the hashes of ${hashed} results are right`);
} else {
    const text = new Uint8Array(memory.buffer, wrong_kernel()), name = new TextDecoder().decode(text.subarray(0, text.indexOf(0)));
    const [rows, cols, k, row, col, computed, expected] = [0, 1, 2, 3, 4, 5, 6].map((i) => wrong_number(i).toString(i > 4 ? 16 : 10));
    console.log(`${name} of ${rows} rows of ${cols} columns, name ${k}, row ${row}, column ${col}: 0x${computed}, not 0x${expected}`);
    process.exit(1);
}
