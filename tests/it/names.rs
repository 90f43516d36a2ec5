//! Rules for names: a file, a module and a public type have a noun or a verb as their name, and the name of a public type stands
//! once in the workspace (`docs/STYLE.md`, rule 7).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use syn::visit::{self, Visit};

/// Words that are no name by themselves: participles without a regular ending, adjectives and adverbs.
const NO_NAMES: &str = "again ahead aside asian astray available away begun beside bound broken brought built busy chosen done drawn \
    dead due dry early empty everywhere exact felt foreign forgotten found free full given global gone guarded heavy held hidden \
    incoming inner inside invisible kept known large late legacy light local lone long lost made meant met missing national native \
    newer newest older oldest once opaque outer outgoing outside paid pending plain private public quiet raw readable recent \
    remote said seen short silent simple small sold sorted spent standing static straight sworn taken together told \
    unanswered unavailable unread unreadable unseen unsent unused waiting whole within written wrong";

/// Last words of names that lean on a word that is missing: a noun says what the thing is.
const NO_ENDS: &str = "about after ahead aside away before beside by in itself not of off on out to up";

/// Words of our own in place of a usual term, with that term, in names of files, modules and types.
const DIALECT: [(&str, &str); 3] = [
    ("itself", "automation"),
    ("told", "the event, the notice or the queue"),
    ("asked", "the question or the request"),
];

/// Words that no name has, not even that of a function or a variant (`docs/STYLE.md`, rule 2), with the usual term.
const FORBIDDEN: [(&str, &str); 10] = [
    ("anew", "`again`, or the noun with `new`"),
    ("anybody", "`any` with the noun, or `unknown`"),
    ("beside", "`without`, `next_to` or the thing itself"),
    ("door", "a gate, a place or a listener"),
    ("doors", "gates, places or listeners"),
    ("meanwhile", "`while` with the verb"),
    ("nobody", "`no` with the noun, or `unknown`"),
    ("somebody", "the person: an agent, a customer, another client"),
    ("whatever", "`any` with the noun"),
    ("whoever", "the person: an agent, a customer, a caller"),
];

/// Nouns and verbs that end as participles do, and terms of more than one word.
const NOUNS: &str = "embed feed need open opt_out retry_after screen seed speed token";

/// Names that public types share, with the reason. A name that means two things is not in this list.
const SHARED: &[(&str, &str)] = &[
    ("AcceptedRecipient", "the schema of the document restates the body"),
    ("Error", "the error of its crate"),
    ("Page", "a page of a list, and its form in the API"),
    ("QrCode", "the code of a device, and its form in the API"),
    ("RejectedRecipient", "the schema of the document restates the body"),
    ("Result", "the result of its crate"),
    ("Settings", "the settings of its crate"),
    ("UnifiedSend", "the schema of the document restates the body"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tracked source files. Guests are programs of other people, as far as tests care.
fn files() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "host/*.rs", "tests/*.rs", ":!tests/guests/*"])
        .current_dir(root())
        .output()
        .unwrap();
    let files: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(files.len() > 1000, "found only {} files", files.len());
    files
}

/// The words of a name: `send_queue` and `SendQueue` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.split('_').filter(|part| !part.is_empty()) {
        for (at, letter) in part.chars().enumerate() {
            match words.last_mut() {
                Some(word) if at > 0 && !letter.is_uppercase() => word.push(letter),
                _ => words.push(letter.to_lowercase().collect()),
            }
        }
    }
    words
}

fn contains(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Why this is not a name, with the cure.
fn fault(name: &str) -> Option<String> {
    if contains(NOUNS, name) {
        return None;
    }
    let words = words(name);
    let last = words.last()?.as_str();
    let is_participle = last.len() > 3 && (last.ends_with("ed") || last.ends_with("en")) && !contains(NOUNS, last);
    if words.len() == 1 && (is_participle || contains(NO_NAMES, last)) {
        return Some(format!(
            "`{last}` alone is not a name. Add the noun, or use a noun for the thing (a verb for a step)"
        ));
    }
    if words.len() > 1 && contains(NO_ENDS, last) {
        return Some(format!("a name does not end with `{last}`. Name the thing with a noun"));
    }
    forbidden(&words, &FORBIDDEN).or_else(|| forbidden(&words, &DIALECT))
}

/// The first of these words that is in the list, with its cure.
fn forbidden(words: &[String], list: &[(&str, &str)]) -> Option<String> {
    let word = list.iter().find(|(word, _)| words.iter().any(|own| own == word));
    word.map(|(word, usual)| format!("`{word}` is not a usual term. Say {usual}"))
}

/// The names in a file.
#[derive(Default)]
struct Names {
    /// The public types, outside its tests.
    types: Vec<String>,
    /// The modules with a body, outside its tests.
    modules: Vec<String>,
    members: Members,
}

impl Names {
    fn add(&mut self, visibility: &syn::Visibility, name: &syn::Ident) {
        if !matches!(visibility, syn::Visibility::Inherited) {
            self.types.push(name.to_string());
        }
    }
}

impl Visit<'_> for Names {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        let of_tests = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
        };
        if item.attrs.iter().any(of_tests) {
            return;
        }
        if item.content.is_some() {
            self.modules.push(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        self.add(&item.vis, &item.ident);
    }

    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        self.add(&item.vis, &item.ident);
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.add(&item.vis, &item.ident);
    }

    fn visit_item_type(&mut self, item: &syn::ItemType) {
        self.add(&item.vis, &item.ident);
    }
}

/// The functions and the variants of enums, with those of tests.
#[derive(Default)]
struct Members(Vec<String>);

impl Visit<'_> for Members {
    fn visit_signature(&mut self, signature: &syn::Signature) {
        self.0.push(signature.ident.to_string());
        visit::visit_signature(self, signature);
    }

    fn visit_variant(&mut self, variant: &syn::Variant) {
        self.0.push(variant.ident.to_string());
        visit::visit_variant(self, variant);
    }
}

/// The names of each file, read once for all tests.
static NAMES: LazyLock<Vec<(String, Names)>> = LazyLock::new(|| {
    let read = |file: &String| names_in(&std::fs::read_to_string(root().join(file)).unwrap());
    files().into_iter().map(|file| (file.clone(), read(&file))).collect()
});

fn names_in(text: &str) -> Names {
    let mut names = Names::default();
    let file = syn::parse_file(text).unwrap();
    names.visit_file(&file);
    names.members.visit_file(&file);
    names
}

/// Whether the types of a file are names of the workspace: those of crates and of the harness, not those of one test.
fn has_public_types(file: &str) -> bool {
    let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
    let in_crate = file.starts_with("host/") && file.contains("/src/") && !is_test;
    in_crate || file.starts_with("tests/src/")
}

#[test]
fn files_and_modules_are_named_by_a_noun_or_a_verb() {
    let mut found = BTreeMap::new();
    for (file, names) in NAMES.iter() {
        let path = file.trim_start_matches("host/").trim_end_matches(".rs");
        for part in path.split('/').filter(|part| !part.contains('-')) {
            if let Some(fault) = fault(part) {
                found.insert(format!("{file}: {part}"), fault);
            }
        }
        for module in &names.modules {
            if let Some(fault) = fault(module) {
                found.insert(format!("{file}: mod {module}"), fault);
            }
        }
    }
    assert!(found.is_empty(), "rename these files and modules (docs/STYLE.md, rule 7): {found:#?}");
}

#[test]
fn public_types_are_named_by_a_noun() {
    let mut found = BTreeMap::new();
    for (file, names) in NAMES.iter().filter(|(file, _)| has_public_types(file)) {
        for name in &names.types {
            if let Some(fault) = fault(name) {
                found.insert(format!("{file}: {name}"), fault);
            }
        }
    }
    assert!(found.is_empty(), "rename these types (docs/STYLE.md, rule 7): {found:#?}");
}

#[test]
fn functions_and_variants_have_no_forbidden_words() {
    let mut found = BTreeMap::new();
    for (file, names) in NAMES.iter().filter(|(file, _)| file.starts_with("host/") && file.contains("/src/")) {
        for name in &names.members.0 {
            if let Some(fault) = forbidden(&words(name), &FORBIDDEN) {
                found.insert(format!("{file}: {name}"), fault);
            }
        }
    }
    assert!(found.is_empty(), "rename these functions and variants (docs/STYLE.md, rule 2): {found:#?}");
}

#[test]
fn the_name_of_a_public_type_stands_once_in_the_workspace() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, names) in NAMES.iter().filter(|(file, _)| has_public_types(file)) {
        for name in &names.types {
            places.entry(name.clone()).or_default().push(file.clone());
        }
    }
    for (name, reason) in SHARED.iter().filter(|(name, _)| *name != "Settings") {
        let count = places.get(*name).map_or(0, Vec::len);
        assert!(count > 1, "`{name}` ({reason}) stands once now: remove it from SHARED in tests/it/names.rs");
    }
    places.retain(|name, files| files.len() > 1 && SHARED.iter().all(|(shared, _)| shared != name));
    assert!(
        places.is_empty(),
        "each of these names means several things; add to all but one the word that tells them apart: {places:#?}"
    );
}

#[test]
fn a_participle_alone_is_found_and_a_noun_with_the_same_ending_is_not() {
    for name in
        ["Asked", "Written", "Standing", "asked_ahead", "by_itself", "NotedBy", "told", "OfNobody", "text_beside_cards"]
    {
        assert!(fault(name).is_some(), "{name}");
    }
    for name in
        ["Feed", "Token", "SendQueue", "AcceptedRecipient", "rate_gate", "automation", "WhatsAppNumber", "Doorbell"]
    {
        assert_eq!(fault(name), None, "{name}");
    }
    assert_eq!(words("SendQueue"), words("send_queue"));
}
