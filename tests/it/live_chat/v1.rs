//! The calls that v2 replaced: the same chats and messages, with the old rules.

use harness::{ClientReply, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Desk, ids};

const CHATS: &str = "/chat-service/ChatParticipant";
const MESSAGES: &str = "/chat-service/Message";

async fn get(client: &TestClient, path: &str) -> Value {
    let reply = client.get(path).await;
    assert_eq!(reply.header("deprecation"), Some("@1767225600"), "{path}");
    reply.ok()
}

async fn terminate(client: &TestClient, whole: &Value) -> ClientReply {
    client.request(Method::PUT, &format!("{CHATS}/terminateChatParticipantChat"), Some(whole), &[]).await
}

#[tokio::test]
async fn is_open_has_three_states_and_the_search_is_a_substring() {
    let desk = Desk::set().await;
    let listed = |query: String| {
        let client = desk.client.clone();
        async move { ids(&get(&client, &format!("{CHATS}?{query}")).await) }
    };
    let part = &desk.phone.msisdn[4..];
    assert_eq!(listed(format!("searchString={part}")).await, [desk.chat.as_str()]);
    assert_eq!(listed("isOpen=true".to_owned()).await, [desk.chat.as_str()]);
    assert!(listed("isOpen=false".to_owned()).await.is_empty());
    assert!(listed("searchString=nobody".to_owned()).await.is_empty());
    let refused = desk.client.get(&format!("{CHATS}?isOpen=maybe")).await;
    assert_eq!(refused.header("deprecation"), Some("@1767225600"), "a refusal has the header, too");
    assert_eq!(refused.faulty_fields(), ["isOpen"]);
    let most = "x".repeat(200);
    assert!(listed(format!("searchString={most}")).await.is_empty());
    for list in [format!("{CHATS}?searchString"), format!("{CHATS}/tabs/all?searchString")] {
        assert_eq!(desk.client.get(&format!("{list}={most}x")).await.faulty_fields(), ["searchString"]);
    }
    assert_eq!(ids(&get(&desk.client, &format!("{CHATS}/tabs/unassigned")).await), [desk.chat.as_str()]);
    assert_eq!(desk.client.get(&format!("{CHATS}/tabs/nothing")).await.status, 404);
    terminate(&desk.client, &json!({ "id": desk.chat })).await.ok();
    assert_eq!(listed("isOpen=false".to_owned()).await, [desk.chat.as_str()]);
    assert_eq!(listed(String::new()).await, [desk.chat.as_str()]);
}

#[tokio::test]
async fn ending_a_chat_writes_the_whole_object_and_clears_absent_fields() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let taken = thandi.does(&desk.chat, "assign").await.ok();
    let ended = terminate(&thandi.client, &json!({ "id": desk.chat })).await.ok();
    assert_eq!((ended.get("assignedTo"), ended.get("lastAssignedAgent")), (None, None), "the assignment is forgotten");
    assert_eq!(terminate(&thandi.client, &json!({ "id": desk.chat })).await.status, 409);

    thandi.does(&desk.chat, "open").await.ok();
    let mut whole = taken.clone();
    whole["missedConversation"] = json!(true);
    let ended = terminate(&thandi.client, &whole).await.ok();
    assert_eq!(ended["lastAssignedAgent"]["id"], thandi.id);
    assert_eq!((&ended["missedConversation"], &ended["conversationClosed"]), (&json!(true), &json!(true)));
    thandi.does(&desk.chat, "open").await.ok();
    let ended = terminate(&thandi.client, &json!({ "id": desk.chat, "assignedTo": { "id": thandi.id } })).await.ok();
    assert_eq!((&ended["missedConversation"], &ended["lastAssignedAgent"]["id"]), (&json!(false), &json!(thandi.id)));
    assert_eq!(terminate(&thandi.client, &json!({})).await.faulty_fields(), ["id"]);
}

#[tokio::test]
async fn messages_go_both_ways() {
    let desk = Desk::set().await;
    let body = json!({ "participantId": desk.chat, "text": "the old way", "tempId": "1" });
    let sent = desk.client.post(&format!("{MESSAGES}/sendMessageWhatsapp"), &body).await;
    assert_eq!(sent.header("deprecation"), Some("@1767225600"));
    assert_eq!(sent.ok()["tempId"], "1");
    desk.phone.receives("it", |message| message["text"] == "the old way").await;
    let form = format!(
        "--b\r\nContent-Disposition: form-data; name=\"participantId\"\r\n\r\n{}\r\n--b\r\n\
         Content-Disposition: form-data; name=\"text\"\r\n\r\nlook\r\n--b\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.4\r\n--b--\r\n",
        desk.chat
    );
    let path = format!("{MESSAGES}/sendMessageWithAttachment");
    let sent = desk.client.post_raw(&path, "multipart/form-data; boundary=b", form).await.ok();
    assert_eq!((&sent["contentType"], &sent["text"]), (&json!("MEDIA"), &json!("look")));
    desk.phone.receives("the file", |message| message["type"] == "document").await;
    let mut by_address = json!({ "participantId": desk.chat, "text": "again" });
    assert_eq!(desk.client.post(&path, &by_address).await.faulty_fields(), ["mediaUrl"]);
    by_address["mediaUrl"] = sent["mediaUrl"].clone();
    let again = desk.client.post(&path, &by_address).await.ok();
    assert_eq!((&again["contentType"], &again["text"]), (&json!("MEDIA"), &json!("again")));
    let past = get(&desk.client, &format!("{MESSAGES}/getMessagesByParticipantId?participantId={}", desk.chat)).await;
    assert_eq!(past.as_array().unwrap().len(), 4);
    let ctn = desk.chat().await["customerTrackingNumber"].as_str().unwrap().to_owned();
    let tracked = get(&desk.client, &format!("{MESSAGES}/getMessagesByTrackingNumber?trackingNumber={ctn}")).await;
    // The states of messages can differ by now.
    let messages = |past: &Value| past.as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    assert_eq!(messages(&tracked), messages(&past));
    for call in ["typing", "markAsRead"] {
        let path = format!("{MESSAGES}/{call}?participantId={}", desk.chat);
        assert_eq!(desk.client.request(Method::POST, &path, None, &[]).await.ok()["shown"], true, "{call}");
    }
    assert_eq!(desk.chat().await["unreadCount"], 0);
}

#[tokio::test]
async fn a_file_with_an_invalid_form_field_is_not_kept() {
    let desk = Desk::set().await;
    let form = |field: &str, value: &str| {
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"participantId\"\r\n\r\n{}\r\n--b\r\n\
             Content-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n--b\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.4\r\n--b--\r\n",
            desk.chat
        )
    };
    let path = format!("{MESSAGES}/sendMessageWithAttachment");
    let send = async |form: String| desk.client.post_raw(&path, "multipart/form-data; boundary=b", form).await;
    for field in ["tempId", "ctId", "quotedExternalMessageId"] {
        assert_eq!(send(form(field, "a\0b")).await.faulty_fields(), [field]);
    }
    assert_eq!(send(form("quotedExternalMessageId", "wamid.of.nobody")).await.status, 400);
    let kept = async || desk.patchbay.rows_of(&desk.client.client_ref).await.get("media").copied().unwrap_or_default();
    assert_eq!(kept().await, 0);
    let sent = send(form("tempId", "1")).await.ok();
    assert_eq!(send(form("tempId", "1")).await.ok()["id"], sent["id"]);
    assert_eq!(kept().await, 1, "said again, it is the message that is there");
    desk.client
        .request(Method::POST, &format!("/chat-service/api/v2/chats/{}/terminate", desk.chat), None, &[])
        .await
        .ok();
    assert_eq!(send(form("text", "too late")).await.status, 409);
    assert_eq!(kept().await, 1);
}
