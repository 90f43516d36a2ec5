//! Users through the API (SPEC 4.7): the calls of an administrator, and those of the users themselves.

use futures::future::join_all;
use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const USERS: &str = "/api/v1/users";
const RETRIEVE: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const CHANGE: &str = "/messaging-service/WhatsApp/authenticate/changePassword";

async fn put(client: &TestClient, path: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, path, Some(body), &[]).await
}

async fn delete(client: &TestClient, path: &str) -> ClientReply {
    client.request(Method::DELETE, path, None, &[]).await
}

fn thandi() -> Value {
    json!({ "email": "thandi@acme.example", "name": "Thandi", "role": "AGENT" })
}

/// Creates a user, and returns its id and its temporary password.
async fn created(client: &TestClient, body: &Value) -> (String, String) {
    let reply = client.post(USERS, body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let text = |field: &str| reply.json()[field].as_str().unwrap().to_owned();
    (text("id"), text("temporaryPassword"))
}

fn login(client: &TestClient, password: &str) -> Value {
    json!({ "email": "thandi@acme.example", "password": password, "clientRef": client.client_ref })
}

async fn retrieve(client: &TestClient, password: &str) -> ClientReply {
    client.post(RETRIEVE, &login(client, password)).await
}

async fn change(client: &TestClient, password: &str, new: &str) -> ClientReply {
    let mut body = login(client, password);
    body["newPassword"] = json!(new);
    client.post(CHANGE, &body).await
}

/// The same client with the key of a new user of this role, and that user's id.
fn with_role(patchbay: &SharedPatchbay, client: &TestClient, role: &str) -> (TestClient, String) {
    let email = format!("{}@{}.example", role.to_lowercase(), client.client_ref);
    let user = patchbay.new_user(&client.client_ref, &email, role);
    let mut other = client.clone();
    other.key = user["apiKey"].as_str().unwrap().to_owned();
    (other, user["userId"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_new_user_is_answered_with_a_temporary_password_once_and_without_credentials_ever_after() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.post("/api/v1/teams", &json!({ "name": "Sales" })).await;

    let mut asked = thandi();
    asked["team"] = json!("sales");
    let reply = client.post(USERS, &asked).await;

    assert_eq!(reply.status, 201, "{}", reply.text);
    let user = reply.json();
    assert_eq!(user["temporaryPassword"].as_str().unwrap().len(), 20);
    let named = ["email", "name", "role", "team", "available", "chatLimit"].map(|field| user[field].clone());
    let expected = json!(["thandi@acme.example", "Thandi", "AGENT", "Sales", false, null]);
    assert_eq!(json!(named), expected);
    let path = format!("{USERS}/{}", user["id"].as_str().unwrap());
    for text in [client.get(&path).await.text, client.get(USERS).await.text] {
        assert!(text.contains("thandi@acme.example"), "{text}");
        for secret in ["assword", "apiKey", "token", user["temporaryPassword"].as_str().unwrap()] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[tokio::test]
async fn the_password_of_a_new_user_cannot_be_chosen() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let mut asked = thandi();
    asked["password"] = json!("chosen by somebody else");
    assert_eq!(client.post(USERS, &asked).await.faulty_fields(), ["password"]);
    assert_eq!(client.get(USERS).await.ok()["totalElements"], 1, "nothing was stored");
}

#[tokio::test]
async fn the_fault_of_a_new_user_is_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(client.post(USERS, &json!({})).await.faulty_fields(), ["email", "name", "role"]);
    for (field, value) in [
        ("email", json!("thandi")),
        ("email", json!(7)),
        ("name", json!("")),
        ("name", json!("x".repeat(201))),
        ("role", json!("BOSS")),
        ("team", json!("nobodys")),
    ] {
        let mut asked = thandi();
        asked[field] = value;
        assert_eq!(client.post(USERS, &asked).await.faulty_fields(), [field], "{asked}");
    }
    let mut longest = thandi();
    longest["name"] = json!("é".repeat(200));
    created(&client, &longest).await;
    assert_eq!(client.post(USERS, &thandi()).await.status, 409, "the e-mail is taken");
}

#[tokio::test]
async fn a_temporary_password_gives_no_key_and_ends_when_the_password_is_changed_with_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (_, temporary) = created(&client, &thandi()).await;

    let refused = retrieve(&client, &temporary).await;
    let told = (refused.status, refused.json()["error"].clone());
    assert_eq!(told, (403, json!("Temporary password")), "{}", refused.text);
    assert!(refused.text.contains("changePassword"), "{}", refused.text);
    assert_eq!(change(&client, &temporary, "my own words").await.status, 204);

    for (path, reply) in [
        ("retrieve", retrieve(&client, &temporary).await),
        ("change", change(&client, &temporary, "other words").await),
    ] {
        assert_eq!(reply.status, 401, "{path}: {}", reply.text);
        assert_eq!(reply.json()["error"], "Invalid credentials");
    }
    let mut agent = client.clone();
    agent.key = retrieve(&client, "my own words").await.ok()["apiKey"].as_str().unwrap().to_owned();
    assert_eq!(agent.get("/api/v1/users/me").await.ok()["email"], "thandi@acme.example");
}

#[tokio::test]
async fn only_one_of_two_changes_with_one_temporary_password_succeeds() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (_, temporary) = created(&client, &thandi()).await;
    let words: Vec<String> = (0..4).map(|at| format!("my own words {at}")).collect();
    let replies = join_all(words.iter().map(|new| change(&client, &temporary, new))).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401, 401, 401]);
    let winner = replies.iter().position(|reply| reply.status == 204).unwrap();
    assert_eq!(retrieve(&client, &words[winner]).await.status, 200);
}

#[tokio::test]
async fn a_new_password_has_8_to_1024_bytes_and_differs_from_the_old_one() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (_, temporary) = created(&client, &thandi()).await;
    for bad in ["1234567".to_owned(), "x".repeat(1025), temporary.clone()] {
        assert_eq!(change(&client, &temporary, &bad).await.faulty_fields(), ["newPassword"], "{bad}");
    }
    assert_eq!(client.post(CHANGE, &json!({})).await.faulty_fields(), ["email", "password", "clientRef"]);
    assert_eq!(change(&client, &temporary, &"x".repeat(1024)).await.status, 204);
    assert_eq!(change(&client, &"x".repeat(1024), "12345678").await.status, 204);
}

#[tokio::test]
async fn wrong_passwords_at_a_change_close_the_account_as_wrong_logins_do() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    let (_, temporary) = created(&client, &thandi()).await;
    for at in 0..10 {
        let reply =
            if at % 2 == 0 { change(&client, "guess", "my own words").await } else { retrieve(&client, "guess").await };
        assert_eq!(reply.status, 401, "{}", reply.text);
    }
    let refused = change(&client, &temporary, "my own words").await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(refused.header("retry-after").is_some());
    patchbay.advance_clock(901).await;
    assert_eq!(change(&client, &temporary, "my own words").await.status, 204);
}

#[tokio::test]
async fn a_user_changes_the_own_password_with_the_current_one_and_keeps_the_key() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let path = "/api/v1/users/me/password";
    let ask = |current: &str, new: &str| json!({ "currentPassword": current, "newPassword": new });

    let wrong = put(&client, path, &ask("guess", "my own words")).await;
    assert_eq!((wrong.status, wrong.json()["error"].as_str()), (403, Some("Forbidden")), "{}", wrong.text);
    assert_eq!(put(&client, path, &json!({})).await.faulty_fields(), ["currentPassword", "newPassword"]);
    assert_eq!(put(&client, path, &ask("correct horse", "my own words")).await.status, 204);

    let email = format!("{}@example.com", client.client_ref);
    let known = |password: &str| json!({ "email": email, "password": password, "clientRef": client.client_ref });
    assert_eq!(client.post(RETRIEVE, &known("correct horse")).await.status, 401);
    assert_eq!(client.post(RETRIEVE, &known("my own words")).await.ok(), json!({ "apiKey": client.key }));
}

#[tokio::test]
async fn an_admin_resets_the_password_of_others_with_a_temporary_one() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (id, temporary) = created(&client, &thandi()).await;
    assert_eq!(change(&client, &temporary, "my own words").await.status, 204);

    let again = client.post(&format!("{USERS}/{id}/temporary-password"), &json!({})).await.ok();
    let again = again["temporaryPassword"].as_str().unwrap().to_owned();

    assert_eq!(retrieve(&client, "my own words").await.status, 401);
    assert_eq!(retrieve(&client, &again).await.status, 403);
    assert_eq!(change(&client, &again, "other words of mine").await.status, 204);
    let me = client.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned();
    for own in [me.as_str(), "me"] {
        assert_eq!(client.post(&format!("{USERS}/{own}/temporary-password"), &json!({})).await.status, 409, "{own}");
    }
}

#[tokio::test]
async fn a_user_is_renamed_and_gets_another_role_and_team() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    client.post("/api/v1/teams", &json!({ "name": "Sales" })).await;
    let (id, _) = created(&client, &thandi()).await;
    let path = format!("{USERS}/{id}");

    let changed =
        put(&client, &path, &json!({ "name": "Thandi M.", "role": "SUPERVISOR", "team": "SALES" })).await.ok();
    assert_eq!(json!([changed["name"], changed["role"], changed["team"]]), json!(["Thandi M.", "SUPERVISOR", "Sales"]));
    let kept = put(&client, &path, &json!({ "name": "Thandi" })).await.ok();
    assert_eq!(json!([kept["name"], kept["role"], kept["team"]]), json!(["Thandi", "SUPERVISOR", "Sales"]));
    let out = put(&client, &path, &json!({ "team": null })).await.ok();
    assert_eq!(json!([out["team"], out["teamId"]]), json!([null, null]));

    for (field, value) in [
        ("email", json!("other@acme.example")),
        ("password", json!("chosen for her")),
        ("role", json!("agent")),
        ("team", json!("nobodys")),
        ("name", json!(" ")),
    ] {
        assert_eq!(put(&client, &path, &json!({ field: value })).await.faulty_fields(), [field]);
    }
}

#[tokio::test]
async fn a_removed_role_is_ineffective_from_the_next_request_on() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (other, id) = with_role(&patchbay, &client, "ADMIN");
    assert_eq!(put(&other, &format!("{USERS}/{id}"), &json!({ "name": "Boss" })).await.status, 200);
    assert_eq!(put(&client, &format!("{USERS}/{id}"), &json!({ "role": "AGENT" })).await.status, 200);
    assert_eq!(put(&other, &format!("{USERS}/{id}"), &json!({ "role": "ADMIN" })).await.status, 403);
}

#[tokio::test]
async fn the_last_admin_is_neither_deleted_nor_demoted() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let me = client.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned();
    let path = format!("{USERS}/{me}");
    let refused = put(&client, &path, &json!({ "role": "AGENT" })).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(put(&client, &path, &json!({ "name": "Ada", "role": "ADMIN" })).await.status, 200);

    let (other, id) = with_role(&patchbay, &client, "ADMIN");
    // If two administrators demote each other at once, one of them remains.
    let (theirs, ours) = (format!("{USERS}/{id}"), json!({ "role": "AGENT" }));
    let (one, two) = tokio::join!(put(&client, &theirs, &ours), put(&other, &path, &ours));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert!(matches!(statuses, [200, 403 | 409]), "{statuses:?}");
}

#[tokio::test]
async fn a_user_cannot_delete_its_own_account() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    with_role(&patchbay, &client, "ADMIN");
    let me = client.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned();
    assert_eq!(delete(&client, &format!("{USERS}/{me}")).await.status, 409);
}

#[tokio::test]
async fn a_deleted_user_has_no_key_on_any_node_and_the_email_is_free_again() {
    let patchbay = PatchbaySetup::new().start().await;
    let node = patchbay.second_node().await;
    let client = patchbay.bare_client("acme");
    let user = patchbay.new_user("acme", "thandi@acme.example", "AGENT");
    let (id, key) = (user["userId"].as_str().unwrap(), user["apiKey"].as_str().unwrap());
    let mut agent = client.clone();
    agent.key = key.to_owned();
    let elsewhere = node.client(&agent);
    assert_eq!(retrieve(&client, "long enough").await.status, 200);
    assert_eq!(elsewhere.get("/api/v1/users/me").await.status, 200);

    assert_eq!(delete(&client, &format!("{USERS}/{id}")).await.status, 204);

    for one in [&agent, &elsewhere] {
        assert_eq!(one.get("/api/v1/users/me").await.status, 401);
    }
    assert_eq!(retrieve(&client, "long enough").await.status, 401);
    assert_eq!(client.get(&format!("{USERS}/{id}")).await.status, 404);
    assert_eq!(delete(&client, &format!("{USERS}/{id}")).await.status, 404);
    assert_eq!(client.get(USERS).await.ok()["totalElements"], 1);
    created(&client, &thandi()).await;
}

#[tokio::test]
async fn users_are_listed_by_name_in_pages_and_searched_in_any_case_and_script() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (at, name) in ["Élodie", "bongani", "Ünal", "नेहा"].into_iter().enumerate() {
        created(&client, &json!({ "email": format!("u{at}@acme.example"), "name": name, "role": "AGENT" })).await;
    }
    let page = client.get(&format!("{USERS}?page=1&size=2")).await.ok();
    assert_eq!(json!([page["totalElements"], page["totalPages"], page["last"]]), json!([5, 3, false]));
    assert_eq!(page["content"].as_array().unwrap().len(), 2);
    for (search, found) in [
        ("%C3%A9LODIE", 1),
        ("BONG", 1),
        ("unal", 1),
        ("%C3%BCnal", 1),
        ("%E0%A4%A8%E0%A5%87", 1),
        ("U3@ACME", 1),
        ("nobody", 0),
        ("%25", 0),
    ] {
        assert_eq!(client.get(&format!("{USERS}?search={search}")).await.ok()["totalElements"], found, "{search}");
    }
    assert_eq!(client.get(&format!("{USERS}?search={}", "x".repeat(201))).await.faulty_fields(), ["search"]);
}

#[tokio::test]
async fn agents_set_their_availability_and_supervisors_their_chat_limit() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (agent, id) = with_role(&patchbay, &client, "AGENT");
    assert_eq!(
        put(&agent, "/api/v1/users/me/availability", &json!({ "available": true })).await.ok()["available"],
        true
    );
    let of_agent = format!("{USERS}/{id}/availability");
    assert_eq!(put(&client, &of_agent, &json!({ "available": false })).await.ok()["available"], false);
    assert_eq!(put(&agent, &of_agent, &json!({ "available": true })).await.status, 403);

    let limit = format!("{USERS}/{id}/chat-limit");
    for (value, fine) in [
        (json!(1), true),
        (json!(1000), true),
        (json!(null), true),
        (json!(0), false),
        (json!(1001), false),
        (json!("5"), false),
    ] {
        let reply = put(&client, &limit, &json!({ "chatLimit": value })).await;
        if fine {
            assert_eq!(reply.ok()["chatLimit"], value);
        } else {
            assert_eq!(reply.faulty_fields(), ["chatLimit"], "{value}");
        }
    }
    assert_eq!(put(&client, &limit, &json!({})).await.faulty_fields(), ["chatLimit"]);
    assert_eq!(put(&client, &of_agent, &json!({})).await.faulty_fields(), ["available"]);
}

#[tokio::test]
async fn whatsapp_is_metered_so_there_are_counts_and_no_balance() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.send(&client.order_ready(&["27820000001", "27820000002"])).await.accepted();
    let credits = client.get("/api/v1/users/me/whatsapp-credits").await.ok();
    assert_eq!(json!([credits["mode"], credits["balance"], credits["submitted"]]), json!(["METERED", null, 2]));
    let (agent, id) = with_role(&patchbay, &client, "AGENT");
    assert_eq!(client.get(&format!("{USERS}/{id}/whatsapp-credits")).await.ok()["submitted"], 2);
    let me = client.get("/api/v1/users/me").await.ok()["id"].as_str().unwrap().to_owned();
    assert_eq!(agent.get(&format!("{USERS}/{me}/whatsapp-credits")).await.status, 403);
}

#[tokio::test]
async fn accounts_are_served_under_both_paths_and_a_trailing_slash_does_not_matter() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for path in [
        "/api/v1/users/me",
        "/api/v1/users/me/",
        "/messaging-service/api/v1/users/me",
        "/messaging-service/api/v1/users/me//",
    ] {
        assert_eq!(client.get(path).await.status, 200, "{path}");
    }
    let page = client.get("/messaging-service/api/v1/users?size=1").await.ok();
    assert_eq!(page["size"], 1);
    let unknown = client.get("/messaging-service/api/v1/nothing").await;
    assert_eq!((unknown.status, unknown.json()["path"].as_str()), (404, Some("/messaging-service/api/v1/nothing")));
}

#[tokio::test]
async fn every_change_of_a_user_leaves_an_audit_row_without_names() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let (id, temporary) = created(&client, &thandi()).await;
    change(&client, &temporary, "my own words").await;
    put(&client, &format!("{USERS}/{id}"), &json!({ "name": "T" })).await.ok();
    client.post(&format!("{USERS}/{id}/temporary-password"), &json!({})).await.ok();
    delete(&client, &format!("{USERS}/{id}")).await;
    let mut db = patchbay.database().await;
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT action, object_kind, object_id FROM audit
         WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND object_id = $2 ORDER BY id",
    )
    .bind(&client.client_ref)
    .bind(&id)
    .fetch_all(&mut db)
    .await
    .unwrap();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(action, kind, _)| (action.as_str(), kind.as_str())).collect();
    let expected =
        [("create", "user"), ("change", "password"), ("update", "user"), ("reset", "password"), ("delete", "user")];
    assert_eq!(rows, expected);
}
