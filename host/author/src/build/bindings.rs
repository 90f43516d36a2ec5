//! Bindings of the interface for a language: by a generator in this program, or by the tool of the language.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

use plugin_host::World;
use wit_bindgen_core::{Files, WorldGenerator};

use super::{
    error::BuildError,
    go,
    interface::{self, Imports, WorldParts},
    python,
    run::{on_path, run, write},
    typescript,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingsLang {
    Rust,
    C,
    Go,
    Ts,
    Python,
    WitBindgen(&'static str),
}

const LANGUAGES: [(&str, BindingsLang); 10] = [
    ("rust", BindingsLang::Rust),
    ("c", BindingsLang::C),
    ("go", BindingsLang::Go),
    ("ts", BindingsLang::Ts),
    ("js", BindingsLang::Ts),
    ("python", BindingsLang::Python),
    ("cpp", BindingsLang::WitBindgen("cpp")),
    ("csharp", BindingsLang::WitBindgen("csharp")),
    ("d", BindingsLang::WitBindgen("d")),
    ("moonbit", BindingsLang::WitBindgen("moonbit")),
];

impl FromStr for BindingsLang {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = LANGUAGES.iter().find(|(name, _)| *name == text).map(|(_, lang)| *lang);
        found.ok_or_else(|| {
            let known = LANGUAGES.map(|(name, _)| name).join(", ");
            format!("`{text}` has no generator here; there are: {known}. For any other language, use the files in wit/")
        })
    }
}

impl fmt::Display for BindingsLang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = LANGUAGES.iter().find(|(_, lang)| lang == self);
        f.write_str(found.map_or("unknown", |(name, _)| name))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct GeneratedBindings {
    pub wit: PathBuf,
    /// The generated files, in the output folder. Empty if the tool must be run by hand, or names no files.
    pub files: Vec<PathBuf>,
    /// The command of a tool that is not part of this program.
    pub command: Option<String>,
    /// Whether the bindings exist now. `false` if the tool of the command is not installed.
    pub done: bool,
}

/// Writes the interface and its bindings for a world to `out`, with the export `validation` if `validates` is true.
/// Blocks. `progress` gets status messages.
pub fn bindings(
    lang: BindingsLang,
    world: World,
    validates: bool,
    out: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<GeneratedBindings, BuildError> {
    let wit = out.join("wit");
    // Tools that keep unused imports would make a component ask for interfaces that its world does not grant.
    let imports = match lang {
        BindingsLang::Python | BindingsLang::WitBindgen(_) => Imports::Granted,
        _ => Imports::Every,
    };
    interface::lay_out_own(&wit, &WorldParts { world, imports, validates })?;
    let made = |files| GeneratedBindings { wit: wit.clone(), files, command: None, done: true };
    match lang {
        BindingsLang::Rust => {
            let options = wit_bindgen_rust::Opts {
                format: true,
                generate_all: true,
                pub_export_macro: true,
                ..wit_bindgen_rust::Opts::default()
            };
            generate("Rust", Box::new(options.build()), &wit, out).map(made)
        }
        BindingsLang::C => generate_c(&wit, out).map(made),
        BindingsLang::Go => {
            let package = out.file_name().and_then(|name| name.to_str()).unwrap_or("bindings");
            let files = generate("Go", go::generator(&format!("local/{package}")), &wit, out)?;
            go::write_runtime(&out.join("go-pkg"))?;
            Ok(made(files))
        }
        BindingsLang::Ts => {
            let (resolve, _) = interface::resolve(&wit)?;
            let file = PathBuf::from("patchbay.d.ts");
            write(&out.join(&file), typescript::declarations(&resolve))?;
            Ok(made(vec![file]))
        }
        BindingsLang::Python => {
            let command = python::make_bindings(&wit, &out.join("python"), progress)?;
            Ok(GeneratedBindings { command: Some(command), ..made(vec![PathBuf::from("python")]) })
        }
        BindingsLang::WitBindgen(generator) => with_tool(generator, &wit, out),
    }
}

/// Writes `plugin.h`, `plugin.c` and the object file that describes the world.
pub(super) fn generate_c(wit: &Path, out: &Path) -> Result<Vec<PathBuf>, BuildError> {
    generate("C", wit_bindgen_c::Opts::default().build(), wit, out)
}

fn generate(
    lang: &str,
    mut generator: Box<dyn WorldGenerator>,
    wit: &Path,
    out: &Path,
) -> Result<Vec<PathBuf>, BuildError> {
    let (mut resolve, world) = interface::resolve(wit)?;
    let mut files = Files::default();
    let failed = |fault| BuildError::Failed { step: format!("making {lang} bindings"), output: format!("{fault:#}") };
    generator.generate(&mut resolve, world, &mut files).map_err(failed)?;
    let mut written = vec![];
    for (path, contents) in files.iter() {
        write(&out.join(path), contents)?;
        written.push(PathBuf::from(path));
    }
    Ok(written)
}

/// Runs `wit-bindgen` if it is installed.
fn with_tool(generator: &str, wit: &Path, out: &Path) -> Result<GeneratedBindings, BuildError> {
    let arguments = |command: &mut Command| {
        command.arg(generator).arg(wit).args(["--world", interface::WORLD, "--out-dir"]).arg(out);
    };
    let shown =
        format!("wit-bindgen {generator} {} --world {} --out-dir {}", wit.display(), interface::WORLD, out.display());
    let tool = on_path("wit-bindgen");
    if let Some(tool) = &tool {
        let mut command = Command::new(tool);
        arguments(&mut command);
        run("wit-bindgen", &mut command)?;
    }
    Ok(GeneratedBindings { wit: wit.to_owned(), files: vec![], command: Some(shown), done: tool.is_some() })
}
