//! `patchbay user|site|page|telegram remove`: an operator ends the access of a user, the widget of a site, and the connection
//! of a page or a bot.

use harness::{Patchbay, SharedPatchbay, TestClient, bot_token, eventually};

const CHATS: &str = "/chat-service/api/v2/chats?scope=all";

async fn chats(client: &TestClient) -> i64 {
    client.get(CHATS).await.ok()["totalElements"].as_i64().unwrap()
}

async fn has_a_chat(client: &TestClient) {
    eventually("the chat", || async { (chats(client).await == 1).then_some(()) }).await;
}

/// Removes an inbox and asserts that it is listed as disabled and cannot be removed under another name.
fn remove(patchbay: &Patchbay, client: &TestClient, (kind, flag, name): (&str, &str, &str)) {
    let removed = patchbay.admin(&[kind, "remove", "--client", &client.client_ref, flag, name]);
    assert_eq!(removed["name"], name);
    let listed = patchbay.admin(&[kind, "list", "--client", &client.client_ref]).to_string();
    assert!(listed.contains(name) && !listed.contains("\"disabledTime\":null"), "{listed}");
    patchbay.refused(&[kind, "remove", "--client", &client.client_ref, flag, "4711"]);
}

#[tokio::test]
async fn a_removed_user_loses_its_key_at_once_and_the_last_admin_stays() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let client_ref = client.client_ref.as_str();
    let user = patchbay.new_user(client_ref, "dev@shop.example", "DEVELOPER");
    let mut dev = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut dev.key);
    assert_eq!(dev.get("/api/v1/users/me").await.status, 200);

    let removed = patchbay.admin(&["user", "remove", "--client", client_ref, "--email", "dev@shop.example"]);

    assert_eq!(removed["userId"], user["userId"]);
    assert_eq!(dev.get("/api/v1/users/me").await.status, 401);
    let said = patchbay.refused(&["user", "remove", "--client", client_ref, "--email", "dev@shop.example"]);
    assert!(said.contains("has no user `dev@shop.example`"), "{said}");
    let admin = client.get("/api/v1/users/me").await.ok()["email"].as_str().unwrap().to_owned();
    patchbay.refused(&["user", "remove", "--client", client_ref, "--email", &admin]);
    assert_eq!(client.get("/api/v1/users/me").await.status, 200);
}

#[tokio::test]
async fn a_removed_site_is_in_no_list() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let client_ref = client.client_ref.as_str();
    let site =
        patchbay.admin(&["site", "add", "--client", client_ref, "--name", "Shop", "--origin", "https://shop.example"]);
    let id = site["id"].as_str().unwrap();

    patchbay.admin(&["site", "remove", "--client", client_ref, "--id", id]);

    let sites = patchbay.admin(&["site", "list", "--client", client_ref]);
    assert_eq!(sites["sites"].as_array().unwrap().len(), 0);
    patchbay.refused(&["site", "remove", "--client", client_ref, "--id", id]);
}

#[tokio::test]
async fn a_removed_page_is_free_for_another_client_and_keeps_its_chats() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let digits = patchbay.new_phone().msisdn;
    let page = format!("55{digits}");
    patchbay.page(&client, &page).await;
    let person = patchbay.person(&format!("24{digits}"), &page);
    person.write("hello").await;
    has_a_chat(&client).await;

    remove(&patchbay, &client, ("page", "--page-id", &page));

    patchbay.page(&other, &page).await;
    person.write("hello again").await;
    has_a_chat(&other).await;
    assert_eq!(chats(&client).await, 1);
    let refused = patchbay.refused(&["page", "enable", "--client", &client.client_ref, "--page-id", &page]);
    assert!(refused.contains("another client has connected"), "{refused}");
}

#[tokio::test]
async fn a_removed_bot_is_free_for_another_client_and_keeps_its_chats() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let bot = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &bot, "--webhook");
    let user = patchbay.telegram_user(&format!("5{bot}"), &bot);
    user.write("hello").await;
    has_a_chat(&client).await;
    let token = bot_token(&bot);
    let add = ["telegram", "add", "--client", &other.client_ref, "--token", &token, "--webhook"];
    patchbay.refused(&add);

    remove(&patchbay, &client, ("telegram", "--bot-id", &bot));

    patchbay.admin(&add);
    user.write("hello again").await;
    has_a_chat(&other).await;
    assert_eq!(chats(&client).await, 1);
    let refused = patchbay.refused(&["telegram", "enable", "--client", &client.client_ref, "--bot-id", &bot]);
    assert!(refused.contains("another client has connected"), "{refused}");
}
