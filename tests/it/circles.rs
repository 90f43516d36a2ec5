//! Finds circles of files: files of one crate that use each other's items in a loop. A file that only hands the items of
//! its folder on (`pub use`) does not use them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use syn::visit::{self, Visit};

/// The path of a module in its crate: empty for `lib.rs`.
type Module = Vec<String>;

/// The modules of a crate, and the paths that each file names.
type Crate = BTreeMap<Module, Vec<Vec<String>>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tracked files of all crates, by crate.
fn crates() -> BTreeMap<String, Crate> {
    let output = Command::new("git").args(["ls-files", "host/*/src/*.rs"]).current_dir(root()).output().unwrap();
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for file in String::from_utf8(output.stdout).unwrap().lines() {
        let (name, path) = file.strip_prefix("host/").unwrap().split_once("/src/").unwrap();
        if path.starts_with("bin/") || path == "main.rs" || path.ends_with("tests.rs") || path.contains("tests/") {
            continue;
        }
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        crates.entry(name.to_owned()).or_default().insert(module_of(path), paths_in(&text));
    }
    assert!(crates.len() > 15, "found only {} crates", crates.len());
    crates
}

fn module_of(path: &str) -> Module {
    let mut module: Module = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// The paths that a file names outside its tests, as they are written.
fn paths_in(text: &str) -> Vec<Vec<String>> {
    let mut named = Named(Vec::new());
    named.visit_file(&syn::parse_file(text).unwrap());
    named.0
}

struct Named(Vec<Vec<String>>);

impl Named {
    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => self.0.push(before.to_vec()),
            syn::UseTree::Name(name) => self.0.push(with(&name.ident)),
            syn::UseTree::Rename(name) => self.0.push(with(&name.ident)),
            syn::UseTree::Glob(_) => self.0.push(before.to_vec()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl Visit<'_> for Named {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        let of_tests = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
        };
        if !item.attrs.iter().any(of_tests) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.add_tree(&[], &item.tree);
        }
    }

    // The visibility `pub(in path)` uses nothing.
    fn visit_visibility(&mut self, _: &syn::Visibility) {}

    fn visit_path(&mut self, path: &syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The module that a path leads to, if it is another one of this crate: the longest beginning that is a module.
fn target(from: &Module, path: &[String], modules: &Crate) -> Option<Module> {
    let mut base = from.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|first| first == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        child => {
            base.push(child.to_owned());
            if path.len() == 1 || !modules.contains_key(&base) {
                return None;
            }
            rest = &path[1..];
        }
    }
    for name in rest {
        base.push(name.clone());
        if !modules.contains_key(&base) {
            base.pop();
            break;
        }
    }
    (base != *from && modules.contains_key(&base)).then_some(base)
}

/// All modules that a module uses, directly or through others.
fn reached(from: &Module, uses: &BTreeMap<&Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(module) = open.pop() {
        for next in uses.get(&module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// The modules that reach themselves, each with the modules that it uses on the way.
fn circles(modules: &Crate) -> Vec<String> {
    let uses: BTreeMap<&Module, BTreeSet<Module>> = modules
        .iter()
        .map(|(module, paths)| (module, paths.iter().filter_map(|path| target(module, path, modules)).collect()))
        .collect();
    let name = |module: &Module| if module.is_empty() { "lib".to_owned() } else { module.join("/") };
    let mut found = Vec::new();
    for (module, used) in &uses {
        if reached(module, &uses).contains(*module) {
            let back: Vec<String> =
                used.iter().filter(|next| reached(next, &uses).contains(*module)).map(&name).collect();
            found.push(format!("{} uses {}", name(module), back.join(", ")));
        }
    }
    found
}

#[test]
fn no_file_uses_itself_through_other_files_of_its_crate() {
    let found: BTreeMap<String, Vec<String>> = crates()
        .into_iter()
        .map(|(name, modules)| (name, circles(&modules)))
        .filter(|(_, list)| !list.is_empty())
        .collect();
    assert!(found.is_empty(), "circles of files; move the shared items to a file that uses neither: {found:#?}");
}

#[test]
fn a_circle_is_found() {
    let parent = paths_in("mod child; use child::work; pub struct Shared;");
    let child = paths_in("use super::Shared; pub fn work(_: Shared) {}");
    let modules: Crate = [(vec!["a".to_owned()], parent), (vec!["a".to_owned(), "child".to_owned()], child)].into();
    assert_eq!(circles(&modules), ["a uses a/child", "a/child uses a"]);
}
