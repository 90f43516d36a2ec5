//! Builds the components in `plugins/` and writes their list for `src/loading/built_in_components.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const TARGET: &str = "wasm32-wasip2";
const COMPONENTS: [&str; 8] =
    ["default_chatbot", "flow", "router", "sms_fallback", "sms_router", "webhook_standard", "webhook_v1", "webhook_v2"];

/// Variables that the inner build must not inherit, such as flags, wrappers, and the locked target directory.
const NOT_INHERITED: [&str; 9] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CLIPPY_ARGS",
];

fn main() {
    if let Err(reason) = build() {
        println!("cargo::error={reason}");
    }
}

fn build() -> Result<(), String> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../..");
    let plugins = root.join("plugins");
    watch(&root.join("wit"))?;
    for entry in read(&plugins)? {
        // A `target` directory from a manual build changes all the time, and no component contains the templates.
        if !entry.ends_with("target") && !entry.ends_with("templates") {
            watch_component(&entry)?;
        }
    }
    target_is_installed()?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    let target_dir = plugin_target(&out)?;
    compile(&plugins, &target_dir)?;
    for name in COMPONENTS {
        let file = format!("{name}.wasm");
        let built = target_dir.join(TARGET).join("release").join(&file);
        fs::copy(&built, out.join(&file)).map_err(|fault| format!("{} was not built: {fault}", built.display()))?;
    }
    write_list(&out)
}

fn write_list(out: &Path) -> Result<(), String> {
    let entry = |name: &str| format!("({:?}, include_bytes!({:?})),", name.replace('_', "-"), format!("{name}.wasm"));
    let list = format!("[{}]", COMPONENTS.map(entry).concat());
    fs::write(out.join("built_ins.rs"), list).map_err(|fault| format!("the list of built-in plugins: {fault}"))
}

fn compile(plugins: &Path, target_dir: &Path) -> Result<(), String> {
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.args(["build", "--release", "--locked", "--quiet", "--target", TARGET]);
    cargo.arg("--manifest-path").arg(plugins.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(target_dir);
    for name in NOT_INHERITED {
        cargo.env_remove(name);
    }
    let output = cargo.output().map_err(|fault| format!("cargo could not be started: {fault}"))?;
    if output.status.success() {
        return Ok(());
    }
    // Printed line by line, because an error message of cargo has one line.
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        println!("cargo::warning={line}");
    }
    Err(format!("the built-in plugins do not build; try: cargo build --release --target {TARGET} in plugins/"))
}

/// A directory next to `debug` and `release` for both profiles, because plugins are always built for release.
fn plugin_target(out: &Path) -> Result<PathBuf, String> {
    let profile = out.ancestors().nth(3).ok_or("OUT_DIR is not where cargo usually puts it")?;
    Ok(profile.parent().unwrap_or(profile).join("plugins"))
}

fn target_is_installed() -> Result<(), String> {
    let mut rustc = Command::new(variable("RUSTC")?);
    let output = rustc.args(["--print", "target-libdir", "--target", TARGET]).env_remove("RUSTFLAGS").output();
    let output = output.map_err(|fault| format!("rustc could not be started: {fault}"))?;
    let directory = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.success() && Path::new(&directory).is_dir() {
        true => Ok(()),
        false => Err(format!("the built-in plugins need the target {TARGET}; type: rustup target add {TARGET}")),
    }
}

/// Watches the sources of a component. The ready flows of the plugin `flow` are not part of it.
fn watch_component(entry: &Path) -> Result<(), String> {
    if !entry.join("flows").is_dir() {
        return watch(entry);
    }
    read(entry)?.iter().filter(|part| !part.ends_with("flows")).try_for_each(|part| watch(part))
}

fn watch(path: &Path) -> Result<(), String> {
    let path = path.canonicalize().map_err(|fault| format!("{}: {fault}", path.display()))?;
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(())
}

fn read(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let fault = |fault| format!("{}: {fault}", directory.display());
    let entries = fs::read_dir(directory).map_err(fault)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(fault)).collect()
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|fault| format!("{name}: {fault}"))
}
