//! Sessions through the API: the login of a person, and the ends of a session (ADR 0065).

use harness::{ClientReply, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const SESSIONS: &str = "/api/v1/sessions";
const ME: &str = "/api/v1/users/me";
/// The password that the harness gives to the first user of every client.
const PASSWORD: &str = "correct horse";

fn login(client: &TestClient, email: &str, password: &str) -> Value {
    json!({ "clientRef": client.client_ref, "email": email, "password": password })
}

fn first_user(client: &TestClient) -> Value {
    login(client, &format!("{}@example.com", client.client_ref), PASSWORD)
}

/// Logs in, and returns the client with the session key, and the session.
async fn session(client: &TestClient, login: &Value) -> (TestClient, Value) {
    let reply = client.post(SESSIONS, login).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let session = reply.json();
    let mut other = client.clone();
    other.key = session["sessionKey"].as_str().unwrap().to_owned();
    (other, session)
}

async fn end(client: &TestClient, id: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{SESSIONS}/{id}"), None, &[]).await
}

#[tokio::test]
async fn a_session_key_works_until_its_user_logs_out() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let (logged_in, opened) = session(&client, &first_user(&client)).await;

    assert_eq!(logged_in.key.len(), 36);
    assert_ne!(logged_in.key, client.key);
    let me = logged_in.get(ME).await.ok();
    assert_eq!(opened["user"]["id"], me["id"]);
    assert_eq!(opened["user"]["clientRef"], json!(client.client_ref));
    assert!(opened["user"]["permissions"].as_array().unwrap().contains(&json!("LiveChat")));
    let listed = logged_in.get(SESSIONS).await.ok();
    assert_eq!(listed["sessions"][0]["id"], opened["id"]);
    assert_eq!(listed["sessions"][0]["current"], true);
    assert_eq!(client.get(SESSIONS).await.ok()["sessions"][0]["current"], false);
    assert!(!listed.to_string().contains(&logged_in.key));

    assert_eq!(end(&client, "current").await.status, 404, "an API key is no session");
    assert_eq!(end(&logged_in, "current").await.status, 204);

    assert_eq!(logged_in.get(ME).await.status, 401);
    assert_eq!(client.get(ME).await.status, 200, "the API key stays");
    let audit = client.get("/api/v1/audit?targetKind=session").await.ok();
    assert_eq!(audit["totalElements"], 2, "{audit}");
}

#[tokio::test]
async fn an_admin_sees_and_ends_sessions_of_others() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let agent = patchbay.new_user(&client.client_ref, &format!("agent@{}.example", client.client_ref), "AGENT");
    let agent_login = login(&client, agent["email"].as_str().unwrap(), "long enough");
    let (of_agent, _) = session(&client, &agent_login).await;
    let (of_admin, own) = session(&client, &first_user(&client)).await;
    let (admin_id, agent_id) = (own["user"]["id"].as_str().unwrap(), agent["userId"].as_str().unwrap());

    assert_eq!(of_agent.get(&format!("{SESSIONS}?userId={admin_id}")).await.status, 403);
    assert_eq!(end(&of_agent, own["id"].as_str().unwrap()).await.status, 404);
    let listed = of_admin.get(&format!("{SESSIONS}?userId={agent_id}")).await.ok();
    let id = listed["sessions"][0]["id"].as_str().unwrap();
    assert_eq!(end(&of_admin, id).await.status, 204);

    assert_eq!(of_agent.get(ME).await.status, 401);
    assert_eq!(client.get(&format!("{SESSIONS}?userId=me")).await.faulty_fields(), ["userId"]);
}

#[tokio::test]
async fn a_wrong_login_opens_no_session_and_missing_fields_are_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let mut wrong = first_user(&client);
    wrong["password"] = json!("battery staple");
    assert_eq!(client.post(SESSIONS, &wrong).await.status, 401);
    assert_eq!(client.post(SESSIONS, &json!({})).await.faulty_fields(), ["email", "password", "clientRef"]);
}

#[tokio::test]
async fn the_console_logs_in_with_the_short_answer() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let answer = client.post("/chat-service/api/v2/auth/session", &first_user(&client)).await.ok();
    assert!(answer["expiresTime"].is_string(), "{answer}");
    let mut other = client.clone();
    other.key = answer["key"].as_str().unwrap().to_owned();
    assert_eq!(other.get(ME).await.status, 200);
}

#[tokio::test]
async fn a_link_opens_one_session_for_webhooks_and_nothing_else() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (_, own) = session(&client, &first_user(&client)).await;
    let link = client.request(Method::POST, &format!("{SESSIONS}/links"), None, &[]).await;
    assert_eq!(link.status, 201, "{}", link.text);
    let link = link.json();
    let token = json!({ "token": link["token"] });
    assert!(link["url"].as_str().unwrap().ends_with(&format!("/console#link={}", link["token"].as_str().unwrap())));

    let opened = client.post(&format!("{SESSIONS}/links/open"), &token).await;

    assert_eq!(opened.status, 201, "{}", opened.text);
    let opened = opened.json();
    assert_eq!((&opened["clientRef"], &opened["endsAt"]), (&json!(client.client_ref), &link["expiresAt"]));
    assert_eq!(client.post(&format!("{SESSIONS}/links/open"), &token).await.status, 404, "it was used");
    let mut guest = client.clone();
    guest.key = opened["sessionKey"].as_str().unwrap().to_owned();
    let webhooks = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
    assert_eq!(guest.get(&format!("{webhooks}/list")).await.status, 200);
    assert_eq!(guest.post(webhooks, &json!({ "statusUpdateURL": "https://hooks.example/x" })).await.status, 200);
    for forbidden in [ME, "/api/v1/users", "/api/v1/audit", "/chat-service/api/v2/chats?scope=all"] {
        assert_eq!(guest.get(forbidden).await.status, 403, "{forbidden}");
    }
    assert_eq!(guest.request(Method::POST, &format!("{SESSIONS}/links"), None, &[]).await.status, 403);
    assert_eq!(guest.get(SESSIONS).await.ok()["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(end(&guest, own["id"].as_str().unwrap()).await.status, 404, "it is another session");
    assert_eq!(end(&guest, "current").await.status, 204);
    assert_eq!(guest.get(&format!("{webhooks}/list")).await.status, 401);
}
