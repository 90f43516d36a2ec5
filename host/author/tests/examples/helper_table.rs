//! The table of helpers in the reference names functions that exist.

use std::collections::BTreeSet;

use crate::{component_cache::files, root};

/// The sources of each column. A name must stand in one folder of each list.
const COLUMNS: [&[&[&str]]; 5] = [
    &[&["plugins/sdk/src", "examples/order-bot-rust/src", "examples/llm-bot/src", "tests/guests/errand-bot/src"]],
    &[&["plugins/templates/ts", "examples/order-bot-ts"], &["plugins/templates/js", "examples/order-bot-ts"]],
    &[&["plugins/templates/python", "examples/order-bot-python"]],
    &[&["plugins/templates/go", "examples/order-bot-go"]],
    &[&["plugins/templates/c", "examples/order-bot-c"]],
];

/// All names in the sources of folders.
fn names(folders: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in folders.iter().flat_map(|folder| files(&root().join(folder))) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        names.extend(words.map(str::to_owned));
    }
    names
}

/// The name of a function or field, such as `text` of `Action::text(..)`.
fn called(code: &str) -> &str {
    let path = code.split('(').next().unwrap_or_default();
    path.rsplit([':', '.', '>']).next().unwrap_or_default()
}

#[test]
fn every_helper_of_the_table_exists_in_its_language() {
    let reference = std::fs::read_to_string(root().join("docs/plugins/reference.md")).unwrap();
    let section = reference.split("\n## Helpers\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let known = COLUMNS.map(|lists| lists.iter().map(|folders| names(folders)).collect::<Vec<_>>());
    let mut compared = 0;
    let files = reference.split("\n### Files\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let files = files.lines().filter(|line| line.matches('|').count() == COLUMNS.len() + 2 && !line.starts_with("| |"));
    for row in section.lines().chain(files).filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), COLUMNS.len() + 1, "{row}");
        for (cell, lists) in cells.iter().skip(1).zip(&known) {
            let codes: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
            assert!(!codes.is_empty(), "a language has no helper: {row}");
            for code in codes {
                assert!(lists.iter().all(|names| names.contains(called(code))), "`{code}` is unknown: {row}");
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "only {compared} helpers were compared");
}
