//! The rule of a client.

use serde_json::json;

use super::{ADA, ME, RULE, Stage, client, put, refused, with_session};

#[tokio::test]
async fn a_rule_is_kept_and_its_faults_are_named() {
    let stage = Stage::set().await;
    let off = json!({ "mode": "OFF", "role": null, "emailDomains": [], "passwordLogin": true });
    assert_eq!(stage.patchbay.bare_client("other").get(RULE).await.ok(), off, "a client without a rule");
    let rule =
        json!({ "mode": "CREATE_USERS", "role": "AGENT", "emailDomains": ["b.example", "a.example", "B.example"] });
    let kept = put(&stage.acme, RULE, &rule).await.ok();
    assert_eq!(kept["emailDomains"], json!(["a.example", "b.example"]));
    assert_eq!(stage.acme.get(RULE).await.ok(), kept);
    assert_eq!(stage.acme.get("/api/v1/audit?targetKind=openidRule").await.ok()["totalElements"], 2);

    let creating = |role: serde_json::Value, domains: serde_json::Value| json!({ "mode": "CREATE_USERS", "role": role, "emailDomains": domains });
    let many: Vec<String> = (0..51).map(|at| format!("d{at}.example")).collect();
    for (wrong, field) in [
        (json!({}), "mode"),
        (json!({ "mode": "ON" }), "mode"),
        (json!({ "mode": "OFF", "passwordLogin": false }), "passwordLogin"),
        (json!({ "mode": "LINKED_USERS", "role": "AGENT" }), "role"),
        (json!({ "mode": "LINKED_USERS", "emailDomains": ["a.example"] }), "emailDomains"),
        (creating(json!(null), json!(["a.example"])), "role"),
        (creating(json!("ADMIN"), json!(["a.example"])), "role"),
        (creating(json!("API"), json!(["a.example"])), "role"),
        (creating(json!("KING"), json!(["a.example"])), "role"),
        (creating(json!("AGENT"), json!([])), "emailDomains"),
        (creating(json!("AGENT"), json!(["example"])), "emailDomains"),
        (creating(json!("AGENT"), json!(["@a.example"])), "emailDomains"),
        (creating(json!("AGENT"), json!(["a..example"])), "emailDomains"),
        (creating(json!("AGENT"), json!(many)), "emailDomains"),
    ] {
        assert_eq!(put(&stage.acme, RULE, &wrong).await.faulty_fields(), [field], "{wrong}");
    }
    put(&stage.acme, RULE, &creating(json!("AGENT"), json!(many[..50]))).await.ok();
}

#[tokio::test]
async fn passwords_of_people_end_only_after_their_admin_has_logged_in_without_one() {
    let stage = Stage::set().await;
    let acme = &stage.acme;
    let program = stage.patchbay.new_user("acme", "program@acme.example", "API");
    let login = |email: &str, password: &str| json!({ "clientRef": "acme", "email": email, "password": password });
    let (of_ada, of_program) = (login(ADA, "correct horse"), login("program@acme.example", "long enough"));
    let key = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
    let without = json!({ "mode": "LINKED_USERS", "passwordLogin": false });
    refused(&put(acme, RULE, &without).await, 409, "log in by OpenID Connect once");
    with_session(acme, &stage.logs_in(ADA).await);

    put(acme, RULE, &without).await.ok();

    for path in ["/api/v1/sessions", "/chat-service/api/v2/auth/session", key] {
        refused(&acme.post(path, &of_ada).await, 403, "log in by OpenID Connect");
    }
    let change = "/messaging-service/WhatsApp/authenticate/changePassword";
    let changed = |mut login: serde_json::Value| {
        login["newPassword"] = json!("another horse");
        login
    };
    refused(&acme.post(change, &changed(of_ada.clone())).await, 403, "log in by OpenID Connect");
    assert_eq!(acme.post(key, &login(ADA, "wrong horse")).await.status, 401);
    assert_eq!(acme.post(key, &of_program).await.ok()["apiKey"], program["apiKey"]);
    with_session(acme, &stage.logs_in(ADA).await);
    assert_eq!(acme.get(ME).await.status, 200, "API keys stay");
    put(acme, RULE, &json!({ "mode": "LINKED_USERS" })).await.ok();
    assert_eq!(acme.post("/api/v1/sessions", &of_ada).await.status, 201);
}

#[tokio::test]
async fn one_account_is_another_user_in_each_client() {
    let stage = Stage::set().await;
    let creating = json!({ "mode": "CREATE_USERS", "role": "DEVELOPER", "emailDomains": ["example.com"] });
    let other = client(&stage.patchbay, "other", &creating).await;
    let mine = stage.logs_in(ADA).await;
    let begun = super::begin(&other).await;
    let back = super::back(&begun, &stage.provider.log_in(begun["url"].as_str().unwrap(), ADA).await);

    let theirs = super::finish(&other, &back).await;

    let (here, there) = (with_session(&stage.acme, &mine), with_session(&other, &theirs));
    assert_eq!(
        (&here.get(ME).await.ok()["role"], &there.get(ME).await.ok()["role"]),
        (&json!("ADMIN"), &json!("DEVELOPER"))
    );
    assert_ne!(mine.json()["user"]["id"], theirs.json()["user"]["id"]);
    assert_eq!(theirs.json()["user"]["clientRef"], "other");
    assert_eq!(there.get("/api/v1/clients/acme/openid-rule").await.status, 403);
    assert_eq!(other.get("/api/v1/clients/acme/openid-rule").await.status, 404);
    let link = format!("/api/v1/users/{}/openid-link", mine.json()["user"]["id"].as_str().unwrap());
    assert_eq!(other.request(reqwest::Method::DELETE, &link, None, &[]).await.status, 404);
    assert_eq!(here.get(ME).await.status, 200);
}

#[tokio::test]
async fn an_admin_of_a_parent_reads_the_rule_of_a_client_below_and_does_not_set_it() {
    let stage = Stage::set().await;
    let child = json!({ "clientRef": "acme-shop", "displayName": "Shop" });
    assert_eq!(stage.acme.post("/api/v1/clients/me/children", &child).await.status, 201);
    let of_child = "/api/v1/clients/acme-shop/openid-rule";
    let opened = json!({ "mode": "CREATE_USERS", "role": "AGENT", "emailDomains": ["example.com"] });

    refused(&put(&stage.acme, of_child, &opened).await, 403, "only an ADMIN of the client itself");

    assert_eq!(stage.acme.get(of_child).await.ok()["mode"], "OFF");
}
