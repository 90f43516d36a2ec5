//! Rules for the files of the tree.

use std::{path::PathBuf, process::Command};

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..").canonicalize().unwrap()
}

/// Every text file of the project with its path: tracked files, and new ones that git does not ignore.
fn texts() -> Vec<(String, String)> {
    let list = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .unwrap();
    let files = String::from_utf8(list.stdout).unwrap();
    let texts: Vec<(String, String)> = files
        .split('\0')
        .filter(|file| !file.is_empty())
        .filter_map(|file| Some((file.to_owned(), std::fs::read_to_string(root().join(file)).ok()?)))
        .collect();
    assert!(texts.len() > 100, "found only {} files", texts.len());
    texts
}

fn lines_that(wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let texts = texts();
    let lines = texts.iter().flat_map(|(file, text)| text.lines().map(move |line| (file, line)));
    lines.filter(|(_, line)| wrong(line)).map(|(file, line)| format!("{file}: {line}")).collect()
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let checkout = root().display().to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    // A path of one short name, such as the home of the administrator, can occur in a text by chance.
    let telling = |path: &String| path.matches('/').count() > 1;
    let machine: Vec<String> = [checkout, home].into_iter().filter(telling).map(|path| format!("{path}/")).collect();

    let found = lines_that(|line| {
        let of_this_machine = machine.iter().any(|path| line.contains(path.as_str()));
        let of_a_person = ["home", "Users"].iter().any(|parent| line.contains(&format!("/{parent}/")));
        of_this_machine || of_a_person
    });

    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_file_is_left_by_a_run_of_a_program_or_an_editor() {
    const LEFT: &[&str] = &["pid", "log", "tmp", "bak", "orig", "rej", "swp", "profraw", "core"];
    let found: Vec<String> = texts()
        .into_iter()
        .map(|(file, _)| file)
        .filter(|file| file.rsplit_once('.').is_some_and(|(_, extension)| LEFT.contains(&extension)))
        .collect();

    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn lock_files_name_public_registries_only() {
    const PUBLIC: &[&str] = &[
        "https://github.com/rust-lang/crates.io-index",
        "https://registry.npmjs.org/",
        "https://pypi.org/",
        "https://files.pythonhosted.org/",
    ];
    let is_lock = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.ends_with(".lock") || name.ends_with("-lock.json") || name.starts_with("requirements") || name == "go.sum"
    };
    let mut foreign = Vec::new();
    for (file, text) in texts().into_iter().filter(|(file, _)| is_lock(file)) {
        let sources = text.lines().filter(|line| {
            let fields = ["source = \"", "\"resolved\":", "--index-url", "--extra-index-url", "--find-links"];
            fields.iter().any(|field| line.trim_start().starts_with(field))
        });
        let elsewhere = sources.filter(|line| !PUBLIC.iter().any(|host| line.contains(host)));
        foreign.extend(elsewhere.map(|line| format!("{file}: {line}")));
    }
    assert!(foreign.is_empty(), "{foreign:#?}");
}

#[test]
fn no_package_manager_is_configured_with_a_private_registry() {
    let settings = [".npmrc", "pip.conf", ".cargo/config.toml", ".cargo/config", ".yarnrc", ".pypirc"];
    let telling = ["registry=", "index-url", "replace-with", "[registries", "_authToken"];
    let found: Vec<String> = texts()
        .iter()
        .filter(|(file, _)| settings.iter().any(|setting| file.ends_with(setting)))
        .flat_map(|(file, text)| text.lines().map(move |line| format!("{file}: {line}")))
        .filter(|line| telling.iter().any(|word| line.contains(word)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_code_has_no_todo_comments() {
    let marks = ["TODO", "FIXME", "XXX"].map(|mark| format!("{mark}:"));
    let unfinished = [["to", "do!("].concat(), ["unimple", "mented!("].concat()];
    let found = lines_that(|line| marks.iter().chain(&unfinished).any(|mark| line.contains(mark.as_str())));
    let own = |line: &&String| {
        !line.starts_with("tests/it/hygiene.rs") && line.split(':').next().is_some_and(|file| file.ends_with(".rs"))
    };
    let found: Vec<&String> = found.iter().filter(own).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_lock_can_be_poisoned() {
    let found = lines_that(|line| line.contains(&["Poison", "Error"].concat()));
    let found: Vec<&String> =
        found.iter().filter(|line| line.split(':').next().is_some_and(|file| file.ends_with(".rs"))).collect();
    assert!(found.is_empty(), "take the locks of parking_lot: {found:#?}");
}

#[test]
fn migrations_are_numbered_without_a_gap() {
    let mut numbers: Vec<u32> = std::fs::read_dir(root().join("migrations"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .map(|name| {
            assert!(name.ends_with(".sql"), "{name} is no migration");
            name.split('_').next().unwrap().parse().unwrap_or_else(|_| panic!("{name} has no number"))
        })
        .collect();
    numbers.sort_unstable();
    let expected: Vec<u32> = (1..=u32::try_from(numbers.len()).unwrap()).collect();
    assert!(!numbers.is_empty() && numbers == expected, "{numbers:?}");
}

#[test]
fn every_world_of_a_released_interface_is_there_and_documented() {
    let releases: Vec<PathBuf> = std::fs::read_dir(root().join("wit"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    assert!(!releases.is_empty(), "no released version");
    assert!(root().join("wit/README.md").is_file(), "the rules of change");
    for release in releases {
        let files = std::fs::read_dir(&release).unwrap().map(|entry| entry.unwrap().path());
        let text: String = files
            .filter(|file| file.extension().is_some_and(|kind| kind == "wit"))
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect();
        for world in ["chatbot", "sms-fallback", "webhook-shaper"] {
            assert!(text.contains(&format!("world {world} {{")), "{} has no world {world}", release.display());
        }
        assert!(text.contains("package patchbay:plugin@"), "{}", release.display());
    }
}

/// The folders of pages that show texts of customers, visitors and providers.
const PAGES: [&str; 3] = ["console/", WIDGET, "host/simulator/page/"];
const WIDGET: &str = "host/api-webchat/src/widget/";

/// Ways to make markup or code of a text.
const MARKUP: &[&str] = &[
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "srcdoc",
    "javascript:",
    "DOMParser",
    "createContextualFragment",
];

/// Styles in an element. The policy of a site with the widget may refuse them.
const OWN_STYLES: &[&str] = &["setAttribute(\"style\"", ".style."];

#[test]
fn no_page_makes_markup_or_code_of_a_text() {
    let is_code = |file: &str| [".js", ".html"].iter().any(|ending| file.ends_with(ending));
    let is_ours = |file: &str| !file.starts_with("console/vendor/");
    let texts = texts();
    let mut found = Vec::new();
    for folder in PAGES {
        let of_page = |file: &str| file.starts_with(folder) && is_ours(file) && is_code(file);
        let files: Vec<&(String, String)> = texts.iter().filter(|(file, _)| of_page(file)).collect();
        assert!(files.len() > 5, "found only {} files in {folder}", files.len());
        let styles: &[&str] = if folder == WIDGET { OWN_STYLES } else { &[] };
        for (file, text) in files {
            let forbidden = MARKUP.iter().chain(styles).filter(|way| text.contains(**way));
            found.extend(forbidden.map(|way| format!("{file}: {way}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
