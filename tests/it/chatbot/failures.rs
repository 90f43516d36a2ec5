//! Failures of chatbots: which calls are repeated, when a chat goes to agents at once, and which failures are not the
//! chatbot's fault.

use harness::{PatchbaySetup, TestClient, eventually, guest};

use super::*;

/// Waits until this number of calls of a plugin has ended with this outcome.
async fn made(client: &TestClient, plugin: &str, outcome: &str, calls: usize) {
    let what = format!("call {calls} of {plugin} to be {outcome}");
    eventually(&what, || async {
        let outcomes = outcomes(client, plugin).await;
        (outcomes.iter().filter(|one| *one == outcome).count() >= calls).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_bot_that_refuses_for_good_is_not_asked_again() {
    let (patchbay, client, sink, phone) = with_bot("hostile-bot").await;

    phone.write(&client.number, "refuse").await;

    let reason = is_queued(&patchbay, &client).await;
    assert_eq!(reason, "the chatbot failed: it reported the error `no-luck`");
    assert_eq!(outcomes(&client, "hostile-bot").await, ["answered", "refused"]);
    assert_eq!(event_of(&phone, &client, &sink, "hello?").await["chatBotConversation"], false);
}

#[tokio::test]
async fn a_bot_that_traps_is_asked_again_and_then_people_take_over() {
    let (patchbay, client, sink, phone) = with_clock("hostile-bot").await;
    phone.write(&client.number, "panic").await;
    for failures in 1..=3 {
        made(&client, "hostile-bot", "trapped", failures).await;
        assert_eq!(chat(&patchbay, &client).await.unwrap().0, "BOT", "after {failures} failures");
        patchbay.advance_clock(30).await;
    }

    assert_eq!(is_queued(&patchbay, &client).await, "the chatbot failed: it crashed");

    let last =
        client.keeps("hostile-bot", "invocations", |call| call["consequence"].to_string().contains("people")).await;
    assert!(
        last["consequence"].as_str().unwrap().contains("the plugin crashed: "),
        "the author reads the whole reason: {last}"
    );
    let outcomes = outcomes(&client, "hostile-bot").await;
    assert_eq!(outcomes, ["answered", "trapped", "trapped", "trapped", "trapped"]);
    assert_eq!(event_of(&phone, &client, &sink, "hello?").await["chatBotConversation"], false);
    assert!(!texts(&phone).await.iter().any(|text| text.contains("panic")));
}

#[tokio::test]
async fn answers_that_can_never_be_carried_out_hand_over_to_agents_at_once() {
    let answers = [
        ("hostile-bot", "reply 4097", "4096"),
        ("clerk", "four-buttons", "buttons"),
        ("clerk", "unknown-template", "`nobody_knows_it`"),
    ];
    for (bot, deed, said) in answers {
        let (patchbay, client, _sink, phone) = with_bot(bot).await;
        phone.write(&client.number, deed).await;
        let reason = is_queued(&patchbay, &client).await;
        assert!(reason.contains(said), "{deed}: {reason}");
        assert_eq!(outcomes(&client, bot).await, ["answered", "bad-answer"], "{deed} is asked once");
    }
}

/// A separate server whose chatbot `clerk` answers until its chat has six messages within an hour.
async fn with_six_messages_an_hour() -> (Patchbay, TestClient, TestPhone) {
    let setup = PatchbaySetup::new().with_guests().set("limits.bot_chat_messages_per_hour", "6");
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    client.activate("clerk").await;
    let phone = patchbay.phone("27820000001");
    for turn in 1..=3 {
        asks(&phone, &client, &format!("say turn {turn}"), &format!("turn {turn}")).await;
    }
    (patchbay, client, phone)
}

#[tokio::test]
async fn agents_get_a_chat_in_which_two_programs_answer_each_other() {
    let (patchbay, client, phone) = with_six_messages_an_hour().await;

    phone.write(&client.number, "say turn 4").await;

    let reason = is_queued(&patchbay, &client).await;
    assert!(reason.contains("two programs may be answering each other"), "{reason}");
    assert_eq!(texts(&phone).await, ["turn 1", "turn 2", "turn 3"]);
    let metrics = patchbay.get("/metrics").await.text;
    assert!(metrics.contains("patchbay_bot_chats_given_up_total{reason=\"endless-answers\"} 1"), "{metrics}");
}

#[tokio::test]
async fn messages_of_an_hour_ago_do_not_keep_a_chatbot_from_answering() {
    let (patchbay, client, phone) = with_six_messages_an_hour().await;

    patchbay.advance_clock(3_601).await;

    asks(&phone, &client, "say turn 4", "turn 4").await;
    assert_eq!(chat(&patchbay, &client).await.unwrap().0, "BOT");
}

#[tokio::test]
async fn a_bot_with_a_missing_file_leaves_its_chats_to_agents_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gone.wasm");
    std::fs::write(&file, guest("clerk")).unwrap();
    let patchbay = PatchbaySetup::new().set("plugins.dir", directory.path().to_str().unwrap()).start().await;
    let client = patchbay.client("acme", NUMBER).await;
    client.activate("gone").await;
    let phone = patchbay.phone("27820000001");
    asks(&phone, &client, "say hello", "hello").await;
    std::fs::remove_file(file).unwrap();
    eventually("the plugin to be gone", || async {
        let plugin = client.get("/plugin-service/api/v1/plugins/gone").await;
        (plugin.status == 404).then_some(())
    })
    .await;

    phone.write(&client.number, "say hello").await;

    let reason = is_queued(&patchbay, &client).await;
    assert_eq!(reason, "the chatbot failed: `gone` is not there");
    let mut db = patchbay.database().await;
    let statement = "SELECT count(*) FROM plugin_invocation WHERE plugin = 'gone' AND outcome = 'not-started'";
    let not_started: i64 = sqlx::query_scalar(statement).fetch_one(&mut db).await.unwrap();
    assert_eq!(not_started, 1, "it is asked once");
}

#[tokio::test]
async fn a_full_disk_is_not_a_failure_of_the_bot_which_answers_later() {
    let (patchbay, client, _sink, phone) = with_clock("clerk").await;
    asks(&phone, &client, "say hello", "hello").await;
    let mut db = patchbay.database().await;
    let full = "CREATE SEQUENCE tries;
        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM nextval('tries');
            RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
        END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON outbound_work FOR EACH ROW EXECUTE FUNCTION full_disk()";
    sqlx::raw_sql(full).execute(&mut db).await.unwrap();

    phone.write(&client.number, "say still here").await;
    for tries in 1..=6_i64 {
        eventually(&format!("try {tries}"), || async {
            let mut db = patchbay.database().await;
            let (made, begun): (i64, bool) =
                sqlx::query_as("SELECT last_value, is_called FROM tries").fetch_one(&mut db).await.unwrap();
            (begun && made >= tries).then_some(())
        })
        .await;
        patchbay.advance_clock(30).await;
    }
    assert_eq!(chat(&patchbay, &client).await.unwrap().0, "BOT", "people have not been called");
    sqlx::raw_sql("DROP TRIGGER full_disk ON outbound_work").execute(&mut db).await.unwrap();

    hears(&phone, "still here").await;
}

#[tokio::test]
async fn a_bot_without_memory_is_retried_until_there_is_some_and_nothing_is_stored_before() {
    let settings = [("limits.plugin_concurrency_per_client", "1"), ("limits.plugin_queue_wait", "50ms")];
    let setup = settings.iter().fold(PatchbaySetup::new().with_guests(), |setup, (key, value)| setup.set(key, value));
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    client.activate("hostile-bot").await;
    let (first, second) = (patchbay.phone("27820000001"), patchbay.phone("27820000002"));
    asks(&second, &client, "hello", "echo hello").await;
    first.write(&client.number, "sleep 4500").await;
    eventually("the first call to be under way", || async { (waiting(&patchbay).await.len() == 1).then_some(()) })
        .await;

    second.write(&client.number, "one").await;
    second.write(&client.number, "two").await;
    made(&client, "hostile-bot", "not-started", 1).await;
    eventually("all three to be there", || async { (waiting(&patchbay).await.len() == 3).then_some(()) }).await;
    let before = waiting(&patchbay).await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;

    assert_eq!(waiting(&patchbay).await, before, "the rows of what waits are the same versions");
    hears(&second, "echo two").await;
    assert_eq!(texts(&second).await, ["echo ", "echo hello", "echo one", "echo two"]);
    let refused = outcomes(&client, "hostile-bot").await.into_iter().filter(|outcome| outcome == "not-started").count();
    assert!((1..=2).contains(&refused), "once for each of the two at most: {refused}");
}

/// The row versions of the events that wait for chatbots.
async fn waiting(patchbay: &Patchbay) -> Vec<(uuid::Uuid, String)> {
    let mut db = patchbay.database().await;
    let statement = "SELECT id, ctid::text FROM participant_event ORDER BY id";
    sqlx::query_as(statement).fetch_all(&mut db).await.unwrap()
}

#[tokio::test]
async fn a_bot_that_never_ends_is_stopped_and_delays_no_other() {
    let (patchbay, client, _sink, phone) = with_bot("hostile-bot").await;
    let busy = patchbay.new_client().await;
    busy.activate("clerk").await;
    phone.write(&client.number, "spin").await;

    asks(&patchbay.new_phone(), &busy, "say still here", "still here").await;
    asks(&patchbay.new_phone(), &client, "hello", "echo hello").await;

    // The call reaches its time limit or its limit of processor time, whichever comes first.
    eventually("the call to be stopped", || async {
        let outcomes = outcomes(&client, "hostile-bot").await;
        outcomes.iter().any(|outcome| ["timed-out", "limit-exceeded"].contains(&outcome.as_str())).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_bot_that_fails_for_a_while_answers_in_the_end_and_in_order() {
    let (patchbay, client, _sink, phone) = with_clock("clerk").await;
    phone.write(&client.number, "flaky").await;
    phone.write(&client.number, "say after that").await;
    made(&client, "clerk", "refused", 2).await;
    assert_eq!(texts(&phone).await, Vec::<String>::new(), "later messages wait");

    asks(&patchbay.phone("27820000002"), &client, "repair", "repaired").await;
    patchbay.advance_clock(25).await;

    hears(&phone, "after that").await;
    assert_eq!(texts(&phone).await, ["recovered", "after that"]);
}

#[tokio::test]
async fn a_turn_that_fails_writes_nothing() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    phone.write(&client.number, "total-and-fail").await;
    let reason = is_queued(&patchbay, &client).await;
    assert_eq!(reason, "the chatbot failed: it reported the error `on-purpose`");

    asks(&patchbay.new_phone(), &client, "total", "total 1").await;
    assert_eq!(texts(&phone).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_bot_sends_no_marketing_to_a_customer_who_said_stop() {
    let (patchbay, client, _sink, phone) = with_bot("clerk").await;
    let event = json!({
        "type": "user_preferences", "phoneNumberId": format!("1{}", client.number), "msisdn": phone.msisdn, "value": "stop",
    });
    patchbay.simulate("/simulator/events", &event).await;
    eventually("the stop", || async {
        let statement =
            "SELECT count(*) FROM marketing_stop WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = patchbay.database().await;
        let count: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (count == 1).then_some(())
    })
    .await;
    asks(&phone, &client, "say hello", "hello").await;

    phone.write(&client.number, &format!("template {} welcome", client.template_id("welcome"))).await;

    let reason = is_queued(&patchbay, &client).await;
    assert!(reason.contains("has stopped marketing messages"), "{reason}");
}
