//! Components of clients are compiled in a child process under limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use futures::poll;
use plugin_host::{CallLimits, Compiler, ComponentRefusal, HostConfig, PluginHost, check_apart};
use tempfile::TempDir;

use crate::bombs;
use crate::support::{TestHost, client, guest, limits};

fn child() -> Compiler {
    Compiler::Child { program: PathBuf::from(env!("CARGO_BIN_EXE_patchbay-compile-plugin")), arguments: vec![] }
}

/// A host with a cache of its own, so that every component has to be compiled.
async fn host(limits: CallLimits, compiler: Compiler) -> (Arc<PluginHost>, TempDir) {
    let cache = tempfile::tempdir().unwrap();
    let config = HostConfig { limits, compiler, built_ins: false, ..HostConfig::new(cache.path()) };
    (PluginHost::start(config).await.unwrap(), cache)
}

/// Small limits for a test. They are more than an ordinary component needs.
fn tight() -> CallLimits {
    CallLimits { compile_cpu: Duration::from_secs(2), compile_memory_bytes: 1 << 30, ..limits() }
}

fn problem(refusal: Result<plugin_host::ComponentFacts, ComponentRefusal>) -> String {
    match refusal {
        Err(ComponentRefusal::Problems(problems)) => problems.join("\n"),
        other => panic!("expected problems, found {other:?}"),
    }
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_compiles_code_that_runs_in_the_pool() {
    let (host, cache) = host(limits(), child()).await;
    let examined = host.examine(client(1), "hostile", guest("hostile_bot")).await.unwrap();
    assert_eq!(examined.size, guest("hostile_bot").len() as u64);
    let names = std::fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut endings: Vec<String> = names.map(|name| name.rsplit('.').next().unwrap().to_owned()).collect();
    endings.sort();
    assert_eq!(endings, ["cwasm", "seal"], "nothing else is left behind");
}

/// A host that watches a directory with these plugins and compiles them in a child under tight limits. Its cache is in
/// the second directory.
async fn watching(plugins: &[(&str, Vec<u8>)]) -> (TestHost, TempDir) {
    let (directory, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, bytes) in plugins {
        std::fs::write(directory.path().join(format!("{name}.wasm")), bytes).unwrap();
    }
    let config = HostConfig {
        plugins_dir: Some(directory.path().to_owned()),
        limits: tight(),
        built_ins: false,
        compiler: child(),
        ..HostConfig::new(cache.path())
    };
    (TestHost { host: PluginHost::start(config).await.unwrap(), directory }, cache)
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_watched_directory_go_to_the_child_too() {
    let bomb = bombs::many_locals(40_000);
    let (test, _cache) = watching(&[("hostile", guest("hostile_bot")), ("bomb", bomb)]).await;
    assert_eq!(test.answer("hello").await, "echo hello");
    assert!(test.host.find("bomb").unwrap().last_error.unwrap().contains("2 s of processor time"));
}

#[tokio::test(flavor = "multi_thread")]
async fn compile_bombs_are_refused_with_a_reason_and_cost_the_server_nothing() {
    let (host, cache) = host(tight(), child()).await;
    let bombs = [("functions", bombs::many_functions(900_000)), ("locals", bombs::many_locals(40_000))];
    for (name, bomb) in bombs {
        let before = resident();
        let (refused, peak) = {
            let watched = tokio::spawn({
                let host = Arc::clone(&host);
                async move { host.examine(client(1), "bomb", bomb).await }
            });
            let mut peak = before;
            while !watched.is_finished() {
                peak = peak.max(resident());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            (watched.await.unwrap(), peak)
        };
        let said = problem(refused);
        assert!(said.contains("2 s of processor time or 1024 MiB of memory"), "{name}: {said}");
        // Other tests run in this process too. Without a limit, the bomb of functions takes several gigabytes.
        assert!(peak.saturating_sub(before) < 600 << 20, "{name}: {before} to {peak} bytes");
    }
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0, "nothing is left behind");
    let fine = host.examine(client(1), "hostile", guest("hostile_bot")).await;
    assert!(fine.is_ok(), "an honest component is taken right after: {fine:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_others_continue_while_a_bomb_is_compiled() {
    let (test, _cache) = watching(&[("hostile", guest("hostile_bot"))]).await;
    let bomb = tokio::spawn({
        let host = Arc::clone(&test.host);
        async move { host.examine(client(1), "bomb", bombs::many_locals(40_000)).await }
    });
    let mut answered = 0;
    while !bomb.is_finished() {
        assert_eq!(test.answer("hello").await, "echo hello");
        answered += 1;
    }
    assert!(answered > 100, "only {answered} calls were answered during the compilation");
    assert!(problem(bomb.await.unwrap()).contains("processor time"));
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_wait_for_a_place_and_a_client_has_one_under_way() {
    let limits = CallLimits { compile_places: 1, compile_queue: 1, ..tight() };
    let (host, _cache) = host(limits, child()).await;
    let upload = |of: u128| {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.examine(client(of), "bomb", bombs::many_locals(40_000)).await })
    };
    let (first, second) = (upload(1), upload(2));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(upload(1).await.unwrap(), Err(ComponentRefusal::Busy), "it has one under way");
    assert_eq!(upload(3).await.unwrap(), Err(ComponentRefusal::Busy), "one is compiled, one waits");
    assert!(matches!(first.await.unwrap(), Err(ComponentRefusal::Problems(_))));
    assert!(matches!(second.await.unwrap(), Err(ComponentRefusal::Problems(_))));
    assert!(matches!(upload(1).await.unwrap(), Err(ComponentRefusal::Problems(_))), "then it may again");
}

/// The bomb uses all its time and is still under way when the small upload of another client is done.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_upload_does_not_wait_for_the_large_ones_of_another_client() {
    let (host, _cache) = host(CallLimits { compile_cpu: Duration::from_secs(60), ..tight() }, child()).await;
    let mut bomb = Box::pin(host.examine(client(1), "bomb", bombs::many_locals(40_000)));
    assert!(poll!(&mut bomb).is_pending(), "it has its turn");
    let small = Box::pin(host.examine(client(2), "hostile", guest("hostile_bot")));
    match select(bomb, small).await {
        Either::Right((small, _bomb)) => assert!(small.is_ok(), "{small:?}"),
        Either::Left((bomb, _)) => panic!("the small one waited for the large one: {bomb:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_given_up_makes_room_at_once() {
    let limits = CallLimits { compile_cpu: Duration::from_secs(20), compile_places: 1, ..tight() };
    let (host, cache) = host(limits, child()).await;
    let upload = host.examine(client(1), "bomb", bombs::many_locals(40_000));
    assert!(tokio::time::timeout(Duration::from_millis(300), upload).await.is_err());
    let next = tokio::time::timeout(Duration::from_secs(10), host.examine(client(1), "h", guest("hostile_bot"))).await;
    assert!(next.expect("no upload waits for the child of one that was given up").is_ok());
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 2, "its file is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_that_cannot_be_run_is_not_the_authors_fault() {
    for (program, words) in [("/nowhere/patchbay", "cannot be run"), ("/bin/false", "the compiler failed")] {
        let compiler = Compiler::Child { program: PathBuf::from(program), arguments: vec![] };
        let (host, _cache) = host(limits(), compiler).await;
        match host.examine(client(1), "bot", guest("hostile_bot")).await {
            Err(ComponentRefusal::Failed(reason)) => assert!(reason.contains(words), "{reason}"),
            other => panic!("expected a failure of ours, found {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_in_a_child_gives_the_same_result_as_one_in_this_process() {
    for bytes in [guest("hostile_bot"), guest("hostile_shaper")[..5_000].to_vec(), b"\0asm\x01\0\0\0".to_vec()] {
        let apart = check_apart(&child(), &CallLimits::default(), bytes.clone()).await.unwrap();
        assert_eq!(apart, plugin_host::check(&bytes));
    }
    let report = check_apart(&child(), &tight(), bombs::many_locals(40_000)).await.unwrap();
    assert!(report.problems[0].contains("processor time"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_reached_a_limit_names_the_limit_and_not_a_missing_world() {
    let no_time = CallLimits { compile_wall_clock: Duration::ZERO, ..limits() };
    for (limits, bytes, words) in [
        (tight(), bombs::many_locals(40_000), "2 s of processor time or 1024 MiB of memory"),
        (no_time, guest("hostile_bot"), "the compilation took too long: it had 0 s."),
    ] {
        let shown = check_apart(&child(), &limits, bytes).await.unwrap().to_string();
        assert!(shown.starts_with("world:   unknown, because the compilation did not end\n"), "{shown}");
        assert!(shown.contains("\nimports: unknown\nThis plugin could not be compiled:\n  - "), "{shown}");
        assert!(shown.contains(words) && shown.contains("leave out what it does not use"), "{shown}");
    }
    let module = check_apart(&child(), &limits(), b"\0asm\x01\0\0\0".to_vec()).await.unwrap().to_string();
    assert!(module.starts_with("world:   none\n") && module.contains("imports: nothing\n"), "{module}");
}

/// One second for compiling, which refills in an hour.
fn a_second_an_hour() -> CallLimits {
    let (compile_budget, compile_budget_period) = (Duration::from_secs(1), Duration::from_secs(3_600));
    CallLimits { compile_budget, compile_budget_period, ..tight() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_budget_gets_the_time_to_wait_and_others_are_served() {
    let (host, _cache) = host(a_second_an_hour(), child()).await;
    let honest = async |of: u128| host.examine(client(of), "hostile", guest("hostile_bot")).await;
    let bomb = host.examine(client(1), "bomb", bombs::many_locals(40_000)).await;
    assert!(matches!(bomb, Err(ComponentRefusal::Problems(_))), "an upload may overdraw the budget: {bomb:?}");

    let refused = honest(1).await;

    let Err(ComponentRefusal::UsedUp { budget, period, wait }) = &refused else {
        panic!("expected no more, found {refused:?}")
    };
    assert_eq!((budget.as_secs(), period.as_secs()), (1, 3_600));
    assert!((2_500..5_000).contains(&wait.as_secs()), "about two seconds were used: {wait:?}");
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("the 1 s of processor time that a client gets in 3600 s: try again in "), "{said}");
    assert!(honest(2).await.is_ok(), "another client has its own budget");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_within_its_budget_is_served_after_a_bomb() {
    let (host, _cache) =
        host(CallLimits { compile_budget: Duration::from_secs(60), ..a_second_an_hour() }, child()).await;
    let bomb = host.examine(client(1), "bomb", bombs::many_locals(40_000)).await;
    assert!(matches!(bomb, Err(ComponentRefusal::Problems(_))), "{bomb:?}");
    let honest = host.examine(client(1), "hostile", guest("hostile_bot")).await;
    assert!(honest.is_ok(), "{honest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_upload_counts_against_the_budget() {
    let limits = CallLimits { compile_cpu: Duration::from_secs(20), ..a_second_an_hour() };
    let (host, _cache) = host(CallLimits { compile_budget: Duration::from_millis(10), ..limits }, child()).await;
    let upload = host.examine(client(1), "bomb", bombs::many_locals(40_000));
    assert!(tokio::time::timeout(Duration::from_millis(1_500), upload).await.is_err());
    let next = host.examine(client(1), "hostile", guest("hostile_bot")).await;
    assert!(matches!(next, Err(ComponentRefusal::UsedUp { .. })), "{next:?}");
}
