//! Dependencies point one way (docs/ARCHITECTURE.md): read from cargo, so that a forbidden edge cannot slip in.

use std::{collections::HashMap, process::Command};

use serde_json::Value;

/// What each crate may depend on, among our own.
const ALLOWED: &[(&str, &[&str])] = &[
    ("patchbay-domain", &[]),
    ("patchbay-storage", &["patchbay-domain"]),
    ("patchbay-plugin-bindings", &[]),
    ("patchbay-plugin-host", &["patchbay-domain", "patchbay-plugin-bindings"]),
    ("patchbay-channels", &["patchbay-domain"]),
    ("patchbay-messaging", &["patchbay-domain", "patchbay-storage", "patchbay-plugin-host", "patchbay-channels"]),
    ("patchbay-api", &["patchbay-domain", "patchbay-messaging"]),
    ("patchbay-workers", &["patchbay-domain", "patchbay-messaging"]),
    ("patchbay-simulator", &[]),
    ("patchbay-author", &["patchbay-domain", "patchbay-plugin-host", "patchbay-channels"]),
    ("patchbay-scratch-database", &["patchbay-storage"]),
    ("patchbay-tests", &["patchbay-scratch-database", "patchbay-simulator"]),
];

/// Libraries that only some crates may use.
const OWNED: &[(&str, &[&str])] = &[
    ("sqlx", &["patchbay-storage", "patchbay-scratch-database", "patchbay-tests"]),
    ("wasmtime", &["patchbay-plugin-host", "patchbay-plugin-bindings"]),
    ("wasmtime-wasi", &["patchbay-plugin-host", "patchbay-plugin-bindings"]),
    ("reqwest", &["patchbay-channels", "patchbay-simulator", "patchbay-tests"]),
    ("axum", &["patchbay-api", "patchbay-simulator", "patchbay-app", "patchbay-tests"]),
    ("utoipa", &["patchbay-api"]),
    ("utoipa-axum", &["patchbay-api"]),
    ("utoipa-swagger-ui", &["patchbay-api"]),
];

/// Names of the normal dependencies of each crate of the workspace.
fn dependencies() -> HashMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let names = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap();
        let normal = all.iter().filter(|dependency| dependency["kind"].is_null());
        normal.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
    };
    packages.iter().map(|package| (package["name"].as_str().unwrap().to_owned(), names(package))).collect()
}

#[test]
fn dependencies_between_our_crates_point_one_way() {
    for (package, dependencies) in dependencies() {
        if package == "patchbay-app" {
            continue;
        }
        let allowed = ALLOWED.iter().find(|(name, _)| *name == package);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{package} has no place in the layout: give it one"));
        for dependency in dependencies.iter().filter(|name| name.starts_with("patchbay-")) {
            assert!(allowed.contains(&dependency.as_str()), "{package} must not depend on {dependency}");
        }
    }
}

#[test]
fn libraries_with_one_owner_stay_with_it() {
    for (package, dependencies) in dependencies() {
        for (library, owners) in OWNED {
            let uses = dependencies.iter().any(|name| name == library);
            assert!(!uses || owners.contains(&package.as_str()), "{package} must not use {library}");
        }
    }
}

#[test]
fn no_source_file_is_longer_than_five_hundred_lines() {
    let root = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..");
    let output = Command::new("git").args(["ls-files", "*.rs"]).current_dir(&root).output().unwrap();
    let long: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter(|file| std::fs::read_to_string(root.join(file)).is_ok_and(|text| text.lines().count() > 500))
        .map(str::to_owned)
        .collect();
    assert!(long.is_empty(), "find the seam and split: {long:?}");
}
