use super::*;

fn breakers() -> Breakers {
    Breakers::new(Arc::new(CallLimits::default()))
}

fn client(number: u128) -> ClientId {
    ClientId(uuid::Uuid::from_u128(number))
}

fn plugin(name: &str) -> PluginRef {
    PluginRef::uploaded(name, 1, "aa")
}

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_760_428_800, 0).unwrap()
}

fn call(breakers: &Breakers, of: u128, name: &str, verdict: CallVerdict) -> bool {
    let plugin = plugin(name);
    let admitted = breakers.admit(client(of), &plugin, moment());
    admitted.map(|admission| admission.settle(verdict, || "the plugin crashed".into())).is_ok()
}

fn calls(breakers: &Breakers, verdicts: impl IntoIterator<Item = CallVerdict>) -> usize {
    verdicts.into_iter().take_while(|verdict| call(breakers, 1, "bot", *verdict)).count()
}

#[tokio::test(start_paused = true)]
async fn ten_failures_in_a_row_suspend_a_plugin_and_nine_do_not() {
    let breakers = breakers();
    let mut heard = breakers.listen();
    let nearly = [vec![CallVerdict::Failed; 9], vec![CallVerdict::Well]].concat();
    assert_eq!(calls(&breakers, nearly), 10);
    assert!(!breakers.is_suspended(client(1), &plugin("bot")));
    assert_eq!(calls(&breakers, vec![CallVerdict::Failed; 20]), 10, "the tenth opens the breaker");
    assert!(breakers.is_suspended(client(1), &plugin("bot")));
    let suspension = heard.try_recv().unwrap();
    assert!(suspension.opened);
    assert_eq!(suspension.reason, "10 calls in a row failed; the last one: the plugin crashed");
    assert_eq!((suspension.client, suspension.plugin, suspension.at), (client(1), plugin("bot"), moment()));
    assert!(heard.try_recv().is_err(), "one suspension is announced once");
}

#[tokio::test(start_paused = true)]
async fn more_than_half_of_the_last_forty_suspend_a_plugin_and_half_do_not() {
    let breakers = breakers();
    let half = [CallVerdict::Failed, CallVerdict::Well].repeat(100);
    assert_eq!(calls(&breakers, half), 200);
    let two_thirds = [CallVerdict::Failed, CallVerdict::Failed, CallVerdict::Well].repeat(100);
    let let_through = calls(&breakers, two_thirds);
    assert!(let_through < 40, "{let_through}");
    assert!(breakers.is_suspended(client(1), &plugin("bot")));
}

#[tokio::test(start_paused = true)]
async fn outcomes_that_do_not_judge_the_plugin_do_not_count() {
    let breakers = breakers();
    let mixed = [vec![CallVerdict::Failed; 9], vec![CallVerdict::Nothing; 100]].concat();
    assert_eq!(calls(&breakers, mixed), 109);
    assert_eq!(calls(&breakers, [CallVerdict::Failed]), 1);
    assert!(breakers.is_suspended(client(1), &plugin("bot")), "the tenth failure, with others in between");
}

#[tokio::test(start_paused = true)]
async fn after_the_pause_one_call_probes_and_success_ends_the_suspension() {
    let breakers = breakers();
    let mut heard = breakers.listen();
    calls(&breakers, vec![CallVerdict::Failed; 10]);
    tokio::time::advance(Duration::from_secs(29)).await;
    let bot = plugin("bot");
    let until = breakers.admit(client(1), &bot, moment()).err().unwrap();
    assert_eq!(until, moment() + TimeDelta::seconds(1));
    tokio::time::advance(Duration::from_secs(1)).await;
    let probe = breakers.admit(client(1), &bot, moment()).ok().unwrap();
    assert!(!call(&breakers, 1, "bot", CallVerdict::Well), "one probe at a time");
    probe.settle(CallVerdict::Well, String::new);
    assert!(call(&breakers, 1, "bot", CallVerdict::Well));
    assert!(heard.try_recv().unwrap().opened);
    let over = heard.try_recv().unwrap();
    assert!(!over.opened);
    assert_eq!(calls(&breakers, vec![CallVerdict::Failed; 9]), 9, "it begins with a clean sheet");
    assert!(!breakers.is_suspended(client(1), &bot));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_begins_another_pause_without_another_announcement() {
    let breakers = breakers();
    calls(&breakers, vec![CallVerdict::Failed; 10]);
    let mut heard = breakers.listen();
    tokio::time::advance(Duration::from_secs(30)).await;
    assert!(call(&breakers, 1, "bot", CallVerdict::Failed));
    tokio::time::advance(Duration::from_secs(29)).await;
    assert!(!call(&breakers, 1, "bot", CallVerdict::Well));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(call(&breakers, 1, "bot", CallVerdict::Well));
    assert!(!heard.try_recv().unwrap().opened);
    assert!(heard.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_or_inconclusive_probe_allows_the_next_one() {
    let breakers = breakers();
    calls(&breakers, vec![CallVerdict::Failed; 10]);
    tokio::time::advance(Duration::from_secs(30)).await;
    let bot = plugin("bot");
    drop(breakers.admit(client(1), &bot, moment()).ok().unwrap());
    assert!(call(&breakers, 1, "bot", CallVerdict::Nothing));
    assert!(call(&breakers, 1, "bot", CallVerdict::Well));
    assert!(!breakers.is_suspended(client(1), &bot));
}

#[tokio::test(start_paused = true)]
async fn other_clients_plugins_and_versions_do_not_notice() {
    let breakers = breakers();
    calls(&breakers, vec![CallVerdict::Failed; 10]);
    assert!(!call(&breakers, 1, "bot", CallVerdict::Well));
    assert!(call(&breakers, 2, "bot", CallVerdict::Well));
    assert!(call(&breakers, 1, "other", CallVerdict::Well));
    let next = PluginRef::uploaded("bot", 2, "bb");
    assert!(breakers.admit(client(1), &next, moment()).is_ok(), "a new version starts afresh");
}

#[tokio::test(start_paused = true)]
async fn a_late_failure_of_a_call_begun_earlier_does_not_prolong_the_suspension() {
    let breakers = breakers();
    let bot = plugin("bot");
    let early = breakers.admit(client(1), &bot, moment()).ok().unwrap();
    calls(&breakers, vec![CallVerdict::Failed; 10]);
    tokio::time::advance(Duration::from_secs(20)).await;
    early.settle(CallVerdict::Failed, String::new);
    tokio::time::advance(Duration::from_secs(10)).await;
    assert!(call(&breakers, 1, "bot", CallVerdict::Well));
}

#[tokio::test(start_paused = true)]
async fn working_or_idle_plugins_are_dropped() {
    let breakers = breakers();
    for of in 0..5_000 {
        call(&breakers, of, "bot", CallVerdict::Well);
    }
    assert_eq!(breakers.table().circuits, 0, "a plugin that never failed takes no memory");
    for of in 0..1_024 {
        call(&breakers, of, "bot", CallVerdict::Failed);
    }
    assert_eq!(breakers.table().circuits, 1_024);
    tokio::time::advance(Duration::from_secs(601)).await;
    call(&breakers, 9_999, "bot", CallVerdict::Failed);
    assert_eq!(breakers.table().circuits, 1);
    for _ in 0..40 {
        call(&breakers, 9_999, "bot", CallVerdict::Well);
    }
    assert_eq!(breakers.table().circuits, 0, "forty good calls wipe the sheet");
}
