//! Released interfaces in `wit/` are never edited (`wit/README.md`): existing plugins were built against them.

use std::{collections::BTreeMap, path::PathBuf};

use sha2::{Digest, Sha256};

fn wit() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../wit")
}

/// The significant text: without comments and repeated spaces.
fn essence(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// `FILE HASH` of every file of the releases, sorted.
fn found() -> String {
    let mut hashes = BTreeMap::new();
    let draft = std::fs::read_to_string(wit().join("DRAFT")).unwrap_or_default();
    let is_release = |path: &PathBuf| path.is_dir() && !draft.lines().any(|folder| path.ends_with(folder));
    for release in std::fs::read_dir(wit()).unwrap().map(|entry| entry.unwrap().path()).filter(is_release) {
        for file in std::fs::read_dir(&release).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.strip_prefix(wit()).unwrap().display().to_string();
            let hash = Sha256::digest(essence(&std::fs::read_to_string(&file).unwrap()));
            hashes.insert(name, hex::encode(hash));
        }
    }
    hashes.into_iter().map(|(name, hash)| format!("{name} {hash}\n")).collect()
}

#[test]
fn a_released_interface_is_never_edited() {
    let released = std::fs::read_to_string(wit().join("RELEASED")).unwrap();
    let found = found();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (released, found) = (lines(&released), lines(&found));
    let changed: Vec<_> = released.iter().filter(|line| !found.contains(line)).collect();
    let new: Vec<_> = found.iter().filter(|line| !released.contains(line)).collect();
    assert!(
        changed.is_empty() && new.is_empty(),
        "a released interface was edited, or a new one is not listed: put changes into a new folder, and add its lines \
         to wit/RELEASED when it is released. A folder in wit/DRAFT may change.\nno longer there: {changed:#?}\nnot listed: {new:#?}"
    );
}

#[test]
fn comments_and_spaces_may_be_edited_and_nothing_else() {
    let text = "/// Says hello.\ninterface greeter {\n    greet: func(name: string) -> string;\n}\n";
    let reworded = "/// Greets.\ninterface greeter {\n  // By name.\n  greet: func(name: string)\n    -> string;\n}\n";
    assert_eq!(essence(text), essence(reworded));
    assert_ne!(essence(text), essence(&text.replace("name: string", "name: u8")));
    assert_ne!(essence(text), essence(&text.replace("greet:", "welcome:")));
}

/// Names of functions and fields that code generators of some language add to generated types.
const TAKEN: [&str; 4] = ["tag", "type", "new", "drop"];

/// Names of the declared cases, fields and functions.
fn declared(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    let name = |line: &str| {
        let end =
            line.find(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit() && letter != '-')?;
        let (name, rest) = line.split_at(end);
        rest.starts_with(['(', ',', ':']).then(|| name.to_owned())
    };
    code.filter_map(name).collect()
}

#[test]
fn no_name_of_the_newest_interface_is_one_that_generators_add_themselves() {
    let releases = std::fs::read_dir(wit()).unwrap().map(|entry| entry.unwrap().path());
    let newest = releases.filter(|path| path.is_dir()).max().unwrap();
    let texts =
        std::fs::read_dir(&newest).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let names: Vec<String> = texts.flat_map(|text| declared(&text)).collect();
    assert!(names.len() > 100 && names.contains(&"add-tag".to_owned()), "{names:?}");
    let taken: Vec<&String> = names.iter().filter(|name| TAKEN.contains(&name.as_str())).collect();
    assert!(taken.is_empty(), "{}: {taken:?}", newest.display());
    assert!(declared("    tag(string),").contains(&"tag".to_owned()), "a declaration of the track 0.1 is found");
}
