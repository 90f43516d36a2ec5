//! Files over Telegram in both directions, and the work of agents.

use harness::{Patchbay, SharedPatchbay, TelegramUser, TestClient, eventually};
use serde_json::json;

use super::with_bot;

const MESSAGES: &str = "/chat-service/api/v2/messages";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

#[tokio::test]
async fn files_of_a_customer_are_fetched_at_once_and_kept() {
    for (kind, mime_type, begins) in [("document", "application/pdf", "%PDF"), ("photo", "image/jpeg", "")] {
        let (patchbay, _, sink, user) = with_bot("clerk", "--polling").await;
        user.send(json!({ "type": kind, "text": "the bill", "filename": "My bill.pdf", "mimeType": mime_type })).await;
        let body = sink.receives("incoming", "the file", |body| body["caption"] == "the bill").await;
        assert_eq!(body["messageContentType"], "MEDIA");
        let url = body["mediaUrl"].as_str().unwrap().to_owned();
        let file = eventually("the file", || async {
            let answer = patchbay.http.get(&url).send().await.unwrap();
            (answer.status() == 200).then_some(answer)
        })
        .await;
        assert!(file.bytes().await.unwrap().starts_with(begins.as_bytes()), "{kind}");
    }
}

#[tokio::test]
async fn a_file_that_is_too_large_for_the_bot_api_is_given_up() {
    let (patchbay, client, sink, user) = with_bot("clerk", "--polling").await;
    user.send(json!({ "type": "video", "text": "the film", "saidBytes": 20 * 1024 * 1024 + 1 })).await;
    sink.receives("incoming", "the file", |body| body["caption"] == "the film").await;
    eventually("the file is given up", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT state FROM media JOIN client ON client.id = client_id WHERE client_ref = $1";
        let state: String = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (state == "FAILED").then_some(())
    })
    .await;
}

/// A chat of a customer in the queue of agents.
async fn in_queue(patchbay: &Patchbay, client: &TestClient, bot: &str) -> (TelegramUser, String) {
    patchbay.bot(client, bot, "--polling");
    let user = patchbay.telegram_user(&format!("6{bot}"), bot);
    user.write("hello").await;
    let chat = eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    });
    (user.clone(), chat.await)
}

#[tokio::test]
async fn an_agent_answers_with_text_picture_location_reaction_and_typing() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let bot = patchbay.new_phone().msisdn;
    let (user, chat) = in_queue(&patchbay, &client, &bot).await;
    let say = async |mut body: serde_json::Value| {
        body["participantId"] = json!(chat);
        body["channel"] = json!("TELEGRAM");
        client.post(MESSAGES, &body).await
    };
    let wrong = client.post(MESSAGES, &json!({ "participantId": chat, "channel": "VIBER", "text": "x" })).await;
    assert!(wrong.text.contains("WHATSAPP, WEB, FACEBOOK, TELEGRAM or SMS"), "{}", wrong.text);
    assert_eq!(say(json!({ "text": "How can I help?" })).await.ok()["channel"], "TELEGRAM");
    user.hears("How can I help?").await;

    let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"shop\"\r\n\r\n";
    let form = [head.as_bytes(), PNG, b"\r\n--b--\r\n"].concat();
    let kept = client.post_raw(&format!("{MESSAGES}/media"), "multipart/form-data; boundary=b", form).await.ok();
    say(json!({ "text": "Our shop", "mediaUrl": kept["mediaUrl"] })).await.ok();
    let picture = user.hears("Our shop").await;
    let sizes = picture["photo"].as_array().unwrap();
    assert_eq!(user.bytes_of(sizes.last().unwrap()["file_id"].as_str().unwrap()).await, PNG);

    say(json!({ "location": { "latitude": -33.9, "longitude": 18.4 } })).await.ok();
    user.receives("the place", |message| message["location"].is_object()).await;

    let typing = client.post(&format!("{MESSAGES}/typing?participantId={chat}"), &json!({})).await.ok();
    assert_eq!(typing["shown"], true, "{typing}");
    assert_eq!(user.chat().await["typing"], true);
    let past = client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
    say(json!({ "reaction": { "externalMessageId": past[0]["id"], "emoji": "👍" } })).await.ok();
    eventually("the reaction", || async {
        let chat = user.chat().await;
        (chat["reactions"]["1"] == json!([{ "type": "emoji", "emoji": "👍" }])).then_some(())
    })
    .await;
}
