//! The webhook of a bot and its secret (CONTRACT 9), and the one process that asks for updates.

use harness::{ClientReply, PatchbaySetup, SharedPatchbay, bot_token, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::with_bot;

const HEADER: &str = "X-Telegram-Bot-Api-Secret-Token";

fn wrote(update: i64, text: &str) -> String {
    let person = json!({ "id": 77, "first_name": "Zo", "type": "private" });
    let message = json!({ "message_id": update, "date": 1_790_000_000, "chat": person, "from": person, "text": text });
    json!({ "update_id": update, "message": message }).to_string()
}

async fn posted(patchbay: &SharedPatchbay, id: &str, secret: Option<&str>, body: &str) -> ClientReply {
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(secret.map(|secret| (HEADER, secret)));
    patchbay.ask(Method::POST, &format!("/providers/telegram/webhook/{id}"), &headers, body.to_owned()).await
}

#[tokio::test]
async fn a_callback_without_the_secret_of_its_bot_is_refused_and_leaves_nothing() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let bots = [patchbay.new_phone().msisdn, patchbay.new_phone().msisdn];
    let (id, others) = (patchbay.bot(&client, &bots[0], "--webhook"), patchbay.bot(&other, &bots[1], "--webhook"));
    let secret_of = async |bot: &str| {
        let calls = patchbay.telegram_user("1", bot).calls("setWebhook").await;
        calls[0]["secret_token"].as_str().unwrap().to_owned()
    };
    let (own, foreign) = (secret_of(&bots[0]).await, secret_of(&bots[1]).await);
    assert!(own.len() >= 64 && own != foreign);
    for secret in [None, Some(""), Some("wrong"), Some(foreign.as_str()), Some(&own[1..])] {
        let reply = posted(&patchbay, &id, secret, &wrote(1, "forged")).await;
        assert_eq!(reply.status, 401, "{secret:?}: {}", reply.text);
    }
    let unknown = "01998000-0000-7000-8000-0000000000aa";
    assert_eq!(posted(&patchbay, unknown, Some(&own), &wrote(1, "forged")).await.status, 401);
    assert_eq!(posted(&patchbay, &others, Some(&own), &wrote(1, "forged")).await.status, 401);
    let strange = patchbay.ask(Method::POST, &format!("/providers/viber/webhook/{id}"), &[], "{}").await;
    assert_eq!(strange.status, 404);
    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    assert_eq!(chats["content"], json!([]));

    for body in ["nonsense", "[]", "{}", r#"{"update_id":"x"}"#] {
        let reply = posted(&patchbay, &id, Some(&own), body).await;
        assert_eq!((reply.status, reply.faulty_fields()), (400, vec!["body".to_owned()]), "{body}");
    }
    for _ in 0..3 {
        assert_eq!(posted(&patchbay, &id, Some(&own), &wrote(2, "once")).await.status, 200);
    }
    let chat = eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    let messages = client.get(&format!("/chat-service/api/v2/messages?participantId={chat}")).await.ok();
    assert_eq!(messages.as_array().unwrap().len(), 1, "a repetition is no second message");
}

#[tokio::test]
async fn an_update_that_cannot_be_read_is_kept_and_the_next_ones_are_taken() {
    let (_patchbay, client, sink, user) = with_bot("clerk", "--polling").await;
    user.write("say before").await;
    user.hears("before").await;
    user.update("message", json!({ "chat": { "id": 5, "type": "private" }, "text": "no id" })).await;
    user.update("poll", json!({ "id": "1" })).await;
    user.write("say after").await;
    user.hears("after").await;
    let kept = client.get("/messaging-service/WhatsApp/failed-callbacks").await;
    assert!(kept.status == 200 && kept.text.contains("TELEGRAM"), "{}", kept.text);
    drop(sink);
}

#[tokio::test]
async fn updates_are_stored_once_although_the_process_is_killed_and_another_one_asks() {
    let mut patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.bot(&client, "123456", "--polling");
    let user = patchbay.telegram_user("987654", "123456");
    let count = async |wanted: usize, client: &harness::TestClient| {
        eventually("the messages", || async {
            let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
            let chat = chats["content"][0]["id"].as_str()?.to_owned();
            let messages = client.get(&format!("/chat-service/api/v2/messages?participantId={chat}")).await.ok();
            (messages.as_array()?.len() == wanted).then_some(messages)
        })
        .await
    };
    let second = patchbay.second_node().await;
    user.write("one").await;
    count(1, &client).await;
    patchbay.kill();
    user.write("two").await;
    user.write("three").await;
    patchbay.launch().await;
    let messages: Value = count(3, &client).await;
    let mut texts: Vec<&str> = messages.as_array().unwrap().iter().filter_map(|one| one["text"].as_str()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "three", "two"]);
    drop(second);
}

#[tokio::test]
async fn a_bot_whose_token_was_revoked_is_asked_again_with_the_new_one() {
    let (patchbay, client, _, user) = with_bot("clerk", "--polling").await;
    user.write("say first").await;
    user.hears("first").await;
    let listed = patchbay.admin(&["telegram", "list", "--client", &client.client_ref]);
    let id = listed["bots"][0]["id"].as_str().unwrap().to_owned();
    user.treat_bot(json!({ "revoked": true })).await;
    eventually("the refusal", || async {
        let log = patchbay.log();
        log.lines().any(|line| line.contains("could not be polled") && line.contains(&id)).then_some(())
    })
    .await;
    user.write("say waits").await;
    user.treat_bot(json!({ "revoked": false })).await;
    patchbay.bot(&client, &user.bot, "--polling");
    user.hears("waits").await;
    assert!(!patchbay.log().contains(&bot_token(&user.bot)), "the token is in no log line");
}
