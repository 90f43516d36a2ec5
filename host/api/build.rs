use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs};

/// Endings of the embedded texts. `openapi.json` is served as it is made, at `/openapi.json`.
const TEXTS: [&str; 2] = ["md", "xsd"];
const IMAGES: [&str; 1] = ["webp"];

fn main() {
    if let Err(reason) = embed() {
        println!("cargo::error={reason}");
    }
}

fn embed() -> Result<(), String> {
    let top = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../docs");
    let top = top.canonicalize().map_err(|fault| format!("{}: {fault}", top.display()))?;
    let mut files = vec![];
    collect(&top, &mut files)?;
    files.sort();
    let entries = |endings: &[&str], embedding: &str| -> String {
        let chosen = files.iter().filter(|file| has_ending(file, endings));
        chosen.filter_map(|file| entry(&top, file, embedding)).collect()
    };
    let code = format!(
        "/// The texts of `docs/` by their path below it.\npub(super) static FILES: &[(&str, &str)] = &[{}\n];\n\
         /// The images.\npub(super) static IMAGES: &[(&str, &[u8])] = &[{}\n];\n",
        entries(&TEXTS, "include_str"),
        entries(&IMAGES, "include_bytes"),
    );
    let out = PathBuf::from(variable("OUT_DIR")?).join("docs.rs");
    fs::write(&out, code).map_err(|fault| format!("{}: {fault}", out.display()))
}

fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}

fn entry(top: &Path, file: &Path, embedding: &str) -> Option<String> {
    let inside: Vec<_> = file.strip_prefix(top).ok()?.iter().filter_map(|part| part.to_str()).collect();
    let mut line = String::new();
    write!(line, "\n    ({:?}, {embedding}!({:?})),", inside.join("/"), file.display().to_string()).ok()?;
    Some(line)
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let fault = |fault| format!("{}: {fault}", folder.display());
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else {
            into.push(path);
        }
    }
    Ok(())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|fault| format!("{name}: {fault}"))
}
