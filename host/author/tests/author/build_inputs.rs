//! A build is current as long as no source and no command has changed.

use std::path::Path;

use author::{Project, build};

const MANIFEST: &str =
    "name = \"copy\"\nworld = \"router\"\nbuild = \"cp src/made.wasm out.wasm\"\noutput = \"out.wasm\"\n";

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let file = root.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

/// A project whose command copies a component, built once.
fn built(manifest: &str, source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "plugin.toml", manifest);
    write(folder.path(), "src/made.wasm", wat::parse_str("(component)").unwrap());
    write(folder.path(), "src/text.txt", source);
    build::build(&Project::open(folder.path()).unwrap(), &mut |_| {}).unwrap();
    folder
}

fn is_current(root: &Path) -> bool {
    build::is_current(&Project::open(root).unwrap())
}

#[test]
fn a_build_is_current_until_a_file_is_changed_added_or_removed() {
    let folder = built(MANIFEST, "one");
    let root = folder.path();
    assert!(is_current(root), "the output and the folder of the build are no sources");
    write(root, "src/text.txt", "two");
    assert!(!is_current(root));
    write(root, "src/text.txt", "one");
    assert!(is_current(root), "the same content again");
    write(root, "src/more.txt", "");
    assert!(!is_current(root));
    std::fs::remove_file(root.join("src/more.txt")).unwrap();
    assert!(is_current(root));
    std::fs::rename(root.join("src/text.txt"), root.join("src/other.txt")).unwrap();
    assert!(!is_current(root));
}

#[test]
fn another_command_needs_a_build() {
    let folder = built(MANIFEST, "one");
    write(folder.path(), "plugin.toml", MANIFEST.replace("cp src", "cp -f src"));
    assert!(!is_current(folder.path()));
    build::build(&Project::open(folder.path()).unwrap(), &mut |_| {}).unwrap();
    assert!(is_current(folder.path()));
}

#[test]
fn a_component_that_was_replaced_is_not_current() {
    let folder = built(MANIFEST, "one");
    write(folder.path(), "build/copy.wasm", wat::parse_str("(component (core module))").unwrap());
    assert!(!is_current(folder.path()));
    std::fs::remove_file(folder.path().join("build/copy.wasm")).unwrap();
    assert!(!is_current(folder.path()));
}

#[test]
fn a_project_with_sources_outside_of_its_folder_is_always_built() {
    assert!(is_current(built(MANIFEST, "import './other'; import '../inside'").path()));
    assert!(!is_current(built(MANIFEST, "import '../../shared/helpers'").path()));
    assert!(!is_current(built(&MANIFEST.replace("cp src", "cd ../*/ && cp src"), "one").path()));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_outside_of_the_project_is_not_trusted() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    let folder = built(MANIFEST, "one");
    std::os::unix::fs::symlink("text.txt", folder.path().join("src/inside.txt")).unwrap();
    build::build(&Project::open(folder.path()).unwrap(), &mut |_| {}).unwrap();
    assert!(is_current(folder.path()));
    std::os::unix::fs::symlink(outside.path(), folder.path().join("src/outside.txt")).unwrap();
    build::build(&Project::open(folder.path()).unwrap(), &mut |_| {}).unwrap();
    assert!(!is_current(folder.path()));
}

#[test]
fn a_command_that_changes_a_source_leaves_no_record() {
    let manifest = MANIFEST.replace("out.wasm\"\noutput", "out.wasm && echo more >> src/text.txt\"\noutput");
    assert!(!is_current(built(&manifest, "one").path()));
}
