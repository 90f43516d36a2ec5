//! The documentation matches the program.

use std::fs;

use api::{ErrorKind, PERMISSIONS};
use tenancy::accounts::Role;

/// The rows of the first table of a page.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let path = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs").join(file);
    let page = fs::read_to_string(path).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let row = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    table.filter(|line| !line.starts_with("|---")).skip(1).map(row).collect()
}

#[test]
fn the_error_texts_are_the_documented_ones() {
    let documented: Vec<(String, String)> =
        rows("errors.md").into_iter().map(|row| (row[0].clone(), row[1].trim_matches('`').to_owned())).collect();
    let actual: Vec<(String, String)> = ErrorKind::ALL
        .iter()
        .map(|kind| kind.status_and_text())
        .map(|(status, text)| (status.as_u16().to_string(), text.to_owned()))
        .collect();
    assert_eq!(documented, actual);
}

#[test]
fn the_roles_are_the_documented_ones() {
    let documented = rows("roles.md");
    let actual: Vec<Vec<String>> = PERMISSIONS
        .iter()
        .map(|row| {
            let columns = [Role::Admin, Role::Supervisor, Role::Agent, Role::Developer, Role::Api];
            let is_live = !row.needs_test_key();
            let may = columns.iter().map(|role| is_live && row.roles.contains(role)).chain([row.opens_to_test_keys()]);
            let may = may.map(|may| if may { "✓" } else { "–" }.to_owned());
            std::iter::once(row.what.to_owned()).chain(may).collect()
        })
        .collect();
    assert_eq!(documented, actual);
}
