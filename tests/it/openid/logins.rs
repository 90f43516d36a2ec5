//! Logins that open a session.

use reqwest::Method;
use serde_json::json;
use sqlx::Connection as _;

use super::{ADA, ME, OPENID, Provider, RULE, Stage, back, begin, client, finish, put, refused, setup, with_session};

#[tokio::test]
async fn a_login_opens_the_same_session_as_a_password_and_stands_in_the_audit_trail() {
    let stage = Stage::set().await;
    let acme = &stage.acme;
    assert_eq!(acme.get(OPENID).await.ok(), json!({ "enabled": true, "name": "OpenID Connect" }));

    let by_provider = stage.logs_in(ADA).await;

    let login = json!({ "clientRef": "acme", "email": ADA, "password": "correct horse" });
    let by_password = acme.post("/api/v1/sessions", &login).await;
    let (provided, typed) = (by_provider.json(), by_password.json());
    assert_eq!(provided["user"], typed["user"]);
    assert_eq!(provided.as_object().unwrap().len(), typed.as_object().unwrap().len());
    let session = with_session(acme, &by_provider);
    assert_eq!(session.get(ME).await.ok()["id"], acme.get(ME).await.ok()["id"]);
    assert_eq!(session.get("/api/v1/audit").await.status, 200, "an ADMIN may read it");
    assert_eq!(session.get("/api/v1/sessions").await.ok()["sessions"].as_array().unwrap().len(), 2);
    let audit = acme.get("/api/v1/audit?targetKind=session").await.ok();
    assert_eq!(audit["totalElements"], 2, "{audit}");
    assert_eq!(audit["content"][0]["actor"], audit["content"][1]["actor"]);
    assert_eq!(acme.get("/api/v1/audit?targetKind=openidAccount").await.ok()["totalElements"], 1);
    assert_eq!(session.request(Method::DELETE, "/api/v1/sessions/current", None, &[]).await.status, 204);
    assert_eq!(session.get(ME).await.status, 401);
}

#[tokio::test]
async fn a_login_that_begins_at_one_node_ends_at_another() {
    let provider = Provider::start();
    let patchbay = setup(&provider).set("server.public_url", "http://127.0.0.1:9").start().await;
    let here = client(&patchbay, "acme", &json!({ "mode": "LINKED_USERS" })).await;
    let (node, _home) = patchbay.node_elsewhere().await;
    let there = node.client(&here);
    let begun = begin(&here).await;
    let back = back(&begun, &provider.log_in(begun["url"].as_str().unwrap(), ADA).await);

    let session = with_session(&here, &finish(&there, &back).await);

    assert_eq!(session.get(ME).await.status, 200);
    refused(&finish(&here, &back).await, 401, "begin again");
}

#[tokio::test]
async fn a_new_user_is_made_only_for_the_domains_of_the_rule_and_has_its_role() {
    let stage = Stage::set().await;
    let rule = json!({ "mode": "CREATE_USERS", "role": "SUPERVISOR", "emailDomains": ["Acme.example", "acme.test"] });
    assert_eq!(put(&stage.acme, RULE, &rule).await.ok()["emailDomains"], json!(["acme.example", "acme.test"]));
    let person =
        json!({ "sub": "grace", "email": "grace@ACME.example", "email_verified": true, "name": "Grace Hopper" });
    stage.provider.person(&person).await;

    let opened = stage.logs_in("grace").await;

    let user = &opened.json()["user"];
    assert_eq!((&user["email"], &user["name"]), (&json!("grace@ACME.example"), &json!("Grace Hopper")));
    assert_eq!((&user["role"], &user["clientRef"]), (&json!("SUPERVISOR"), &json!("acme")));
    assert_eq!(with_session(&stage.acme, &opened).get(ME).await.status, 200);
    assert_eq!(stage.logs_in("grace").await.json()["user"]["id"], user["id"], "the second login finds the user");
    for stranger in ["eve@sub.acme.example", "eve@acme.example.org", "eve@example.com"] {
        refused(&stage.logs_in(stranger).await, 403, &format!("no user with the e-mail address {stranger}"));
    }
    assert_eq!(stage.acme.get("/api/v1/users").await.ok()["totalElements"], 2);
}

#[tokio::test]
async fn a_linked_user_is_found_by_the_account_and_not_by_the_address_of_another() {
    let stage = Stage::set().await;
    let of = |sub: &str, email: &str| json!({ "sub": sub, "email": email, "email_verified": true });
    stage.provider.person(&of("old", ADA)).await;
    let first = stage.logs_in("old").await.json();
    stage.provider.person(&of("old", "renamed@example.com")).await;
    stage.provider.person(&of("new", "ACME@example.com")).await;

    let renamed = stage.logs_in("old").await;
    assert_eq!(renamed.json()["user"]["id"], first["user"]["id"]);
    refused(&stage.logs_in("new").await, 403, "linked to another account");

    let link = format!("/api/v1/users/{}/openid-link", first["user"]["id"].as_str().unwrap());
    assert_eq!(stage.acme.request(Method::DELETE, &link, None, &[]).await.status, 204);
    assert_eq!(with_session(&stage.acme, &renamed).get(ME).await.status, 401, "its sessions ended");
    assert_eq!(stage.logs_in("new").await.json()["user"]["id"], first["user"]["id"]);
    refused(&stage.logs_in("old").await, 403, "renamed@example.com");
}

#[tokio::test]
async fn a_deleted_user_loses_access_until_an_admin_adds_the_person_again() {
    let stage = Stage::set().await;
    let agent = json!({ "email": "agent@acme.example", "name": "Agent", "role": "AGENT" });
    let made = stage.acme.post("/api/v1/users", &agent).await.json();
    let first = stage.logs_in("agent@acme.example").await.json();
    assert_eq!(first["user"]["id"], made["id"]);
    let path = format!("/api/v1/users/{}", made["id"].as_str().unwrap());
    assert_eq!(stage.acme.request(Method::DELETE, &path, None, &[]).await.status, 204);

    refused(&stage.logs_in("agent@acme.example").await, 403, "was deleted: ask an ADMIN");
    let again = stage.acme.post("/api/v1/users", &agent).await.json();

    assert_eq!(stage.logs_in("agent@acme.example").await.json()["user"]["id"], again["id"]);
}

#[tokio::test]
async fn new_keys_of_the_provider_are_fetched_when_a_token_names_an_unknown_one() {
    let stage = Stage::set().await;
    with_session(&stage.acme, &stage.logs_in(ADA).await);

    stage.provider.control(&json!({ "keys": "rotate" })).await;

    with_session(&stage.acme, &stage.logs_in(ADA).await);
}

#[tokio::test]
async fn a_provider_with_public_clients_and_the_address_in_the_token_needs_no_secret() {
    let provider = Provider::start();
    provider.control(&json!({ "claims": "token" })).await;
    provider.control(&json!({ "endpoint": "/me", "status": 500 })).await;
    let setup = setup(&provider).set("openid.client_id", "patchbay-public").set("openid.client_secret", "");
    let patchbay = setup.set("openid.name", "Acme Login").start().await;
    let acme = client(&patchbay, "acme", &json!({ "mode": "LINKED_USERS" })).await;
    let stage = Stage { provider, patchbay, acme };

    with_session(&stage.acme, &stage.logs_in(ADA).await);

    assert_eq!(stage.acme.get(OPENID).await.ok()["name"], "Acme Login");
}

#[tokio::test]
async fn a_deleted_user_comes_back_by_an_admin_and_not_by_a_login() {
    let stage = Stage::set().await;
    let rule = json!({ "mode": "CREATE_USERS", "role": "AGENT", "emailDomains": ["acme.example"] });
    put(&stage.acme, RULE, &rule).await.ok();
    let grace = "grace@acme.example";
    let made = stage.logs_in(grace).await.json()["user"]["id"].clone();
    let path = format!("/api/v1/users/{}", made.as_str().unwrap());
    assert_eq!(stage.acme.request(Method::DELETE, &path, None, &[]).await.status, 204);

    for account in [grace, "GRACE@acme.example"] {
        refused(&stage.logs_in(account).await, 403, "was deleted: ask an ADMIN");
    }
    let renamed = json!({ "sub": grace, "email": "hopper@acme.example", "email_verified": true });
    stage.provider.person(&renamed).await;
    refused(&stage.logs_in(grace).await, 403, "was deleted: ask an ADMIN");
    stage.provider.person(&json!({ "sub": grace, "email": grace, "email_verified": true })).await;

    let again = json!({ "email": grace, "name": "Grace", "role": "AGENT" });
    let again = stage.acme.post("/api/v1/users", &again).await.json();
    assert_eq!(stage.logs_in(grace).await.json()["user"]["id"], again["id"]);
}

#[tokio::test]
async fn a_login_that_ends_while_its_link_is_removed_opens_no_session() {
    let stage = Stage::set().await;
    let user = stage.logs_in(ADA).await.json()["user"]["id"].clone();
    let back = stage.comes_back(ADA).await;
    let (mut remover, mut watcher) = (stage.patchbay.database().await, stage.patchbay.database().await);
    let mut removal = remover.begin().await.unwrap();
    // The statements of the removal in their order. Its commit waits until the login waits for it.
    for statement in [
        "SELECT id FROM client_user WHERE id = $1::text::uuid FOR UPDATE",
        "DELETE FROM openid_identity WHERE user_id = $1::text::uuid",
        "DELETE FROM session_key WHERE user_id = $1::text::uuid",
    ] {
        sqlx::query(statement).bind(user.as_str().unwrap()).execute(&mut *removal).await.unwrap();
    }
    let commit = async {
        while !scratch::waits_for_lock(&mut watcher, "password_hash").await {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        removal.commit().await.unwrap();
    };

    let (reply, ()) = tokio::join!(finish(&stage.acme, &back), commit);

    refused(&reply, 409, "begin again");
    assert_eq!(stage.logs_in(ADA).await.status, 201, "the next login links the account again");
    assert_eq!(stage.acme.get("/api/v1/sessions").await.ok()["sessions"].as_array().unwrap().len(), 1);
}
