//! The helpers for interface 0.3 in a new project: one program per language, and the same conversations for all. The
//! programs are next to this file. The chatbot `errand-bot` of `tests/guests` uses the helpers in Rust.

use author::Lang;

use crate::{passes_with, randomness::project, root};

async fn helpers(lang: Lang, file: &str, program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), lang, (file, program), "");
    passes_with(&project, &[root().join("host/author/tests/examples/helpers/helpers.yaml")]).await;
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
