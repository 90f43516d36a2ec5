//! A tuple does not hide parameters: a function that needs more than five values takes a struct with named fields.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use syn::visit::{self, Visit};

const MOST: usize = 5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tracked source files of the crates, without the files of their tests.
fn files() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "host/*.rs"]).current_dir(root()).output().unwrap();
    let is_source = |file: &&str| file.contains("/src/") && !file.contains("/tests/") && !file.ends_with("/tests.rs");
    let text = String::from_utf8(output.stdout).unwrap();
    let files: Vec<String> = text.lines().filter(is_source).map(str::to_owned).collect();
    assert!(files.len() > 500, "found only {} files", files.len());
    files
}

/// The values in a parameter: the parts of a tuple, or one.
fn values(parameter: &syn::Type) -> usize {
    match parameter {
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => tuple.elems.iter().map(values).sum(),
        syn::Type::Reference(reference) => values(&reference.elem),
        syn::Type::Paren(inner) => values(&inner.elem),
        _ => 1,
    }
}

/// The functions of a file that take a tuple and more than [`MOST`] values, outside its tests.
#[derive(Default)]
struct Functions {
    wide: Vec<String>,
}

impl Functions {
    /// `self` does not count.
    fn judge(&mut self, signature: &syn::Signature) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(parameter) => Some(values(&parameter.ty)),
            syn::FnArg::Receiver(_) => None,
        });
        let counts: Vec<usize> = parameters.collect();
        let values: usize = counts.iter().sum();
        if values > MOST && counts.iter().any(|count| *count > 1) {
            self.wide.push(format!("`{}` takes {values} values", signature.ident));
        }
    }
}

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

impl Visit<'_> for Functions {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        if !is_of_tests(&item.attrs) {
            self.judge(&item.sig);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        if is_of_tests(&item.attrs) {
            return;
        }
        // A trait decides the parameters of its implementations.
        if item.trait_.is_none() {
            for part in &item.items {
                match part {
                    syn::ImplItem::Fn(function) if !is_of_tests(&function.attrs) => self.judge(&function.sig),
                    _ => {}
                }
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &syn::TraitItemFn) {
        self.judge(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }
}

fn wide_functions(text: &str) -> Vec<String> {
    let mut functions = Functions::default();
    functions.visit_file(&syn::parse_file(text).unwrap());
    functions.wide
}

#[test]
fn a_function_with_more_than_five_values_takes_a_struct_and_not_a_tuple() {
    let mut found = Vec::new();
    for file in files() {
        let text = std::fs::read_to_string(root().join(&file)).unwrap();
        found.extend(wide_functions(&text).into_iter().map(|function| format!("{file}: {function}")));
    }
    assert!(
        found.is_empty(),
        "give the parts of each tuple names in a small struct, or split the function ({MOST} values at most, without \
         `self`): {found:#?}"
    );
}

#[test]
fn the_parts_of_a_tuple_are_counted_and_self_is_not() {
    let found = wide_functions;
    assert_eq!(found("fn six(a: A, b: B, (c, d): (C, D), e: E, f: F) {}"), ["`six` takes 6 values"]);
    assert_eq!(found("fn nested(a: A, b: &(B, (C, D)), (e, f): (E, F)) {}"), ["`nested` takes 6 values"]);
    assert_eq!(found("impl A { fn six(&self, a: A, b: B, pair: (C, D), e: E, f: F) {} }").len(), 1);
    assert_eq!(found("trait A { fn six(&self, a: A, b: B, pair: (C, D), e: E, f: F); }").len(), 1);
    for allowed in [
        "fn five(a: A, b: B, c: C, (from, to): (D, D)) {}",
        "fn without_a_tuple(a: A, b: B, c: C, d: D, e: E, f: F) {}",
        "fn of_lists(a: A, b: B, c: C, d: D, pairs: &[(E, F)]) {}",
        "impl A { fn five(&self, a: A, b: B, c: C, (d, e): (D, E)) {} }",
        "impl Foreign for A { fn six(&self, a: A, b: B, pair: (C, D), e: E, f: F) {} }",
        "fn closure() { let six = |a: A, b: B, (c, d): (C, D), e: E, f: F| {}; }",
        "#[cfg(test)] mod tests { fn six(a: A, b: B, (c, d): (C, D), e: E, f: F) {} }",
    ] {
        assert_eq!(found(allowed), Vec::<String>::new(), "{allowed}");
    }
}
