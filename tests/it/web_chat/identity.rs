//! Visitors whose site proves their identity.

use harness::{SharedPatchbay, TestClient, TestSite, TestVisitor};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{ORIGIN, stage};

async fn proof(client: &TestClient, site: &TestSite, user: &str) -> Value {
    let path = format!("/messaging-service/web/sites/{}/secret", site.id);
    let secret = client.get(&path).await.ok()["secret"].as_str().unwrap().to_owned();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(user.as_bytes());
    json!({ "userId": user, "hash": hex::encode(mac.finalize().into_bytes()) })
}

async fn load(patchbay: &SharedPatchbay, site: &TestSite, brings: Value) -> TestVisitor {
    let mut visitor = TestVisitor::load(&patchbay.url(), patchbay.http.clone(), site, brings).await;
    visitor.connect().await;
    visitor
}

#[tokio::test]
async fn a_proven_user_is_the_same_customer_on_every_device() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let identity = proof(&client, &site, "user-17").await;
    let mut phone = load(&patchbay, &site, json!({ "identity": identity })).await;
    phone.writes("from my phone").await;
    let mut laptop = load(&patchbay, &site, json!({ "identity": identity })).await;
    laptop.sees("from my phone").await;
    let mut other = load(&patchbay, &site, json!({ "identity": proof(&client, &site, "user-18").await })).await;
    other.writes("from somebody else").await;
    other.sees("from somebody else").await;
    assert_eq!(other.texts(), ["from somebody else"]);
}

#[tokio::test]
async fn a_visitor_that_logs_in_keeps_the_chat_and_the_old_token_loses_it() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let identity = proof(&client, &site, "user-17").await;
    let mut at_home = load(&patchbay, &site, json!({ "identity": identity })).await;
    at_home.writes("earlier, at home").await;
    let mut unknown = TestVisitor::arrive(&patchbay, &site).await;
    unknown.writes("not logged in yet").await;
    let mut known = load(&patchbay, &site, json!({ "token": unknown.token, "identity": identity })).await;
    known.sees("not logged in yet").await;
    assert_eq!(known.texts(), ["earlier, at home", "not logged in yet"]);
    // A page that was open at home now shows the joined chat.
    at_home.sees("not logged in yet").await;
    assert_eq!(at_home.texts(), known.texts());
    // If a browser still has the earlier token, it gets a new visitor.
    let again = load(&patchbay, &site, json!({ "token": unknown.token })).await;
    assert_ne!(again.session["visitor"], known.session["visitor"]);
    assert_eq!(again.session["chat"], Value::Null);
    unknown.cut();
    let socket = harness::visitors::open(&patchbay.url(), &site, ORIGIN).await;
    assert!(socket.is_ok());
}

#[tokio::test]
async fn a_visitor_that_logs_out_is_anonymous_again() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let identity = proof(&client, &site, "user-17").await;
    let mut known = load(&patchbay, &site, json!({ "identity": identity })).await;
    known.writes("mine").await;
    let out = load(&patchbay, &site, json!({ "token": known.token })).await;
    assert_ne!(out.session["visitor"], known.session["visitor"]);
    assert_eq!(out.session["chat"], Value::Null);
}

#[tokio::test]
async fn a_proof_that_is_none_is_refused_and_a_new_secret_ends_those_of_the_old_one() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let good = proof(&client, &site, "user-17").await;
    let ask = |identity: Value| {
        let (url, http, site) = (patchbay.url(), patchbay.http.clone(), site.clone());
        async move { harness::visitors::session(&url, &http, &site, ORIGIN, &json!({ "identity": identity })).await }
    };
    assert_eq!(ask(good.clone()).await.status, 200);
    for wrong in [
        json!({ "userId": "user-18", "hash": good["hash"] }),
        json!({ "userId": "user-17", "hash": "00" }),
        json!({ "userId": "user-17", "hash": "" }),
    ] {
        assert_eq!(ask(wrong).await.status, 403);
    }
    assert_eq!(ask(json!({ "userId": "", "hash": "00" })).await.status, 400);
    assert_eq!(ask(json!({ "userId": "x".repeat(129), "hash": "00" })).await.status, 400);
    client.post(&format!("/messaging-service/web/sites/{}/secret/rotate", site.id), &json!({})).await.ok();
    assert_eq!(ask(good).await.status, 403);
}
