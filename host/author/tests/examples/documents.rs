//! The code and the test files in the documents, run as a reader would run them.

use std::path::Path;

use author::{Lang, Project};
use fenced_blocks::blocks;

use crate::{passes_with, randomness::project, root};

const ORDER_BOT: &str = "plugins/order-bot.md";

/// The blocks of a document in a language of code.
fn shown(document: &str, code: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs").join(document)).unwrap();
    blocks(&text, code).into_iter().map(|block| block.text).collect()
}

/// The only block of a document in a language of code.
fn only(document: &str, code: &str) -> String {
    let blocks = shown(document, code);
    assert_eq!(blocks.len(), 1, "{document} has other blocks of {code} than this test knows");
    blocks.concat()
}

#[tokio::test]
async fn every_test_file_that_the_documents_show_passes() {
    let mut played = 0;
    for document in ["plugin-tests.md", "plugins/llm.md"] {
        for block in shown(document, "yaml") {
            let example = match document {
                "plugins/llm.md" => "llm-bot",
                _ if block.contains("\ncases:") => "vip-router",
                _ => "order-bot-rust",
            };
            play(&block, &Project::open(&root().join("examples").join(example)).unwrap()).await;
            played += 1;
        }
    }
    assert_eq!(played, 3, "documents show other files than this test knows");
}

#[test]
fn the_test_of_the_first_bot_is_that_of_a_new_project() {
    let file = root().join("plugins/templates/rust/chatbot/tests/hello.yaml");
    assert_eq!(only("plugins/first-bot.md", "yaml"), std::fs::read_to_string(file).unwrap());
}

async fn the_order_bot_of_the_documents(lang: Lang, file: &str, code: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = only(ORDER_BOT, code);
    let project = project(folder.path(), lang, (file, &program), "schema = \"config.schema.json\"\n");
    std::fs::write(project.root.join("config.schema.json"), only(ORDER_BOT, "json")).unwrap();
    play(&only(ORDER_BOT, "yaml"), &project).await;
}

#[tokio::test]
async fn the_order_bot_of_the_documents_in_rust_passes_its_test() {
    the_order_bot_of_the_documents(Lang::Rust, "src/lib.rs", "rust").await;
}

#[tokio::test]
async fn the_order_bot_of_the_documents_in_typescript_passes_its_test() {
    the_order_bot_of_the_documents(Lang::Ts, "main.ts", "ts").await;
}

#[tokio::test]
async fn the_order_bot_of_the_documents_in_python_passes_its_test() {
    the_order_bot_of_the_documents(Lang::Python, "main.py", "python").await;
}

async fn play(block: &str, project: &Project) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shown.yaml");
    std::fs::write(&file, block).unwrap();
    passes_with(project, &[Path::to_owned(folder.path())]).await;
}
