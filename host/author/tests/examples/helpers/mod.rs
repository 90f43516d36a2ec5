//! The helpers for interface 0.3 in a new project: one program per language, and the same conversations for all. The
//! programs are next to this file. The chatbots `errand-bot` and `clerk` of `tests/guests` use the helpers in Rust.

use author::Lang;

use crate::{passes_with, randomness::project};

async fn helpers(lang: Lang, file: &str, program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), lang, (file, program), "");
    // A conversation names files relative to its own file.
    let tests = tempfile::tempdir().unwrap();
    let conversations = tests.path().join("helpers.yaml");
    std::fs::write(&conversations, include_str!("helpers.yaml")).unwrap();
    std::fs::write(tests.path().join("large.txt"), large_file()).unwrap();
    passes_with(&project, &[conversations]).await;
}

/// A file of three parts. Every thousand bytes repeat one letter.
fn large_file() -> Vec<u8> {
    (b'a'..=b'z').cycle().flat_map(|letter| [letter; 1000]).take(600_000).collect()
}

#[tokio::test]
async fn the_helpers_for_typescript_work_in_conversations() {
    helpers(Lang::Ts, "main.ts", include_str!("main.ts")).await;
}

#[tokio::test]
async fn the_helpers_for_javascript_work_in_conversations() {
    helpers(Lang::Js, "main.js", include_str!("main.ts")).await;
}

#[tokio::test]
async fn the_helpers_for_python_work_in_conversations() {
    helpers(Lang::Python, "main.py", include_str!("main.py")).await;
}

#[tokio::test]
async fn the_helpers_for_go_work_in_conversations() {
    helpers(Lang::Go, "main.go", include_str!("main.go")).await;
}

#[tokio::test]
async fn the_helpers_for_c_work_in_conversations() {
    helpers(Lang::C, "main.c", include_str!("main.c")).await;
}
