//! Each limit of a call, within and beyond its bound.

use std::time::{Duration, Instant};

use plugin_host::{CallError, CallLimits, ExceededLimit, LogLevel, PluginOutcome};

use crate::support::{TestHost, limits, only_text};

fn exceeded(result: Result<plugin_host::ChatbotOutcome, CallError>) -> ExceededLimit {
    match result {
        Err(CallError::LimitExceeded { which, trace }) => {
            assert_eq!(trace.outcome, PluginOutcome::LimitExceeded);
            which
        }
        other => panic!("expected a limit, found {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_up_to_the_limit_is_given_and_more_is_not() {
    let test = TestHost::with_hostile_guests(CallLimits { memory_bytes: 32 << 20, ..limits() }).await;
    let fits = test.command("allocate 24").await.unwrap();
    assert_eq!(only_text(&fits.actions), "holding 24 MiB");
    assert!(fits.trace.peak_memory_bytes > 24 << 20 && fits.trace.peak_memory_bytes <= 32 << 20);
    let refused = test.command("allocate 40").await;
    assert!(refused.as_ref().unwrap_err().trace().unwrap().peak_memory_bytes <= 32 << 20);
    assert_eq!(exceeded(refused), ExceededLimit::Memory);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_begins_above_the_memory_limit_does_not_begin() {
    let test = TestHost::with_hostile_guests(CallLimits { memory_bytes: 64 << 10, ..limits() }).await;
    let found = test.host.find("hostile").unwrap();
    assert!(found.last_error.unwrap().contains("memory"), "the trial call must say which limit");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_ends_when_its_processor_time_is_used_up() {
    let test = TestHost::with_hostile_guests(CallLimits { cpu: Duration::from_millis(200), ..limits() }).await;
    assert_eq!(exceeded(test.command("spin").await), ExceededLimit::Cpu);
    assert_eq!(test.answer("hello").await, "echo hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_ends_at_the_wall_clock_when_that_comes_first() {
    let limits = CallLimits { cpu: Duration::from_secs(60), wall_clock: Duration::from_millis(500), ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let began = Instant::now();
    let error = test.command("spin").await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error:?}");
    assert!(error.is_retryable());
    assert!(began.elapsed() >= Duration::from_millis(500));
}

#[tokio::test]
async fn an_endless_loop_leaves_the_only_thread_to_others() {
    let limits = CallLimits { cpu: Duration::from_secs(60), wall_clock: Duration::from_secs(1), ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let spinning = test.command("spin");
    let others = async {
        let mut answered = 0;
        for _ in 0..10 {
            assert_eq!(test.answer("hello").await, "echo hello");
            answered += 1;
        }
        answered
    };
    let (spun, answered) = tokio::join!(spinning, others);
    assert!(matches!(spun.unwrap_err(), CallError::TimedOut { .. }));
    assert_eq!(answered, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_sleep_is_slept_and_a_long_one_is_cut_off() {
    let test = TestHost::with_hostile_guests(CallLimits { wall_clock: Duration::from_millis(800), ..limits() }).await;
    let slept = test.command("sleep 50").await.unwrap();
    assert!(slept.trace.duration >= Duration::from_millis(50));
    let error = test.command("sleep 60000").await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn recursion_up_to_the_stack_is_fine_and_deeper_is_a_trap() {
    let test = TestHost::with_hostile_guests(limits()).await;
    assert!(test.answer("recurse 100").await.starts_with("sum "));
    let error = test.command("recurse 100000000").await.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
    assert!(error.to_string().contains("its stack overflowed"), "{error}");
    let error = test.command("wild-write").await.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
    assert!(!error.to_string().contains("stack"), "another access out of bounds is called what it is: {error}");
    assert_eq!(test.answer("hello").await, "echo hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_are_kept_up_to_the_limit_and_the_rest_is_dropped() {
    let test = TestHost::with_hostile_guests(CallLimits { log_bytes: 1_000, ..limits() }).await;
    let fits = test.command("log 1000").await.unwrap().trace.logs;
    assert_eq!(fits.len(), 1);
    assert_eq!((fits[0].level, fits[0].message.len()), (LogLevel::Info, 1_000));
    let cut = test.command("log 1001").await.unwrap().trace.logs;
    assert_eq!((cut.len(), cut[0].level), (1, LogLevel::Info));
    assert!(cut[0].message.contains("bytes are left out here"), "{cut:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn host_functions_can_be_called_up_to_the_limit() {
    let test = TestHost::with_hostile_guests(CallLimits { host_calls: 50, ..limits() }).await;
    assert_eq!(test.answer("host-calls 50").await, "done");
    assert_eq!(exceeded(test.command("host-calls 51").await), ExceededLimit::HostCalls);
}

#[tokio::test(flavor = "multi_thread")]
async fn printed_text_is_kept_up_to_the_limit_and_printing_more_is_harmless() {
    let test = TestHost::with_hostile_guests(CallLimits { output_bytes: 500, ..limits() }).await;
    assert_eq!(test.command("print 100").await.unwrap().trace.stderr.len(), 101);
    let kept = test.command("print 1000000").await.unwrap().trace.stderr;
    assert!((500..600).contains(&kept.len()) && kept.contains("bytes are left out here"), "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_may_have_as_many_actions_as_the_limit_says() {
    let test = TestHost::with_hostile_guests(CallLimits { actions: 5, ..limits() }).await;
    assert_eq!(test.command("actions 5").await.unwrap().actions.len(), 5);
    assert_eq!(exceeded(test.command("actions 6").await), ExceededLimit::Actions);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_giant_answer_is_refused_before_it_is_copied() {
    let test = TestHost::with_hostile_guests(CallLimits { transfer_bytes: 1 << 20, ..limits() }).await;
    assert_eq!(test.answer("reply 4096").await.len(), 4_096);
    assert_eq!(exceeded(test.command("reply 2000000").await), ExceededLimit::Transfer);
    assert_eq!(exceeded(test.command("log 2000000").await), ExceededLimit::Transfer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_a_trap_with_the_message_of_the_guest() {
    let test = TestHost::with_hostile_guests(limits()).await;
    match test.command("panic").await.unwrap_err() {
        CallError::Trap { reason, trace } => {
            assert!(reason.contains("the bot gives up on purpose"), "{reason}");
            assert!(trace.stderr.contains("the bot gives up on purpose"));
            assert_eq!((trace.plugin.as_str(), trace.version, trace.outcome), ("hostile", 1, PluginOutcome::Trapped));
            assert_eq!(trace.sha256.len(), 64);
        }
        other => panic!("expected a trap, found {other:?}"),
    }
    let exit = test.command("exit 3").await.unwrap_err();
    assert!(exit.to_string().contains("exit("), "{exit}");
    let wild = test.command("wild-write").await.unwrap_err();
    assert!(matches!(wild, CallError::Trap { .. }), "{wild:?}");
    assert_eq!(test.answer("hello").await, "echo hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn handles_can_be_held_up_to_the_limit() {
    let test = TestHost::with_hostile_guests(CallLimits { handles: 100, ..limits() }).await;
    assert_eq!(test.answer("handles 40").await, "holding 40");
    assert_eq!(exceeded(test.command("handles 101").await), ExceededLimit::Handles);
}

#[tokio::test(flavor = "multi_thread")]
async fn random_bytes_are_returned_in_bounded_portions() {
    let test = TestHost::with_hostile_guests(limits()).await;
    assert_eq!(test.answer("random-bytes 65536").await, "65536 bytes");
    let error = test.command("random-bytes 4000000000").await.unwrap_err();
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
}
