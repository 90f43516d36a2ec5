//! Snapshots of Go plugins: the state after the initialisation, without time, randomness and configuration of the build.

use author::{BuildError, Lang, build};

use crate::randomness::{GO, Plugin, project};

const SNAPSHOT: &str = "snapshot = true\n";

/// A program that does some work in an `init` function.
fn working(imports: &str, work: &str) -> String {
    let begin = format!("package main\n\nimport (\n{imports}\n\t\"local/patchbay\"\n)\n\n");
    begin
        + &format!("var kept any\n\nfunc init() {{\n\t{work}\n\tpatchbay.Chatbot(handle)\n}}\n\n")
        + "func handle(event patchbay.Event, session patchbay.Session) ([]patchbay.Action, error) {\n\
           \treturn nil, nil\n}\n\nfunc main() {}\n"
}

/// The note in the component about the missing snapshot. `None` if the compiler is missing.
fn refusal(imports: &str, work: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), Lang::Go, ("main.go", &working(imports, work)), SNAPSHOT);
    match build::build(&project, &mut |_| {}) {
        Ok(component) => {
            let note = plugin_host::snapshot_note(&std::fs::read(component).unwrap());
            Some(note.unwrap_or_else(|| panic!("{work}: it has a snapshot")))
        }
        Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
            println!("skipped: {tool} is missing");
            None
        }
        Err(error) => panic!("{work}: {error}"),
    }
}

#[tokio::test]
async fn a_snapshot_of_a_go_plugin_draws_its_numbers_from_the_call() {
    let Some(plugin) = Plugin::built(Lang::Go, ("main.go", GO), SNAPSHOT).await else { return };
    plugin.draws_from_the_call().await;
}

#[test]
fn a_program_that_reads_the_time_while_it_starts_has_no_snapshot() {
    let Some(words) = refusal("\t\"time\"", "kept = time.Now()") else { return };
    assert!(words.contains("wasi:clocks/wall-clock#now"), "{words}");
}

#[tokio::test]
async fn a_program_without_a_snapshot_starts_in_each_call() {
    let main = working("\t\"time\"", "kept = time.Now()");
    let Some(plugin) = Plugin::built(Lang::Go, ("main.go", &main), SNAPSHOT).await else { return };
    plugin.ask(1).await;
}

#[test]
fn a_program_that_draws_random_numbers_while_it_starts_has_no_snapshot() {
    for (imports, work, named) in [
        ("\t\"math/rand\"", "kept = rand.Intn(10)", "math/rand"),
        ("\t\"math/rand\"", "rand.Shuffle(9, func(i, j int) {})", "math/rand"),
        ("\t\"math/rand/v2\"", "kept = rand.IntN(10)", "math/rand/v2"),
        ("\t\"math/rand/v2\"", "kept = rand.New(rand.NewPCG(rand.Uint64(), 1))", "math/rand/v2"),
        ("\t\"crypto/rand\"", "rand.Read(make([]byte, 16))", "wasi:random/random#get-random-bytes"),
    ] {
        let Some(words) = refusal(imports, work) else { return };
        assert!(words.contains("random numbers") && words.contains(named), "{work}: {words}");
    }
}

#[test]
fn a_program_that_reads_its_configuration_while_it_starts_has_no_snapshot() {
    let work = "var read map[string]string\n\tkept = patchbay.Config(&read)";
    let Some(words) = refusal("", work) else { return };
    assert!(words.contains("patchbay:plugin/config@0.3.0#get"), "{words}");
}

#[test]
fn a_program_that_prints_or_fails_while_it_starts_has_no_snapshot() {
    for (work, said) in [("println(\"I started\")", "I started"), ("panic(\"I cannot start\")", "I cannot start")] {
        let Some(words) = refusal("", work) else { return };
        assert!(words.contains(said), "{words}");
    }
}

#[tokio::test]
async fn a_program_that_reads_nothing_while_it_starts_has_a_snapshot_with_its_state() {
    let work = "seeded := rand.New(rand.NewPCG(1, 2))\n\tkept = []any{seeded.IntN(10), os.Getenv(\"HOME\")}";
    let main = working("\t\"math/rand/v2\"\n\t\"os\"", work);
    let Some(plugin) = Plugin::built(Lang::Go, ("main.go", &main), SNAPSHOT).await else { return };
    plugin.ask(1).await;
}
