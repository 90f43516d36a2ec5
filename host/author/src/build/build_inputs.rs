//! The digest of all that a build reads, so that a build of unchanged sources can be left out. If any input may stand
//! outside of the project, there is no digest, and the project is always built.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use plugin_host::sha256;

use super::run::on_path;
use crate::{Lang, Project, project};

/// Larger projects are always built, because reading them takes as long.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: usize = 64 << 20;
/// Folders of the root that builds write.
const MADE: [&str; 4] = ["build", "target", ".git", ".zig-cache"];
/// A folder that builds in Python write next to any source.
const COMPILED: &str = "__pycache__";
/// A folder of libraries, whose texts name paths of other machines.
const LIBRARIES: &str = "node_modules";

/// Whether the component of a project is that of its present sources and build command.
pub fn is_current(project: &Project) -> bool {
    let recorded = fs::read_to_string(record_file(project)).ok();
    recorded.is_some() && recorded == digest(project).and_then(|inputs| record_text(project, &inputs))
}

/// Notes that the component was built from the inputs with this digest, if they are still the same.
pub(super) fn record(project: &Project, before: Option<&str>) {
    let inputs = digest(project).filter(|after| Some(after.as_str()) == before);
    let file = record_file(project);
    // Without a record, the project is built again.
    let _ = match inputs.and_then(|inputs| record_text(project, &inputs)) {
        Some(text) => fs::write(file, text),
        None => fs::remove_file(file),
    };
}

fn record_file(project: &Project) -> PathBuf {
    project.root.join("build").join(format!("{}.inputs", project.name))
}

fn record_text(project: &Project, inputs: &str) -> Option<String> {
    let component = fs::read(project.component()).ok()?;
    Some(format!("inputs {inputs}\ncomponent {}\n", sha256(&component)))
}

/// `None` if not all inputs are known. Cargo knows those of a Rust project and compares them itself.
pub(super) fn digest(project: &Project) -> Option<String> {
    let root = project.root.canonicalize().ok()?;
    let is_of_cargo = project.lang == Lang::Rust && project.command.is_none();
    let leads_out = |text: &str| text.contains("..");
    let command = project.command.as_ref().map(|own| own.command.as_str());
    let schema = project.schema.as_deref().and_then(Path::to_str);
    if is_of_cargo || project.built_in.is_some() || command.into_iter().chain(schema).any(leads_out) {
        return None;
    }
    let output = project.command.as_ref().map(|own| root.join(&own.output));
    let mut inputs = Inputs { root: &root, output, list: String::new(), files: 0, bytes: 0 };
    inputs.add_program(&std::env::current_exe().ok()?)?;
    for tool in tools(project).iter().filter_map(|tool| on_path(tool)) {
        inputs.add_program(&tool)?;
    }
    inputs.add_folder(&root, 0)?;
    Some(sha256(inputs.list.as_bytes()))
}

/// The programs that the build takes from the machine if they are there.
fn tools(project: &Project) -> &'static [&'static str] {
    match project.lang {
        Lang::Ts | Lang::Js => &["node", "tsc", "esbuild", "componentize-qjs"],
        Lang::Python => &["python3", "python", "componentize-py"],
        Lang::Go => &["go"],
        Lang::C => &["zig", "clang", "wasm-ld"],
        Lang::Rust | Lang::Other => &["go", "zig"],
    }
}

struct Inputs<'a> {
    root: &'a Path,
    /// The file that the command of the project makes.
    output: Option<PathBuf>,
    /// A line for each input.
    list: String,
    files: usize,
    bytes: usize,
}

impl Inputs<'_> {
    /// A program counts by its place, size and time, because it may be large.
    fn add_program(&mut self, program: &Path) -> Option<()> {
        let facts = fs::metadata(program).ok()?;
        let age = facts.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        writeln!(self.list, "{} {} {}", program.display(), facts.len(), age.as_nanos()).ok()
    }

    /// `depth` is the number of folders between the root and the files.
    fn add_folder(&mut self, folder: &Path, depth: usize) -> Option<()> {
        let mut entries = fs::read_dir(folder).ok()?.collect::<io::Result<Vec<_>>>().ok()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            let is_made = entry.file_name() == COMPILED
                || depth == 0 && MADE.iter().any(|made| entry.file_name() == *made)
                || self.output.as_ref() == Some(&path);
            if is_made {
                continue;
            }
            if kind.is_symlink() {
                // The target is read where it stands.
                path.canonicalize().ok().filter(|target| target.starts_with(self.root))?;
            } else if kind.is_dir() {
                self.add_folder(&path, depth + 1)?;
            } else {
                self.add_file(&path, depth)?;
            }
        }
        Some(())
    }

    fn add_file(&mut self, path: &Path, depth: usize) -> Option<()> {
        let bytes = fs::read(path).ok()?;
        (self.files, self.bytes) = (self.files + 1, self.bytes + bytes.len());
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return None;
        }
        let name = path.strip_prefix(self.root).ok()?;
        let may_lead_out = !name.starts_with(LIBRARIES)
            && name != Path::new(project::FILE)
            && name.extension().is_none_or(|extension| extension != "md");
        if may_lead_out && std::str::from_utf8(&bytes).is_ok_and(|text| climbs(text, depth)) {
            return None;
        }
        writeln!(self.list, "{} {}", name.display(), sha256(&bytes)).ok()
    }
}

/// Whether a text of a file names a path above the root, which is `depth` folders above the file.
fn climbs(text: &str, depth: usize) -> bool {
    let mut steps = 0;
    for rest in text.split("../").skip(1) {
        steps += 1;
        if steps > depth {
            return true;
        }
        if !rest.is_empty() {
            steps = 0;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_above_the_root_is_found_at_each_depth() {
        for (text, depth, climbing) in [
            ("import '../shared'", 0, true),
            ("import '../shared'", 1, false),
            ("import '../a'; import '../b'", 1, false),
            ("import '../../a'", 1, true),
            ("import '../../a'", 2, false),
            ("import './a/../b'", 1, false),
            ("no path at all ..", 0, false),
        ] {
            assert_eq!(climbs(text, depth), climbing, "{text} {depth}");
        }
    }
}
