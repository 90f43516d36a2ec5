//! Conversations that a router assigns (DESIGN 4 and 5). The guest `usher` decides by the first message.

use harness::{PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, greeter, guest};
use reqwest::Method;
use serde_json::{Value, json};

/// The shared server, a new client with the router `usher` and the default chatbot `clerk`, and a new phone.
async fn with_router() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.install("usher", guest("usher")).await;
    client.activate("clerk").await;
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

/// Writes a text, and returns the decision about it.
async fn decided(client: &TestClient, phone: &TestPhone, text: &str) -> Value {
    let before = client.decisions().await.len();
    phone.write(&client.number, text).await;
    let what = format!("the decision about `{text}`");
    let all = eventually(&what, || async {
        let all = client.decisions().await;
        (all.len() > before).then_some(all)
    })
    .await;
    assert_eq!(all.len(), before + 1, "one decision: {all:?}");
    all[0].clone()
}

type Chat = (String, Option<String>, Option<String>, Option<String>, i64);

/// State, team, reason, agent and events of the only chat of a client.
async fn chat(patchbay: &SharedPatchbay, client: &TestClient) -> Chat {
    let mut db = patchbay.database().await;
    let statement =
        "SELECT state, (SELECT name FROM team WHERE team.client_id = participant.client_id AND team.id = team_id),
            queued_reason, assigned_agent_id::text,
            (SELECT count(*) FROM participant_event event WHERE event.client_id = participant.client_id)
        FROM participant WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query_as(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap()
}

async fn hears(phone: &TestPhone, text: &str) {
    phone.receives(text, |message| message["text"].as_str().unwrap_or_default().starts_with(text)).await;
}

#[tokio::test]
async fn a_router_assigns_a_conversation_to_the_default_chatbot() {
    let (_patchbay, client, phone) = with_router().await;

    let decision = decided(&client, &phone, "say hello").await;

    hears(&phone, "hello").await;
    assert_eq!(decision["target"], json!({ "type": "bot" }));
    assert_eq!((&decision["reason"], &decision["fallback"]), (&json!("no rule fits"), &json!(false)));
    assert_eq!((&decision["plugin"], &decision["version"]), (&json!("usher"), &json!(1)));
    phone.write(&client.number, "say again").await;
    hears(&phone, "again").await;
    assert_eq!(client.decisions().await.len(), 1, "a conversation that goes on is not decided again");
}

#[tokio::test]
async fn a_router_picks_a_chatbot_that_is_not_the_default_one() {
    let (_patchbay, client, phone) = with_router().await;
    client.upload("special", greeter("special service")).await;

    let decision = decided(&client, &phone, "bot special").await;

    hears(&phone, "special service").await;
    assert_eq!(decision["target"], json!({ "type": "bot", "name": "special" }));
    phone.write(&client.number, "say still special?").await;
    let heard = eventually("the second answer", || async {
        let texts = phone.inbox().await;
        (texts.len() >= 2).then_some(texts)
    })
    .await;
    assert!(heard.iter().all(|message| message["text"] == "special service"), "{heard:?}");
}

#[tokio::test]
async fn a_router_may_answer_for_a_number_that_has_no_default_chatbot() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    client.install("usher", guest("usher")).await;

    let decision = decided(&client, &phone, "bot clerk").await;
    assert_eq!(decision["fallback"], false);
    phone.write(&client.number, "say I am here").await;
    hears(&phone, "I am here").await;

    let unrouted = patchbay.new_phone();
    let decision = decided(&client, &unrouted, "hello").await;
    assert_eq!((&decision["target"]["type"], &decision["fallback"]), (&json!("queue"), &json!(true)));
    assert!(decision["reason"].as_str().unwrap().contains("no default chatbot"), "{decision}");
}

#[tokio::test]
async fn a_router_hands_a_conversation_to_a_team_with_a_note() {
    let (patchbay, client, phone) = with_router().await;
    let team = "INSERT INTO team (client_id, id, name, created_at)
        SELECT id, gen_random_uuid(), 'sales', now() FROM client WHERE client_ref = $1";
    sqlx::query(team).bind(&client.client_ref).execute(&mut patchbay.database().await).await.unwrap();

    let decision = decided(&client, &phone, "team sales").await;

    assert_eq!(decision["target"], json!({ "type": "team", "name": "sales" }));
    let (state, team, reason, agent, events) = chat(&patchbay, &client).await;
    assert_eq!((state.as_str(), team.as_deref(), reason.as_deref()), ("QUEUED", Some("sales"), Some("is in a hurry")));
    assert_eq!((agent, events), (None, 0), "nothing is left for a chatbot");
    assert_eq!(phone.inbox().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_router_hands_a_conversation_to_an_available_agent() {
    let (patchbay, client, phone) = with_router().await;
    let user = |email: &str, role: &str| {
        let arguments =
            ["user", "create", "--client", &client.client_ref, "--email", email, "--password", "long-enough-1"];
        let made = patchbay.admin(&[&arguments[..], &["--name", "Ann", "--role", role]].concat());
        made["userId"].as_str().unwrap().to_owned()
    };
    let (agent, developer) = (user("ann@example.org", "AGENT"), user("dev@example.org", "DEVELOPER"));

    let decision = decided(&client, &phone, &format!("agent {agent}")).await;

    assert_eq!(decision["target"], json!({ "type": "agent", "id": agent }));
    let (state, _, _, assigned, events) = chat(&patchbay, &client).await;
    assert_eq!((state.as_str(), assigned.as_deref(), events), ("ACTIVE", Some(agent.as_str()), 0));

    for unknown in [developer.as_str(), "somebody-else"] {
        let decision = decided(&client, &patchbay.new_phone(), &format!("agent {unknown}")).await;
        assert_eq!((&decision["target"]["type"], &decision["fallback"]), (&json!("queue"), &json!(true)));
        assert!(decision["reason"].as_str().unwrap().contains(unknown), "{decision}");
    }
}

#[tokio::test]
async fn the_decision_of_a_router_takes_precedence_over_the_assignment_of_a_team() {
    let (patchbay, client, _) = with_router().await;
    let team = json!({ "name": "sales", "assignment": "least-busy" });
    assert_eq!(client.post("/api/v1/teams", &team).await.status, 201);
    let member = async |name: &str| {
        let email = format!("{name}@{}.example", client.client_ref);
        let user = json!({ "email": email, "name": name, "role": "AGENT", "team": "sales" });
        let id = client.post("/api/v1/users", &user).await.json()["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/users/{id}/availability");
        client.request(Method::PUT, &path, Some(&json!({ "available": true })), &[]).await.ok();
        id
    };
    let (ann, ben) = (member("ann").await, member("ben").await);
    let has_it = async |said: String| {
        let phone = patchbay.new_phone();
        decided(&client, &phone, &said).await;
        let path = format!("/chat-service/api/v2/chats?scope=all&search={}", phone.msisdn);
        eventually("an agent has the chat", || async {
            let found = client.get(&path).await.ok();
            found["content"][0]["assignedTo"]["id"].as_str().map(str::to_owned)
        })
        .await
    };
    // Ben gets each chat, although he has more chats than Ann.
    for _ in 0..2 {
        assert_eq!(has_it(format!("agent {ben}")).await, ben);
    }
    assert_eq!(has_it("team sales".to_owned()).await, ann, "where no agent is named, the team gives it out");
}

#[tokio::test]
async fn a_router_leaves_a_conversation_in_the_queue() {
    let (patchbay, client, phone) = with_router().await;

    let decision = decided(&client, &phone, "queue").await;

    assert_eq!(decision["target"], json!({ "type": "queue" }));
    let (state, team, reason, _, _) = chat(&patchbay, &client).await;
    assert_eq!((state.as_str(), team), ("QUEUED", None));
    assert_eq!(reason.as_deref(), Some("the customer asked for any agent"));
}

#[tokio::test]
async fn a_router_that_fails_is_not_waited_for_and_the_default_chatbot_answers() {
    let (patchbay, client, _phone) = with_router().await;
    for (deed, words) in [("trap", "crashed"), ("refuse", "not today"), ("bot nobody", "no chatbot `nobody`")] {
        let phone = patchbay.new_phone();
        let decision = decided(&client, &phone, deed).await;
        assert_eq!(decision["target"], json!({ "type": "bot" }), "{deed}");
        assert_eq!(decision["fallback"], true, "{deed}");
        assert!(decision["reason"].as_str().unwrap().contains(words), "{decision}");
        phone.write(&client.number, "say I answer").await;
        hears(&phone, "I answer").await;
    }
}

#[tokio::test]
async fn a_router_that_fails_without_a_default_chatbot_leaves_the_queue() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    client.install("usher", guest("usher")).await;

    let decision = decided(&client, &phone, "spin").await;

    assert_eq!((&decision["target"], &decision["fallback"]), (&json!({ "type": "queue" }), &json!(true)));
    assert_eq!(chat(&patchbay, &client).await.0, "QUEUED");
}

#[tokio::test]
async fn messages_written_while_a_router_decides_reach_the_chatbot_in_order() {
    let (_patchbay, client, phone) = with_router().await;
    for index in 1..=5 {
        phone.write(&client.number, &format!("say number {index}")).await;
    }
    hears(&phone, "number 5").await;
    let texts: Vec<Value> = phone.inbox().await.iter().map(|message| message["text"].clone()).collect();
    assert_eq!(texts, (1..=5).map(|index| json!(format!("number {index}"))).collect::<Vec<_>>());
    assert_eq!(client.decisions().await.len(), 1);
}

#[tokio::test]
async fn a_reopened_conversation_is_routed_again_with_the_state_of_the_router() {
    let (_patchbay, client, phone) = with_router().await;
    for number in 1..=3 {
        let decision = decided(&client, &phone, "count").await;
        assert_eq!(decision["reason"], format!("conversation {number}"));
        phone.write(&client.number, "bye").await;
        eventually("the chat to end", || async {
            let texts = phone.inbox().await;
            (texts.iter().filter(|message| message["text"] == "goodbye").count() == number).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_router_gets_the_facts_of_the_conversation() {
    let (_patchbay, client, phone) = with_router().await;
    phone.write(&client.number, "bye").await;
    hears(&phone, "goodbye").await;

    let decision = decided(&client, &phone, "facts").await;

    let reason = decision["reason"].as_str().unwrap();
    assert!(reason.starts_with("bot Some(\"clerk\"), reopened true, team None, weekday "), "{reason}");
}

#[tokio::test]
async fn without_its_router_a_conversation_goes_to_the_default_chatbot() {
    let (_patchbay, client, phone) = with_router().await;
    let off = client.post("/plugin-service/api/v1/plugins/usher/deactivate", &json!({})).await;
    assert_eq!(off.status, 204, "{}", off.text);
    phone.write(&client.number, "say plain").await;
    hears(&phone, "plain").await;
    assert_eq!(client.decisions().await, Vec::<Value>::new());
}

#[tokio::test]
async fn decisions_are_the_clients_own_and_can_be_asked_for_by_conversation() {
    let (patchbay, client, phone) = with_router().await;
    let first = decided(&client, &phone, "queue").await;
    decided(&client, &patchbay.new_phone(), "team sales").await;
    let stranger = patchbay.new_client().await;
    assert_eq!(stranger.decisions().await, Vec::<Value>::new());
    let path = "/plugin-service/api/v1/routing-decisions?participantId=";
    let id = first["participantId"].as_str().unwrap();
    let page = client.get(&format!("{path}{id}")).await.ok();
    assert_eq!((&page["totalElements"], &page["content"][0]["id"]), (&json!(1), &first["id"]));
    assert_eq!(client.get(&format!("{path}nonsense")).await.faulty_fields(), ["participantId"]);
}

#[tokio::test]
async fn a_decision_waits_for_no_clock_and_survives_a_restart() {
    let mut patchbay = PatchbaySetup::new().with_guests().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.install("usher", guest("usher")).await;
    client.activate("clerk").await;
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, "say late but here").await;
    patchbay.kill();

    let _worker = patchbay.worker();
    patchbay.launch().await;

    hears(&phone, "late but here").await;
    assert_eq!(client.decisions().await.len(), 1);
}
