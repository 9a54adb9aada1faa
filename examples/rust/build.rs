//! Compiles podium.c, which stands beside Cargo.toml. It needs no crate; with the crate `cc` it would be one line.
use std::{env, process::Command};

fn run(command: &mut Command) {
    assert!(command.status().expect("the C compiler does not start").success());
}

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let (object, library) = (format!("{out}/podium.o"), format!("{out}/libpodium.a"));
    run(Command::new("cc").args(["-std=c11", "-O2", "-fPIC", "-c", "podium.c", "-o", &object]));
    run(Command::new("ar").args(["rcs", &library, &object]));
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=podium");
    println!("cargo:rustc-link-lib=m");
    println!("cargo:rerun-if-changed=podium.c");
}
