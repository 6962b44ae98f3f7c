//! Compiles gates.act for the target of this build, and links the object. ACTGEN names the program, or it is in PATH.
use std::{env, process::Command};

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(status.success(), "{command:?} failed");
}

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let isa = match env::var("CARGO_CFG_TARGET_ARCH").unwrap().as_str() {
        "x86_64" => "avx512,avx2,x86-64",
        "aarch64" => "sve2,sve,neon",
        other => panic!("say which instruction sets of {other} to compile for"),
    };
    let actgen = env::var("ACTGEN").unwrap_or("actgen".into());
    let object = format!("{out}/gates.o");
    run(Command::new(actgen).args(["compile", "gates.act", "--isa", isa, "-o", &object]));
    run(Command::new(env::var("AR").unwrap_or("ar".into())).args(["crs", &format!("{out}/libgates.a"), &object]));
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=gates");
    println!("cargo:rerun-if-changed=gates.act");
    println!("cargo:rerun-if-env-changed=ACTGEN");
}
