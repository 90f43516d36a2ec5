//! Each setting is used somewhere.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use settings::Settings;

/// The sources of the program without tests: file and text.
fn sources() -> Vec<(String, String)> {
    let host = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("..");
    let mut found = Vec::new();
    for package in fs::read_dir(&host).unwrap() {
        collect(&package.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 100, "only {} files found", found.len());
    let name = |path: &Path| path.strip_prefix(&host).unwrap().display().to_string();
    found.into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Lines that contain `what` as a whole word.
fn lines_with<'t>(text: &'t str, what: &str) -> Vec<&'t str> {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    let whole = |line: &&str| {
        line.match_indices(what).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + what.len()..]);
            let begins = what.starts_with('.') || !before.ends_with(part_of_word);
            begins && !after.starts_with(part_of_word)
        })
    };
    text.lines().filter(|line| !line.trim_start().starts_with("//")).filter(whole).collect()
}

/// True if the line has `what` outside its texts: error texts name settings, too.
fn has_outside_texts(line: &str, what: &str) -> bool {
    line.split('"').step_by(2).any(|code| !lines_with(code, what).is_empty())
}

/// The methods of the limits, which read their own fields.
const DEFAULTS: &str = "settings/src/defaults.rs";

/// The lines that read a setting, except in the files that define, check and show settings.
fn readings<'t>(sources: &'t [(String, String)], key: &str) -> Vec<&'t str> {
    let passes_on = [
        DEFAULTS,
        "settings/src/openid.rs",
        "settings/src/sms.rs",
        "settings/src/telegram.rs",
        "settings/src/traces.rs",
    ];
    let defines = |file: &str| file.starts_with("settings/src/") && !passes_on.contains(&file);
    let read = if key.contains('.') { key.to_owned() } else { format!("base.{key}") };
    // The data directory has its own method.
    let method = format!("{key}()");
    let names = |text: &str| text.contains(&read) || text.contains(&method);
    let texts = sources.iter().filter(|(file, text)| !defines(file) && names(text));
    let lines = texts.flat_map(|(_, text)| [lines_with(text, &read), lines_with(text, &method)].concat());
    let read_here = lines.filter(|line| has_outside_texts(line, &read) || has_outside_texts(line, &method));
    let of_limits = key.strip_prefix("limits.").map(|setting| format!("self.{setting}"));
    let defaults = sources.iter().filter(|(file, _)| file == DEFAULTS);
    read_here
        .chain(of_limits.iter().flat_map(|own| defaults.clone().flat_map(|(_, text)| lines_with(text, own))))
        .collect()
}

/// The field to which a setting is passed, as in `field: limits.setting,`.
fn handed_on_in(line: &str) -> Option<&str> {
    let (field, value) = line.trim_start().split_once(": ")?;
    let is_name = field.chars().all(|character| character.is_alphanumeric() || character == '_');
    (is_name && !value.is_empty()).then_some(field)
}

/// Files of the program that only pass settings on. The listeners use theirs.
fn hands_on(file: &str) -> bool {
    file.starts_with("app/") && !file.starts_with("app/src/listeners/")
}

#[test]
fn every_setting_is_read_by_something() {
    let sources = sources();
    let mut faults = Vec::new();
    for (section, settings) in Settings::default().sections() {
        for setting in settings.settings() {
            let key = if section.is_empty() { setting.name.to_owned() } else { format!("{section}.{}", setting.name) };
            let readings = readings(&sources, &key);
            let handed_on = readings.iter().filter_map(|line| handed_on_in(line));
            let lost: Vec<&str> = handed_on
                .filter(|field| {
                    let taken = format!(".{field}");
                    !sources.iter().any(|(file, text)| {
                        !hands_on(file) && text.contains(&taken) && !lines_with(text, &taken).is_empty()
                    })
                })
                .collect();
            if readings.is_empty() {
                faults.push(format!("nothing reads {key}"));
            } else if !lost.is_empty() {
                faults.push(format!("{key} is handed on as {lost:?}, which nothing reads"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_setting_that_nothing_reads_is_found() {
    let source = |file: &str, text: &str| (file.to_owned(), text.to_owned());
    let sources = [
        source("settings/src/limits.rs", "max_recipients: usize = 1_000, // limits.max_recipients"),
        source("app/src/boot.rs", "    recipients: limits.max_recipients_in_all,\n    // limits.max_recipients"),
        source("api/src/lib.rs", "    refuse(\"limits.max_recipients\", 429);"),
    ];
    assert!(readings(&sources, "limits.max_recipients").is_empty());
    assert_eq!(readings(&sources, "limits.max_recipients_in_all").len(), 1);
    assert_eq!(handed_on_in("    recipients: limits.max_recipients_in_all,"), Some("recipients"));
    assert_eq!(handed_on_in("let read = limits.max_recipients;"), None);
}
