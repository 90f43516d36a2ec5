//! The test files in the documents, run with the examples that they describe.

use std::path::Path;

use author::Project;

use crate::{passes_with, root};

/// The YAML blocks of a document.
fn shown(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs").join(document)).unwrap();
    let blocks = text.split("```yaml\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0.to_owned()).collect()
}

#[tokio::test]
async fn every_test_file_that_the_documents_show_passes() {
    let mut played = 0;
    for document in ["plugins/first-bot.md", "plugin-tests.md", "plugins/llm.md"] {
        for block in shown(document) {
            let example = match document {
                "plugins/llm.md" => "llm-bot",
                _ if block.contains("\ncases:") => "vip-router",
                _ => "order-bot-rust",
            };
            play(&block, example).await;
            played += 1;
        }
    }
    assert_eq!(played, 4, "documents show other files than this test knows");
}

async fn play(block: &str, example: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shown.yaml");
    std::fs::write(&file, block).unwrap();
    let project = Project::open(&root().join("examples").join(example)).unwrap();
    passes_with(&project, &[Path::to_owned(folder.path())]).await;
}
