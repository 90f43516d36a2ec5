//! Logins that open no session, and the texts for the person.

use harness::SharedPatchbay;
use serde_json::json;

use super::{ADA, OPENID, Provider, RULE, Stage, back, begin, client, finish, put, refused, setup, with_session};

#[tokio::test]
async fn a_login_ends_once_in_the_browser_that_began_it() {
    let stage = Stage::set().await;
    let mine = stage.comes_back(ADA).await;
    let other = begin(&stage.acme).await;
    let changed = |field: &str, value: &serde_json::Value| {
        let mut changed = mine.clone();
        changed[field] = value.clone();
        changed
    };
    let other_state = other["url"].as_str().unwrap().split("state=").nth(1).unwrap().split('&').next().unwrap();
    let mut broken = mine["state"].as_str().unwrap().to_owned();
    broken.replace_range(20..21, if &broken[20..21] == "0" { "1" } else { "0" });
    let louder = mine["state"].as_str().unwrap().to_uppercase();
    for wrong in [
        changed("secret", &other["secret"]),
        changed("secret", &json!("")),
        changed("state", &json!(other_state)),
        changed("state", &json!(broken)),
        changed("state", &json!("")),
        changed("state", &json!("ab".repeat(2_000))),
    ] {
        refused(&finish(&stage.acme, &wrong).await, 401, "begun in another browser");
    }

    with_session(&stage.acme, &finish(&stage.acme, &mine).await);

    refused(&finish(&stage.acme, &mine).await, 401, "begin again");
    refused(&finish(&stage.acme, &changed("state", &json!(louder))).await, 401, "begin again");
    let missing = finish(&stage.acme, &json!({})).await;
    assert_eq!(missing.faulty_fields(), ["code", "state", "secret"]);
}

#[tokio::test]
async fn a_code_that_was_used_or_never_given_out_opens_no_session() {
    let stage = Stage::set().await;
    let first = stage.comes_back(ADA).await;
    with_session(&stage.acme, &finish(&stage.acme, &first).await);
    let begun = begin(&stage.acme).await;
    let state = begun["url"].as_str().unwrap().split("state=").nth(1).unwrap().split('&').next().unwrap();

    for code in [first["code"].clone(), json!("never-given-out"), json!("")] {
        let replayed = json!({ "code": code, "state": state, "secret": begun["secret"] });
        let reply = finish(&stage.acme, &replayed).await;
        assert!([401, 502].contains(&reply.status), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_login_that_is_older_than_ten_minutes_is_refused() {
    let stage = Stage::set().await;
    let late = stage.comes_back(ADA).await;
    stage.patchbay.advance_clock(601).await;
    refused(&finish(&stage.acme, &late).await, 401, "older than ten minutes");
}

#[tokio::test]
async fn a_token_for_another_nonce_or_challenge_is_refused() {
    let stage = Stage::set().await;
    for (parameter, status, text) in [("nonce", 502, "could not be verified"), ("code_challenge", 401, "begin again")] {
        let begun = begin(&stage.acme).await;
        let url = begun["url"].as_str().unwrap();
        let value = url.split(&format!("&{parameter}=")).nth(1).unwrap().split('&').next().unwrap();
        let other = format!("{}{}", &value[1..], &value[..1]);
        assert_ne!(other, value);
        let url = url.replace(&format!("&{parameter}={value}"), &format!("&{parameter}={other}"));
        let back = back(&begun, &stage.provider.log_in(&url, ADA).await);

        refused(&finish(&stage.acme, &back).await, status, text);
    }
}

#[tokio::test]
async fn a_token_that_an_unpublished_key_signed_is_refused() {
    let stage = Stage::set().await;
    with_session(&stage.acme, &stage.logs_in(ADA).await);
    stage.provider.control(&json!({ "keys": "hide" })).await;
    refused(&stage.logs_in(ADA).await, 502, "could not be verified");
    stage.patchbay.until_logged("ID token: No matching key found").await;
}

#[tokio::test]
async fn a_clock_that_differs_by_more_than_a_minute_is_named() {
    let stage = Stage::set().await;
    // Tokens of the provider live for ten minutes.
    stage.patchbay.advance_clock(630).await;
    with_session(&stage.acme, &stage.logs_in(ADA).await);
    stage.patchbay.advance_clock(60).await;
    refused(&stage.logs_in(ADA).await, 502, "clocks");
}

#[tokio::test]
async fn persons_without_a_verified_address_or_a_user_get_the_reason() {
    let stage = Stage::set().await;
    stage.provider.person(&json!({ "sub": "ada", "email": ADA, "email_verified": false })).await;
    stage.provider.person(&json!({ "sub": "bea", "email": ADA })).await;
    stage.provider.person(&json!({ "sub": "cem", "name": "Cem" })).await;
    for account in ["ada", "bea", "cem"] {
        refused(&stage.logs_in(account).await, 403, "not verified your e-mail address");
    }
    refused(&stage.logs_in("eve@example.com").await, 403, "client `acme` has no user with the e-mail address");
    assert_eq!(stage.acme.get("/api/v1/audit?targetKind=session").await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn an_address_that_only_the_database_takes_for_that_of_a_user_is_another() {
    let stage = Stage::set().await;
    stage.patchbay.new_user("acme", "kim@acme.example", "SUPERVISOR");
    // KELVIN SIGN, and I WITH DOT ABOVE.
    for alike in ["\u{212a}im@acme.example", "k\u{130}m@acme.example"] {
        stage.provider.person(&json!({ "sub": alike, "email": alike, "email_verified": true })).await;
        for rule in [
            json!({ "mode": "LINKED_USERS" }),
            json!({ "mode": "CREATE_USERS", "role": "AGENT", "emailDomains": ["acme.example"] }),
        ] {
            put(&stage.acme, RULE, &rule).await.ok();
            let reply = stage.logs_in(alike).await;
            assert_ne!(reply.json()["user"]["email"], "kim@acme.example", "{}", reply.text);
        }
    }
    put(&stage.acme, RULE, &json!({ "mode": "LINKED_USERS" })).await.ok();
    assert_eq!(stage.logs_in("KIM@acme.example").await.json()["user"]["email"], "kim@acme.example");
}

#[tokio::test]
async fn one_source_has_few_logins_at_the_provider_at_the_same_time() {
    let stage = Stage::set().await;
    stage.provider.control(&json!({ "endpoint": "/token", "status": "never" })).await;
    let begun = begin(&stage.acme).await;
    let state = begun["url"].as_str().unwrap().split("state=").nth(1).unwrap().split('&').next().unwrap();
    let made_up = json!({ "code": "made-up", "state": state, "secret": begun["secret"] });

    let logins = (0..5).map(|_| Box::pin(finish(&stage.acme, &made_up)));
    let (first, _, _) = futures::future::select_all(logins).await;

    refused(&first, 429, "too many logins at once");
    assert!(first.headers.contains_key("retry-after"), "{:?}", first.headers);
}

#[tokio::test]
async fn an_unknown_client_and_one_whose_rule_is_off_get_the_same_answer() {
    let stage = Stage::set().await;
    put(&stage.acme, RULE, &json!({ "mode": "OFF" })).await.ok();
    refused(&stage.logs_in(ADA).await, 403, "client `acme` accepts no logins by OpenID Connect");
    let begun = stage.acme.post(&format!("{OPENID}/begin"), &json!({ "clientRef": "nowhere" })).await.ok();
    let back = back(&begun, &stage.provider.log_in(begun["url"].as_str().unwrap(), ADA).await);
    refused(&finish(&stage.acme, &back).await, 403, "client `nowhere` accepts no logins by OpenID Connect");
    for wrong in [json!("no such ref"), json!("me"), json!("a\nb"), json!("")] {
        let reply = stage.acme.post(&format!("{OPENID}/begin"), &json!({ "clientRef": wrong })).await;
        assert_eq!(reply.faulty_fields(), ["clientRef"], "{wrong}");
    }
    assert_eq!(stage.acme.post(&format!("{OPENID}/begin"), &json!({})).await.faulty_fields(), ["clientRef"]);
}

#[tokio::test]
async fn a_disabled_user_or_client_does_not_get_in() {
    let stage = Stage::set().await;
    let (client, user) = (["--client", "acme"], ["--email", ADA]);
    let run = |kind: &'static str, verb: &'static str, names: &[&str]| {
        stage.patchbay.printed(&[&[kind, verb][..], &client[..], names].concat())
    };
    with_session(&stage.acme, &stage.logs_in(ADA).await);
    run("user", "disable", &user);
    refused(&stage.logs_in(ADA).await, 403, "your user is disabled");
    run("user", "enable", &user);
    run("client", "disable", &[]);
    refused(&stage.logs_in(ADA).await, 403, "your client is disabled");
    run("client", "enable", &[]);
    with_session(&stage.acme, &stage.logs_in(ADA).await);
}

#[tokio::test]
async fn a_provider_that_is_down_is_named_and_the_log_has_the_reason_without_secrets() {
    let mut provider = Provider::start();
    let patchbay = setup(&provider).start().await;
    let acme = client(&patchbay, "acme", &json!({ "mode": "LINKED_USERS" })).await;
    let begun = begin(&acme).await;
    let back = back(&begun, &provider.log_in(begun["url"].as_str().unwrap(), ADA).await);
    // Redirects are not followed: our secret would go along.
    provider.control(&json!({ "endpoint": "/token", "status": 307 })).await;
    refused(&finish(&acme, &back).await, 502, "login provider does not answer");
    provider.control(&json!({ "endpoint": "/token", "status": 200, "body": "x".repeat(600_000) })).await;
    refused(&finish(&acme, &back).await, 502, "login provider does not answer");
    patchbay.until_logged("larger than 524288 bytes").await;
    provider.stop();

    refused(&finish(&acme, &back).await, 502, "login provider does not answer");

    let other = patchbay.second_node().await;
    let begun_there = other.client(&acme).post(&format!("{OPENID}/begin"), &json!({ "clientRef": "acme" })).await;
    refused(&begun_there, 502, "login provider does not answer");
    patchbay.until_logged("token endpoint: no connection").await;
    let log = patchbay.log();
    for secret in ["code", "state", "secret"] {
        assert!(!log.contains(back[secret].as_str().unwrap()), "{secret} is in the log");
    }
    assert!(!log.contains("secret-of-patchbay") && !log.contains(ADA));
}

#[tokio::test]
async fn wrong_settings_of_the_provider_are_for_the_operator() {
    let provider = Provider::start();
    let patchbay = setup(&provider).set("openid.client_secret", "another").start().await;
    let acme = client(&patchbay, "acme", &json!({ "mode": "LINKED_USERS" })).await;
    let stage = Stage { provider, patchbay, acme };
    refused(&stage.logs_in(ADA).await, 502, "does not accept the settings of this server");
    stage.patchbay.until_logged("token endpoint: invalid_client").await;
}

#[tokio::test]
async fn a_server_without_a_provider_says_so() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(client.get(OPENID).await.ok(), json!({ "enabled": false, "name": null }));
    let begun = client.post(&format!("{OPENID}/begin"), &json!({ "clientRef": client.client_ref })).await;
    refused(&begun, 404, "not set up on this server");
    let ended = finish(&client, &json!({ "code": "c", "state": "s", "secret": "s" })).await;
    refused(&ended, 404, "not set up on this server");
}
