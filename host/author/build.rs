//! Embeds the files for `patchbay plugin new`: the templates, the released interface, the Rust SDK.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs};

const TREES: [(&str, &str); 4] = [
    ("TEMPLATES", "plugins/templates"),
    ("FLOWS", "plugins/flow/flows"),
    ("WIT", "wit/plugin-0.3.0"),
    ("SDK", "plugins/sdk"),
];
const LEFT_BEHIND: [&str; 6] = ["target", "node_modules", ".venv", "__pycache__", "build", "gen"];

fn main() {
    if let Err(reason) = embed() {
        println!("cargo::error={reason}");
    }
}

fn embed() -> Result<(), String> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../..");
    let root = root.canonicalize().map_err(|fault| format!("{}: {fault}", root.display()))?;
    let mut code = String::new();
    for (name, folder) in TREES {
        let top = root.join(folder);
        let mut files = vec![];
        collect(&top, &mut files)?;
        files.sort();
        let entries: String = files.iter().filter_map(|file| entry(&top, file)).collect();
        let _ = writeln!(
            code,
            "/// Files of `{folder}` by their path below it.\npub(crate) static {name}: &[EmbeddedFile] = &[{entries}];"
        );
    }
    let versions = root.join("plugins/Cargo.toml");
    println!("cargo::rerun-if-changed={}", versions.display());
    let _ = writeln!(
        code,
        "/// Where the versions of the SDK's dependencies stand.\npub(crate) static SDK_VERSIONS: &str = include_str!({:?});",
        versions.display().to_string()
    );
    let out = PathBuf::from(variable("OUT_DIR")?).join("embedded.rs");
    fs::write(&out, code).map_err(|fault| format!("{}: {fault}", out.display()))
}

fn entry(top: &Path, file: &Path) -> Option<String> {
    let inside: Vec<_> = file.strip_prefix(top).ok()?.iter().filter_map(|part| part.to_str()).collect();
    Some(format!(
        "\n    EmbeddedFile {{ path: {:?}, bytes: include_bytes!({:?}) }},",
        inside.join("/"),
        file.display().to_string()
    ))
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let fault = |fault| format!("{}: {fault}", folder.display());
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match path.is_dir() {
            true if LEFT_BEHIND.contains(&name) => {}
            true => collect(&path, into)?,
            false => into.push(path),
        }
    }
    Ok(())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|fault| format!("{name}: {fault}"))
}
