//! The codes of failed messages that `docs/errors.md` lists are those that there are.

use std::{collections::BTreeMap, fs, path::Path};

use channels::whatsapp_cloud::error_codes::{CodeAction, table};
use domain::failure_code::OwnCode;

/// The rows of the table below a heading.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/errors.md");
    let page = fs::read_to_string(page).unwrap();
    let below = page.split_once(&format!("\n## {heading}\n")).expect(heading).1;
    let table = below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let row = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    table.filter(|line| !line.starts_with("|---")).skip(1).map(row).collect()
}

#[test]
fn our_own_codes_are_the_documented_ones() {
    let documented: Vec<i64> = rows("Our own codes").iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(documented, OwnCode::ALL.map(OwnCode::code));
}

#[test]
fn the_codes_of_whatsapp_and_their_effects_are_the_documented_ones() {
    let cell = |row: &[String]| (row[0].parse().unwrap(), (row[1].clone(), row[2].clone()));
    let documented: BTreeMap<i64, (String, String)> = rows("Codes of WhatsApp").iter().map(|row| cell(row)).collect();
    let then = |action: CodeAction| match action {
        CodeAction::Reject => "fails",
        CodeAction::StopAccount => "waits",
        CodeAction::NotOnWhatsApp => "falls back",
        CodeAction::NeedsNumber => "by number",
        CodeAction::Retry | CodeAction::SlowDown | CodeAction::PairLimited => "again",
    };
    let ours: BTreeMap<i64, (String, String)> =
        table().iter().map(|row| (row.code, (then(row.action).to_owned(), row.meaning.to_owned()))).collect();
    assert_eq!(documented, ours);
}

#[test]
fn every_code_has_a_cure() {
    let tables = [("Our own codes", 2), ("Codes of WhatsApp", 3)];
    for (heading, cure) in tables {
        for row in rows(heading) {
            assert!(row.get(cure).is_some_and(|cure| !cure.is_empty()), "{row:?}");
        }
    }
}
