//! Every dependency of a crate is used in it and compiled once: `make run`, `make test` and `make bench` need the same
//! features of each library.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Crates for tests only. Their dependencies are not part of the program.
const FOR_TESTS: &[&str] = &["harness", "scratch"];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn packages() -> Vec<Value> {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Every word of the Rust files under `folder`, without comments.
fn words_in(folder: &Path, words: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            words_in(&path, words);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            words_of(&path, words);
        }
    }
}

fn words_of(file: &Path, words: &mut BTreeSet<String>) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    for word in code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))) {
        // Most words come again, and a copy of each would take seconds.
        if !words.contains(word) {
            words.insert(word.to_owned());
        }
    }
}

fn name_in_code(dependency: &Value, libraries: &BTreeMap<String, String>) -> String {
    let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap();
    libraries.get(name).cloned().unwrap_or_else(|| name.replace('-', "_"))
}

fn libraries(packages: &[Value]) -> BTreeMap<String, String> {
    let library = |package: &Value| {
        let targets = package["targets"].as_array().unwrap().clone();
        let library = targets.into_iter().find(|target| target["kind"][0] == "lib")?;
        Some((package["name"].as_str()?.to_owned(), library["name"].as_str()?.replace('-', "_")))
    };
    packages.iter().filter_map(library).collect()
}

#[test]
fn every_dependency_that_a_crate_names_is_used_there() {
    let packages = packages();
    let libraries = libraries(&packages);
    let mut unused = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let folder = PathBuf::from(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        let (mut shipped, mut anywhere, mut building) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        words_in(&folder.join("src"), &mut shipped);
        anywhere.extend(shipped.iter().cloned());
        for part in ["tests", "examples", "benches", "it"] {
            words_in(&folder.join(part), &mut anywhere);
        }
        words_of(&folder.join("build.rs"), &mut building);
        for dependency in package["dependencies"].as_array().unwrap() {
            let words = match dependency["kind"].as_str() {
                None if FOR_TESTS.contains(&name) => &anywhere,
                None => &shipped,
                Some("build") => &building,
                Some(_) => &anywhere,
            };
            let wanted = name_in_code(dependency, &libraries);
            if !words.contains(&wanted) {
                unused.push(format!("{name}: {wanted}"));
            }
        }
    }
    assert!(unused.is_empty(), "leave these out of the Cargo.toml, or under `dev-dependencies`: {unused:#?}");
}

#[test]
fn every_dependency_of_the_workspace_belongs_to_a_crate() {
    let text =
        std::fs::read_to_string(PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../Cargo.toml"))
            .unwrap();
    let (_, section) = text.split_once("[workspace.dependencies]\n").unwrap();
    let section = section.split("\n[").next().unwrap();
    let declared = section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let named: BTreeSet<String> = packages()
        .iter()
        .flat_map(|package| package["dependencies"].as_array().unwrap().clone())
        .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
        .collect();
    let unnamed: Vec<&str> = declared.filter(|name| !name.starts_with('#') && !named.contains(*name)).collect();
    assert!(unnamed.is_empty(), "no crate uses {unnamed:?}");
}

/// Every library of a build with its sets of features.
fn built(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let tree = ["tree", "--workspace", "--locked", "--prefix", "none", "--format", "{p}\t{f}"];
    let mut libraries: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // An empty line separates two crates of the workspace.
    for line in cargo(&[&tree[..], arguments].concat()).lines().filter(|line| !line.is_empty()) {
        let (library, features) = line.trim_end_matches(" (*)").split_once('\t').unwrap();
        libraries.entry(library.to_owned()).or_default().insert(features.to_owned());
    }
    assert!(libraries.len() > 100, "cargo tree named only {} libraries", libraries.len());
    libraries
}

/// Its support for concurrent calls is on if it is compiled, and it makes small calls fifty times slower.
#[test]
fn wasmtime_is_compiled_without_concurrent_calls_of_components() {
    let program = built(&["--edges", "no-dev"]);
    let of_wasmtime = program.iter().filter(|(library, _)| library.starts_with("wasmtime v"));
    let features: BTreeSet<&str> =
        of_wasmtime.flat_map(|(_, sets)| sets).flat_map(|features| features.split(',')).collect();
    assert!(features.contains("component-model"), "{features:?}");
    assert!(!features.contains("component-model-async"), "{features:?}");
}

#[test]
fn tests_and_benchmarks_want_no_other_features_than_the_program() {
    let (program, all) = (built(&["--edges", "no-dev"]), built(&[]));
    let differs = |(library, features): &(&String, &BTreeSet<String>)| {
        // If another set of features is added (libraries of macros), the first stays. If a set is replaced, the library
        // and all crates that depend on it are compiled again.
        all.get(*library).is_none_or(|wanted| !features.is_subset(wanted))
    };
    let differing: Vec<&String> = program.iter().filter(differs).map(|(library, _)| library).collect();
    assert!(
        differing.is_empty(),
        "with the dev-dependencies these have other features and everything on them is built twice: {differing:?}; name the \
         feature in [workspace.dependencies]"
    );
}
