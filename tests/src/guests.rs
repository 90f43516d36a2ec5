//! Components built for tests.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::Command,
    sync::{Mutex, OnceLock},
};

/// One build at a time: they share a target directory.
static BUILDING: Mutex<()> = Mutex::new(());
/// The guests that this process has built, by package.
static BUILT: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
/// The greeting in the component of the guest `greeter`.
const GREETING: &str = "greeting-of-25-characters";

/// A chatbot component that answers every text with `greeting`.
///
/// # Panics
///
/// When it is longer than that of the guest.
pub fn greeter(greeting: &str) -> Vec<u8> {
    altered(guest("greeter"), GREETING, &format!("{greeting:width$}", width = GREETING.len()))
}

/// The component of a guest.
pub fn guest(package: &str) -> Vec<u8> {
    let _turn = BUILDING.lock();
    if let Some(built) = BUILT.lock().unwrap().get(package) {
        return built.clone();
    }
    let built = build(package);
    BUILT.lock().unwrap().insert(package.to_owned(), built.clone());
    built
}

/// A component with one text in it written over by another of the same length: guests keep some for this.
///
/// # Panics
///
/// When the text is not there.
pub fn altered(mut component: Vec<u8>, text: &str, other: &str) -> Vec<u8> {
    assert_eq!(text.len(), other.len(), "only as many bytes as there are");
    let places: Vec<usize> = (0..component.len()).filter(|at| component[*at..].starts_with(text.as_bytes())).collect();
    assert!(!places.is_empty(), "{text} is not in the component");
    for at in places {
        component[at..at + other.len()].copy_from_slice(other.as_bytes());
    }
    component
}

/// The component of a project of `examples`, made with the tools of authors in their usual place: the tests of the examples
/// compile it there, too.
pub fn example(name: &str) -> Vec<u8> {
    let _turn = BUILDING.lock();
    let project = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../examples").join(name);
    let mut build = Command::new(crate::patchbay::binary());
    build.args(["plugin", "build"]).arg(&project);
    build.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let output = build.output().unwrap();
    assert!(output.status.success(), "{name} does not build: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(project.join("build").join(format!("{name}.wasm"))).unwrap()
}

/// A directory for `plugins.dir` with the guests that tests share, each under the name of its package.
pub(crate) fn directory() -> PathBuf {
    static FILLED: OnceLock<PathBuf> = OnceLock::new();
    FILLED.get_or_init(fill_directory).clone()
}

fn fill_directory() -> PathBuf {
    let directory = crate::patchbay::binary().parent().unwrap().join("plugins-of-tests");
    std::fs::create_dir_all(&directory).unwrap();
    for package in ["clerk", "hostile-bot", "picky-fallback", "stamping-shaper"] {
        let (built, file) = (guest(package), directory.join(format!("{package}.wasm")));
        // Other test runs may be reading: a file that is right stays, another one is replaced as a whole.
        if std::fs::read(&file).is_ok_and(|bytes| bytes == built) {
            continue;
        }
        let fresh = directory.join(format!(".{package}.{}", std::process::id()));
        std::fs::write(&fresh, built).unwrap();
        std::fs::rename(fresh, file).unwrap();
    }
    directory
}

fn build(package: &str) -> Vec<u8> {
    let guests = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("guests");
    // Where other tests build guests, too, and in every profile the built-in components, which have the same dependencies.
    let target = crate::patchbay::binary().ancestors().nth(2).unwrap().join("plugins");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--target", "wasm32-wasip2", "--package", package])
        .current_dir(guests)
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_BOOTSTRAP") // of scripts/test.sh
        .output()
        .unwrap();
    assert!(output.status.success(), "{package} does not build: {}", String::from_utf8_lossy(&output.stderr));
    let file = format!("{}.wasm", package.replace('-', "_"));
    std::fs::read(target.join("wasm32-wasip2/release").join(file)).unwrap()
}
