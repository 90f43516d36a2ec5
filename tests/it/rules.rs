//! The tables of `docs/rules/` name existing tests, and every implemented part of the specification has rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Parts of SPEC with a row for each of their rules.
const COVERED: [&str; 33] = [
    "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15",
    "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8", "4.9",
    "6.1", "6.2",
];
/// The same for parts about events.
const COVERED_EVENTS: [&str; 4] = ["6.3", "6.4", "6.5", "6.6"];

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..").canonicalize().unwrap()
}

/// Path and text of each file below a folder with this extension.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let (root, mut found, mut folders) = (root(), Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let text = fs::read_to_string(root.join(&path)).unwrap();
                found.push((path.to_str().unwrap().to_owned(), text));
            }
        }
    }
    found
}

fn tests_of(source: &str) -> Vec<String> {
    let (mut tests, mut marked) = (Vec::new(), false);
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            marked |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            continue;
        }
        let after = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let Some(name) = after.filter(|_| marked).and_then(|rest| rest.split(['(', '<']).next()) {
            tests.push(name.to_owned());
        }
        marked = false;
    }
    tests
}

struct Named {
    tests: BTreeMap<String, Vec<String>>,
    sources: Vec<String>,
    /// Names of crates, folders and files.
    places: BTreeSet<String>,
}

impl Named {
    fn of_the_project() -> Self {
        let mut named = Self { tests: BTreeMap::new(), sources: Vec::new(), places: BTreeSet::new() };
        for (path, text) in ["host", "tests", "plugins"].into_iter().flat_map(|folder| files(folder, "rs")) {
            for test in tests_of(&text) {
                named.tests.entry(test).or_default().push(path.clone());
            }
            let parts = Path::new(&path).iter().map(|part| part.to_str().unwrap().trim_end_matches(".rs").to_owned());
            named.places.extend(parts);
            named.sources.push(path);
        }
        named
    }

    /// The fault of a name in a table, if there is one.
    fn fault(&self, name: &str) -> Option<String> {
        if name.contains('/') {
            let is_there = |path: &String| path.contains(name) || path.contains(&name.replacen('/', "/src/", 1));
            return (!self.sources.iter().any(is_there)).then(|| format!("there is no source `{name}`"));
        }
        let mut parts: Vec<&str> = name.split("::").collect();
        let last = parts.pop()?;
        if let Some(files) = self.tests.get(last) {
            let is_in = |file: &String| parts.iter().all(|part| *part == "tests" || file.contains(part));
            return (!files.iter().any(is_in)).then(|| format!("`{name}` is in {files:?}"));
        }
        // Short names that two of the pages use.
        let is_place = |part: &str| self.places.contains(part) || ["db", "http"].contains(&part);
        let is_sentence = last.matches('_').count() > 2;
        let all_places = parts.iter().chain([&last]).all(|part| is_place(part));
        (is_sentence || !all_places).then(|| format!("there is no test or module `{name}`"))
    }
}

fn rows(page: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let lines: Vec<&str> = page.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let is_head = lines.get(at + 1).is_some_and(|next| next.starts_with("|---"));
        if line.starts_with('|') && !line.starts_with("|---") && !is_head {
            let cells = line.trim_start_matches('|').trim_end_matches('|').split(" | ");
            rows.push(cells.map(|cell| cell.trim().to_owned()).collect());
        }
    }
    rows
}

fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn pages() -> Vec<(String, String)> {
    let pages = files("docs/rules", "md");
    pages.into_iter().filter(|(path, _)| !path.ends_with("README.md")).collect()
}

#[test]
fn the_tables_of_rules_name_tests_that_exist() {
    let named = Named::of_the_project();
    let mut wrong = Vec::new();
    for (path, page) in pages() {
        let rows = rows(&page);
        assert!(!rows.is_empty(), "{path} has no rows");
        for row in rows {
            let tests = row.last().unwrap();
            let names = quoted(tests);
            if names.is_empty() && !tests.starts_with("the same") {
                wrong.push(format!("{path}: no test for {row:?}"));
            }
            wrong.extend(names.iter().filter_map(|name| named.fault(name)).map(|fault| format!("{path}: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_index_of_rules_names_every_page_and_nothing_else() {
    let index = fs::read_to_string(root().join("docs/rules/README.md")).unwrap();
    let linked: BTreeSet<String> =
        index.split("](").skip(1).filter_map(|rest| Some(rest.split_once(".md)")?.0.to_owned())).collect();
    let pages: BTreeSet<String> =
        pages().iter().map(|(path, _)| Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(linked, pages);
}

#[test]
fn every_part_of_the_specification_that_is_built_has_rows() {
    let mut said = BTreeSet::new();
    for row in pages().iter().flat_map(|(_, page)| rows(page)) {
        let words = row[0].split(|one: char| !(one.is_ascii_digit() || one == '.'));
        said.extend(words.map(|word| word.trim_matches('.').to_owned()));
    }
    let missing: Vec<&&str> = COVERED.iter().chain(&COVERED_EVENTS).filter(|part| !said.contains(**part)).collect();
    assert!(missing.is_empty(), "no rule of {missing:?} has a row");
}

#[test]
fn a_name_that_is_no_test_is_found_out() {
    let named = Named::of_the_project();
    assert_eq!(named.fault("rules::a_name_that_is_no_test_is_found_out"), None);
    assert_eq!(named.fault("tests/it/rules.rs"), None);
    assert_eq!(named.fault("isolation"), None);
    assert!(named.fault("a_test_that_does_not_exist").is_some());
    assert!(named.fault("isolation::a_name_that_is_no_test_is_found_out").is_some(), "it is elsewhere");
    assert!(named.fault("tests/it/nowhere.rs").is_some());
    assert!(named.fault("nowhere").is_some());
}
