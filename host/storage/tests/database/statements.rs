//! Every fixed SQL statement of this crate is prepared against the migrated schema: a misspelt column, a wrong type or a
//! table that a migration renamed fails here, also where no other test runs the statement with data.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use sqlx::Executor;
use syn::visit::{self, Visit};

/// A statement and its file.
pub(crate) struct Statement {
    pub(crate) place: String,
    pub(crate) sql: String,
}

/// Collects string literals that are SQL statements, also from the arguments of macros.
struct Finder<'a> {
    file: &'a Path,
    found: Vec<Statement>,
}

impl Finder<'_> {
    fn look_at(&mut self, literal: &syn::LitStr) {
        let sql = literal.value();
        let keywords = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"];
        let first = sql.split_whitespace().next().unwrap_or_default().trim_start_matches('(');
        if keywords.contains(&first) {
            let place = self.file.display().to_string();
            self.found.push(Statement { place, sql });
        }
    }

    /// Statements put together by a macro are not fixed; a bare literal inside one is, unless it has placeholders of
    /// `format!`.
    fn look_into(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.look_into(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
                        && !text.value().contains('{')
                    {
                        self.look_at(&syn::LitStr::new(&text.value(), literal.span()));
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.look_at(literal);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.look_into(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {
        // Doc comments are literals too.
    }

    fn visit_file(&mut self, file: &'ast syn::File) {
        visit::visit_file(self, file);
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All fixed statements of this crate.
pub(crate) fn statements() -> Vec<Statement> {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let parsed = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut finder = Finder { file: path.strip_prefix(&root).unwrap(), found: Vec::new() };
        finder.visit_file(&parsed);
        found.append(&mut finder.found);
    }
    found
}

#[tokio::test]
async fn every_fixed_statement_fits_the_schema() {
    let statements = statements();
    assert!(statements.len() > 50, "only {} statements found: is the search broken?", statements.len());
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let mut broken = Vec::new();
    for statement in &statements {
        if let Err(error) = (&mut db).prepare(&statement.sql).await {
            broken.push(format!("{}: {error}\n    {}", statement.place, statement.sql));
        }
    }
    assert!(broken.is_empty(), "{} of {} statements:\n{}", broken.len(), statements.len(), broken.join("\n"));
}

#[test]
fn no_statement_answers_all_columns_of_a_table() {
    // A column of the next release would change the result of a prepared statement, which PostgreSQL refuses (ADR 0060).
    let answers_all = |sql: &str| {
        let words: Vec<&str> = sql.split_whitespace().take(4).collect();
        let of_a_table = |from: &str| !from.starts_with('(') && !from.starts_with("unnest");
        match words.as_slice() {
            ["SELECT", list, "FROM", from] => list.ends_with('*') && of_a_table(from),
            ["SELECT", list, ..] => list.ends_with(".*,") || *list == "*,",
            _ => false,
        }
    };
    assert!(answers_all("SELECT * FROM ticket") && answers_all("SELECT one.*, two FROM one"));
    let found: Vec<Statement> = statements().into_iter().filter(|statement| answers_all(&statement.sql)).collect();
    let places: Vec<&String> = found.iter().map(|statement| &statement.place).collect();
    assert!(places.is_empty(), "name the columns: {places:?}");
}

#[test]
fn the_search_finds_statements_in_calls_and_in_macros() {
    let code = r#"
        /// SELECT nothing from a comment
        fn of_a_test() {
            sqlx::query("SELECT 1");
            outer!(sqlx::query("DELETE FROM a"));
            format!("UPDATE {table} SET a = 1");
            let prose = "Selected by hand";
        }
    "#;
    let mut finder = Finder { file: Path::new("code.rs"), found: Vec::new() };
    finder.visit_file(&syn::parse_file(code).unwrap());
    let found: Vec<&str> = finder.found.iter().map(|statement| statement.sql.as_str()).collect();
    assert_eq!(found, ["SELECT 1", "DELETE FROM a"]);
}
