//! Every example and every template, built with the real tools of its language and run with its own tests.
//!
//! Projects of some languages take minutes, so these tests build few worlds of them, and `make soak` builds all
//! (`EVERY_WORLD`). The build installs missing tools, as on the machine of an author. If that is impossible, the test
//! prints `skipped` and the reason; if `CI` is set, it fails. Components are kept under the target directory by a hash
//! of their sources, so that a second run builds nothing.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests: a failure here is a failed test")]

mod bindings;
mod component_cache;
mod documents;
mod helper_table;
mod helpers;
mod public_generators;
mod randomness;
mod snapshots;
mod two_builds;
mod validation;

use std::path::PathBuf;

use author::{BuildError, Lang, Project, build, conversation, new};
use plugin_host::World;

#[tokio::test]
async fn the_order_bot_in_rust_passes_its_conversations() {
    example("order-bot-rust").await;
}

#[tokio::test]
async fn the_order_bot_in_typescript_passes_its_conversations() {
    example("order-bot-ts").await;
}

#[tokio::test]
async fn the_order_bot_in_python_passes_its_conversations() {
    example("order-bot-python").await;
}

#[tokio::test]
async fn the_order_bot_in_go_passes_its_conversations() {
    example("order-bot-go").await;
}

#[tokio::test]
async fn the_order_bot_in_c_passes_its_conversations() {
    example("order-bot-c").await;
}

#[tokio::test]
async fn the_order_bot_in_zig_passes_its_conversations() {
    example("order-bot-zig").await;
}

#[tokio::test]
async fn the_router_in_cpp_passes_its_cases() {
    example("language-router-cpp").await;
}

#[tokio::test]
async fn the_bot_with_a_language_model_passes_its_conversations() {
    example("llm-bot").await;
}

#[tokio::test]
async fn the_router_example_passes_its_cases() {
    example("vip-router").await;
}

#[tokio::test]
async fn the_shaper_example_passes_its_cases() {
    example("crm-shaper").await;
}

#[tokio::test]
async fn new_rust_projects_build_and_pass_their_tests() {
    templates(Lang::Rust).await;
}

#[tokio::test]
async fn new_typescript_projects_build_and_pass_their_tests() {
    templates(Lang::Ts).await;
}

#[tokio::test]
async fn new_javascript_projects_build_and_pass_their_tests() {
    templates(Lang::Js).await;
}

#[tokio::test]
async fn new_python_projects_build_and_pass_their_tests() {
    templates(Lang::Python).await;
}

#[tokio::test]
async fn new_go_projects_build_and_pass_their_tests() {
    templates(Lang::Go).await;
}

#[tokio::test]
async fn new_c_projects_build_and_pass_their_tests() {
    templates(Lang::C).await;
}

/// Components in these languages have an interpreter or a large runtime.
#[test]
fn every_world_is_built_in_a_language_with_a_runtime() {
    let built: Vec<World> = [Lang::Ts, Lang::Js, Lang::Python, Lang::Go].into_iter().flat_map(worlds).collect();
    assert!(World::ALL.iter().all(|world| built.contains(world)), "{built:?}");
}

/// The examples contain the same layer of helpers as a new project of their language.
#[test]
fn helpers_in_examples_are_those_of_the_templates() {
    let templates = root().join("plugins/templates");
    let mut compared = 0;
    for (example, lang, world) in [
        ("order-bot-ts", "ts", "chatbot"),
        ("order-bot-python", "python", "chatbot"),
        ("order-bot-go", "go", "chatbot"),
        ("order-bot-c", "c", "chatbot"),
        ("crm-shaper", "ts", "webhook-shaper"),
    ] {
        let example = root().join("examples").join(example);
        for file in component_cache::files(&example) {
            let own = ["main.ts", "main.py", "main.go", "main.c", "plugin.toml", ".gitignore", "package.json"];
            let path = file.strip_prefix(&example).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            if own.contains(&name) || name.ends_with(".json") || path.starts_with("tests") {
                continue;
            }
            let in_common = templates.join(lang).join("common").join(path);
            let in_world = templates.join(lang).join(world).join(path);
            let template = if in_world.exists() { in_world } else { in_common };
            let expected = std::fs::read(&template).unwrap_or_else(|_| panic!("{} is in no template", path.display()));
            assert!(
                std::fs::read(&file).unwrap() == expected,
                "{} differs from {}",
                file.display(),
                template.display()
            );
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} files were compared");
}

async fn example(name: &str) {
    let project = Project::open(&root().join("examples").join(name)).unwrap();
    passes(&project).await;
}

async fn templates(lang: Lang) {
    let folder = tempfile::tempdir().unwrap();
    for world in worlds(lang) {
        let root = folder.path().join(format!("hello-{lang}-{world}"));
        new::create(&new::NewProject { folder: root.clone(), lang, world }).unwrap();
        passes(&Project::open(&root).unwrap()).await;
    }
}

/// The worlds of the projects that are built. `validation.rs` and the examples build more.
fn worlds(lang: Lang) -> Vec<World> {
    let all = World::ALL.to_vec();
    if every_world() {
        return all;
    }
    match lang {
        Lang::Ts => vec![World::Chatbot, World::Router],
        Lang::Js => vec![World::Chatbot, World::SmsRouter],
        Lang::Python => vec![World::Chatbot, World::SmsFallback],
        Lang::Go => vec![World::Chatbot, World::WebhookShaper],
        Lang::Rust | Lang::C | Lang::Other => all,
    }
}

/// `scripts/soak.sh` sets this.
fn every_world() -> bool {
    std::env::var_os("EVERY_WORLD").is_some()
}

async fn passes(project: &Project) {
    let files: Vec<PathBuf> = project.tests.iter().map(|folder| project.root.join(folder)).collect();
    passes_with(project, &files).await;
}

/// Runs test files with a project.
async fn passes_with(project: &Project, files: &[PathBuf]) {
    let component = match component_cache::component(project) {
        Ok(component) => component,
        Err(BuildError::ToolMissing { tool, install, .. }) if std::env::var_os("CI").is_none() => {
            println!("skipped {}: {tool} is missing; {install}", project.name);
            return;
        }
        Err(error) => panic!("{} does not build: {error}", project.name),
    };
    let mut failures = vec![];
    let mut done = |report: &conversation::TestReport| {
        if !matches!(report.outcome, conversation::TestOutcome::Passed { .. }) {
            failures.push(report.to_string());
        }
    };
    let summary = conversation::run(&project.name, &component, files, None, &mut done).await;
    let summary = summary.unwrap_or_else(|error| panic!("{}: {error}", project.name));
    assert!(failures.is_empty() && summary.passed > 0, "{}:\n{}", project.name, failures.join("\n"));
}

#[tokio::test]
async fn a_configuration_schema_in_plugin_toml_is_exported_by_the_component() {
    let project = Project::open(&root().join("examples/order-bot-c")).unwrap();
    let component = match component_cache::component(&project) {
        Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
            println!("skipped: {tool} is missing");
            return;
        }
        built => built.unwrap_or_else(|error| panic!("{error}")),
    };
    let bytes = std::fs::read(component).unwrap();
    let schema: serde_json::Value =
        serde_json::from_slice(&std::fs::read(root().join("examples/order-bot-c/config.schema.json")).unwrap())
            .unwrap();
    assert_eq!(component_cache::examined(bytes).await, Some(schema));
}

#[test]
fn a_project_that_does_not_compile_answers_with_the_words_of_its_tool() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("broken");
    new::create(&new::NewProject { folder: root.clone(), lang: Lang::Ts, world: World::Chatbot }).unwrap();
    std::fs::write(root.join("main.ts"), "export const bot: number = 'no';\n").unwrap();
    match build::build(&Project::open(&root).unwrap(), &mut |_| {}) {
        Err(BuildError::Failed { step, output }) => {
            assert!(step == "tsc" && output.contains("main.ts(1,14)") && output.contains("not assignable"), "{output}");
        }
        Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
            println!("skipped: {tool} is missing");
        }
        other => panic!("{other:?}"),
    }
}

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..").canonicalize().unwrap()
}
