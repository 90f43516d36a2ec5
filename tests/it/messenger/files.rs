//! Files to customers on Messenger: sent by address if Meta can fetch from us, otherwise as bytes.

use harness::{ClientReply, MessengerPerson, Patchbay, PatchbaySetup, SharedPatchbay, TestClient, eventually};
use serde_json::{Value, json};

use super::with_bot;

const MESSAGES: &str = "/chat-service/api/v2/messages";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A client without a chatbot, a customer that has written to its page, and their chat.
async fn in_queue(patchbay: &Patchbay, page: &str) -> (TestClient, MessengerPerson, String) {
    let client = patchbay.bare_client(&format!("files-{page}"));
    patchbay.page(&client, page).await;
    let person = patchbay.person(&format!("24{page}"), page);
    person.write("hello").await;
    let chat = eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    });
    let chat = chat.await;
    (client, person, chat)
}

/// Uploads a file and sends it into a chat with a text.
async fn sends(client: &TestClient, chat: &str, bytes: &[u8]) -> ClientReply {
    let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"shop\"\r\n\r\n";
    let form = [head.as_bytes(), bytes, b"\r\n--b--\r\n"].concat();
    let kept = client.post_raw(&format!("{MESSAGES}/media"), "multipart/form-data; boundary=b", form).await.ok();
    let said = json!({
        "participantId": chat, "channel": "FACEBOOK", "text": "Our shop", "mediaUrl": kept["mediaUrl"],
        "tempId": "t-1", "ctId": "c-1",
    });
    client.post(MESSAGES, &said).await
}

async fn sends_a_picture(client: &TestClient, chat: &str) {
    let sent = sends(client, chat, PNG).await.ok();
    assert_eq!((&sent["contentType"], &sent["channel"]), (&json!("MEDIA"), &json!("FACEBOOK")));
}

async fn bytes_of(patchbay: &Patchbay, message: &Value) -> Vec<u8> {
    let url = message["body"]["attachment"]["payload"]["url"].as_str().unwrap();
    let answer = patchbay.http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{url}");
    answer.bytes().await.unwrap().to_vec()
}

/// The attachments that the page has sent to this person, in the format of Meta.
async fn attachments_to(patchbay: &Patchbay, person: &MessengerPerson) -> Vec<Value> {
    let sends = patchbay.page_sends("send").await;
    let of_person = sends.iter().filter(|send| send["recipient"]["id"] == json!(person.psid));
    of_person.filter_map(|send| send.pointer("/message/attachment").cloned()).collect()
}

#[tokio::test]
async fn a_picture_of_an_agent_reaches_the_customer_even_if_meta_cannot_fetch_it() {
    let patchbay = SharedPatchbay::get().await;
    let page = format!("57{}", patchbay.new_phone().msisdn);
    let (client, person, chat) = in_queue(&patchbay, &page).await;
    sends_a_picture(&client, &chat).await;
    let came = person.hears("[image]").await;
    person.hears("Our shop").await;
    assert_eq!(bytes_of(&patchbay, &came).await, PNG);
    let [attachment]: [Value; 1] = attachments_to(&patchbay, &person).await.try_into().unwrap();
    assert_eq!(attachment["type"], "image");
    let named: Vec<&String> = attachment["payload"].as_object().unwrap().keys().collect();
    assert_eq!(named, ["attachment_id"], "by its id, not by an address of ours");
}

#[tokio::test]
async fn a_file_with_text_is_two_messages_of_the_chat_and_the_first_has_the_file_and_the_names() {
    let patchbay = SharedPatchbay::get().await;
    let page = format!("59{}", patchbay.new_phone().msisdn);
    let (client, _, chat) = in_queue(&patchbay, &page).await;
    let sent = sends(&client, &chat, PNG).await.ok();
    let past = client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
    let (file, words) = (&past[1], &past[2]);
    assert_eq!(
        (&file["id"], &file["contentType"], &file["fileExtension"]),
        (&sent["id"], &json!("MEDIA"), &json!("png"))
    );
    assert_eq!((&file["tempId"], &file["ctId"], &file["text"]), (&json!("t-1"), &json!("c-1"), &Value::Null));
    assert_eq!((&words["contentType"], &words["text"]), (&json!("TEXT"), &json!("Our shop")));
    for field in ["mediaUrl", "fileExtension", "tempId", "ctId"] {
        assert_eq!(words[field], Value::Null, "{field}");
    }
    assert_eq!(words["messageOwner"], file["messageOwner"]);
    assert_eq!(client.get(&format!("{MESSAGES}/ctid/c-1")).await.ok()["id"], sent["id"]);
    assert_eq!(sends(&client, &chat, PNG).await.ok()["id"], sent["id"], "the same name again sends nothing");
}

#[tokio::test]
async fn a_file_that_is_too_large_for_messenger_is_refused_before_it_is_sent() {
    let patchbay = SharedPatchbay::get().await;
    let page = format!("58{}", patchbay.new_phone().msisdn);
    let (client, _, chat) = in_queue(&patchbay, &page).await;
    let mut large = b"%PDF-1.7 ".to_vec();
    large.resize((25 << 20) + 1, b'x');
    let refused = sends(&client, &chat, &large).await;
    assert_eq!(refused.faulty_fields(), ["mediaUrl"]);
    assert!(refused.text.contains("25 MiB"), "{}", refused.text);
    let past = client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
    assert_eq!(past.as_array().unwrap().len(), 1, "nothing is stored");
}

#[tokio::test]
async fn a_file_returned_by_a_chatbot_reaches_the_customer_and_one_of_another_client_does_not() {
    let (patchbay, _, sink, person) = with_bot("clerk").await;
    person.send(json!({ "type": "file", "text": "the bill", "filename": "My bill.pdf" })).await;
    let told = sink.receives("incoming", "the file", |body| body["caption"] == "the bill").await;
    let url = told["mediaUrl"].as_str().unwrap();
    person.write(&format!("show {url}")).await;
    let came = person.hears("[file]").await;
    assert!(bytes_of(&patchbay, &came).await.starts_with(b"%PDF"));

    let (_, other, _, stranger) = with_bot("clerk").await;
    stranger.write(&format!("show {url}")).await;
    let failed = eventually("the message fails", || async {
        let mut db = patchbay.database().await;
        let statement =
            "SELECT leg.error_code, leg.error_text FROM outbound_leg leg JOIN client ON client.id = leg.client_id
            WHERE client_ref = $1 AND leg.state = 'FAILED'";
        let row: Option<(Option<String>, Option<String>)> =
            sqlx::query_as(statement).bind(&other.client_ref).fetch_optional(&mut db).await.unwrap();
        row
    })
    .await;
    assert_eq!(failed.0.as_deref(), Some("900415"), "{failed:?}");
    assert!(!stranger.inbox().await.iter().any(|message| message["text"] == "[file]"));
}

#[tokio::test]
async fn with_a_public_address_meta_gets_the_link_of_a_file() {
    let patchbay = PatchbaySetup::new().set("server.public_url", "https://chat.example.com").start().await;
    let (client, person, chat) = in_queue(&patchbay, "555").await;
    sends_a_picture(&client, &chat).await;
    person.hears("[image]").await;
    let [attachment]: [Value; 1] = attachments_to(&patchbay, &person).await.try_into().unwrap();
    let url = attachment["payload"]["url"].as_str().unwrap();
    assert!(url.starts_with("https://chat.example.com/media/"), "{url}");
    assert!(patchbay.page_sends("upload").await.is_empty());
}
