//! Embeds the files of `console/` with their compressed forms. The first page gets the address of this version of the files,
//! the list of modules to fetch at once, and the hash of its import map for the content policy.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use base64::Engine as _;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// Endings of served files with their types. Other files are for developers.
const TYPES: [(&str, &str); 3] =
    [("js", "text/javascript; charset=utf-8"), ("css", "text/css; charset=utf-8"), ("svg", "image/svg+xml")];
/// Folders whose modules every page needs.
const FIRST: [&str; 3] = ["vendor/", "ui/", "app/"];
const MAP_BEGIN: &str = "<script type=\"importmap\">";
const MAP_END: &str = "</script>";
/// Hexadecimal digits of the hash that names a version.
const VERSION_LENGTH: usize = 16;

struct File {
    /// Below `console/`, with `/` between its parts.
    path: String,
    content_type: &'static str,
    bytes: Vec<u8>,
}

fn main() {
    if let Err(fault) = embed() {
        println!("cargo::error={fault}");
    }
}

fn embed() -> Result<(), String> {
    let top = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../console");
    let out = PathBuf::from(variable("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", top.display());
    let mut files = vec![];
    collect(&top, "", &mut files)?;
    files.sort_by(|one, other| one.path.cmp(&other.path));

    let template = read(&top.join("index.html"))?;
    let version = version_of(&files, &template);
    let page = first_page(&String::from_utf8_lossy(&template), &version, &files);
    let map = page.split_once(MAP_BEGIN).and_then(|(_, rest)| rest.split_once(MAP_END));
    let (map, _) = map.ok_or("index.html has no import map")?;
    let map_hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(map.as_bytes()));

    let mut entries = String::new();
    for (number, file) in files.iter().enumerate() {
        entries.push_str(&entry(&out, number, file)?);
    }
    let index = File { path: String::new(), content_type: "text/html; charset=utf-8", bytes: page.into_bytes() };
    let code = format!(
        "pub const VERSION: &str = {version:?};\npub const IMPORT_MAP_SHA256: &str = {map_hash:?};\n\
         pub static PAGE: ConsoleFile = {}\npub static FILES: &[ConsoleFile] = &[\n{entries}];\n",
        entry(&out, files.len(), &index)?.trim_end().trim_end_matches(',').to_owned() + ";",
    );
    write(&out.join("files.rs"), code.as_bytes())
}

/// Writes both forms of a file and returns its value in the generated code.
fn entry(out: &Path, number: usize, file: &File) -> Result<String, String> {
    let (plain, packed) = (out.join(format!("{number}.plain")), out.join(format!("{number}.gz")));
    write(&plain, &file.bytes)?;
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    let gzip = encoder.write_all(&file.bytes).and_then(|()| encoder.finish()).map_err(|fault| fault.to_string())?;
    write(&packed, &gzip)?;
    Ok(format!(
        "ConsoleFile {{ path: {:?}, content_type: {:?}, plain: include_bytes!({:?}), gzip: include_bytes!({:?}) }},\n",
        file.path,
        file.content_type,
        plain.display().to_string(),
        packed.display().to_string(),
    ))
}

fn version_of(files: &[File], template: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(template);
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update([0]);
        hash.update(&file.bytes);
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.chars().take(VERSION_LENGTH).collect()
}

fn first_page(template: &str, version: &str, files: &[File]) -> String {
    let is_first = |path: &str| path == "texts/en.js" || FIRST.iter().any(|folder| path.starts_with(folder));
    let modules = files.iter().filter(|file| file.path.ends_with(".js") && is_first(&file.path));
    let preloads: Vec<String> =
        modules.map(|file| format!("<link rel=\"modulepreload\" href=\"{{{{assets}}}}/{}\">", file.path)).collect();
    template
        .replace("<!--preloads-->", &preloads.join("\n"))
        .replace("{{assets}}", &format!("/console/assets/{version}"))
}

fn collect(top: &Path, inside: &str, into: &mut Vec<File>) -> Result<(), String> {
    let folder = top.join(inside);
    let fault = |fault: std::io::Error| format!("{}: {fault}", folder.display());
    for entry in fs::read_dir(&folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        let kind = TYPES.iter().find(|(ending, _)| path.rsplit('.').next() == Some(ending));
        if entry.path().is_dir() {
            collect(top, &path, into)?;
        } else if let Some((_, content_type)) = kind {
            into.push(File { path, content_type, bytes: read(&entry.path())? });
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|fault| format!("{}: {fault}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|fault| format!("{}: {fault}", path.display()))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|fault| format!("{name}: {fault}"))
}
