//! `patchbay page add` (CONTRACT 3): one page, one client.

use harness::{SharedPatchbay, eventually};
use serde_json::json;

#[tokio::test]
async fn a_page_is_added_once_and_belongs_to_one_client() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let page = format!("77{}", patchbay.new_phone().msisdn);
    let id = patchbay.page(&client, &page).await;
    assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
    let add = |client_ref: &str| {
        patchbay.refused(&["page", "add", "--client", client_ref, "--page-id", &page, "--access-token", "t"])
    };
    assert!(add(&client.client_ref).contains("has the page"));
    assert!(add(&other.client_ref).contains("belongs to another client"));
    assert!(add("nobody").contains("there is no client `nobody`"));
}

#[tokio::test]
async fn an_invalid_page_or_token_is_refused_and_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let add = |page: &str, token: &str| {
        let names = ["page", "add", "--client", &client.client_ref, "--page-id", page, "--access-token", token];
        patchbay.refused(&names)
    };
    for page in ["acme", "12 34", "", &"1".repeat(65)] {
        assert!(add(page, "t").contains("is not an id of a page"), "{page}");
    }
    assert!(add("123", "with space").contains("visible ASCII"));
}

#[tokio::test]
async fn the_token_of_a_page_is_sealed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let page = format!("78{}", patchbay.new_phone().msisdn);
    patchbay.page(&client, &page).await;
    let mut db = patchbay.database().await;
    let statement = "SELECT access_token_sealed FROM messenger_inbox page JOIN page_directory known
        ON known.client_id = page.client_id AND known.inbox_id = page.id WHERE known.page_id = $1";
    let sealed: Vec<u8> = sqlx::query_scalar(statement).bind(&page).fetch_one(&mut db).await.unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("token-of-the-page"));
}

#[tokio::test]
async fn a_page_gets_a_new_token_and_later_sends_use_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let page = format!("79{}", patchbay.new_phone().msisdn);
    let id = patchbay.page(&client, &page).await;
    let person = patchbay.person(&format!("24{page}"), &page);
    person.write("hello").await;
    let chat = eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    let say = |text: &str| json!({ "participantId": chat, "channel": "FACEBOOK", "text": text });
    patchbay.simulate("/simulator/pages", &json!({ "pageId": page, "accessToken": "fresh" })).await;

    client.post("/chat-service/api/v2/messages", &say("waiting")).await.ok();
    eventually("the refusal", || async {
        let inboxes = client.get("/api/v1/inboxes").await.ok();
        inboxes["content"][0].get("refusedToken").cloned()
    })
    .await;

    let renew = ["page", "renew-token", "--client", &client.client_ref, "--page-id", &page, "--access-token-stdin"];
    assert_eq!(patchbay.admin_given(&renew, "fresh\n"), json!({ "id": id, "pageId": page }));
    person.hears("waiting").await;
    client.post("/chat-service/api/v2/messages", &say("there")).await.ok();
    person.hears("there").await;
}

#[tokio::test]
async fn only_the_token_of_an_inbox_that_has_one_is_renewed() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_bare_client());
    let renew = |client_ref: &str, number: &str, token: &str| {
        patchbay.refused(&[
            "number",
            "renew-token",
            "--client",
            client_ref,
            "--number",
            number,
            "--access-token",
            token,
        ])
    };
    assert!(renew("nobody", &client.number, "t").contains("there is no client `nobody`"));
    assert!(renew(&other.client_ref, &client.number, "t").contains(&format!("the client has no `{}`", client.number)));
    assert!(renew(&client.client_ref, &client.number, "with space").contains("visible ASCII"));
    assert!(renew(&client.client_ref, "0821", "t").contains("--number 0821"));
    let lite = patchbay.new_phone().msisdn;
    let whose = ["number", "add", "--client", &client.client_ref, "--number", &lite, "--provider", "WHATSAPP_LITE"];
    patchbay.admin(&whose);
    assert!(renew(&client.client_ref, &lite, "t").contains("has no access token"));
    let whose = ["number", "renew-token", "--client", &client.client_ref, "--number", &client.number];
    let renewed = patchbay.admin(&[&whose[..], &["--access-token", "fresh"]].concat());
    assert_eq!(renewed["whatsAppNumber"]["id"], json!(client.number_id));
}
