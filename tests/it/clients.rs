//! Clients and their child clients (SPEC 4.7, 9): references, fallbacks, and values that are never shown.

use harness::{ClientReply, SharedPatchbay, TestClient, WebhookSink};
use reqwest::Method;
use serde_json::{Value, json};

const ME: &str = "/api/v1/clients/me";
const BY_REF: &str = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef";

async fn put(client: &TestClient, path: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, path, Some(body), &[]).await
}

#[tokio::test]
async fn a_client_sees_itself_without_credentials() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let mut me = client.get(ME).await.ok();
    assert!(me["createdTime"].as_str().unwrap().ends_with('Z'), "{me}");
    me.as_object_mut().unwrap().remove("createdTime");
    let expected = json!({
        "clientRef": client.client_ref, "displayName": client.client_ref, "parentRef": null, "timeZone": "UTC",
        "popiaCompliant": false, "ratingWidget": false, "atMostOnce": false,
        "smsFallback": { "enabled": true, "smsUsername": null },
    });
    assert_eq!(me, expected);
    assert_eq!(
        client.get(&format!("/api/v1/clients/{}", client.client_ref)).await.ok()["clientRef"],
        client.client_ref
    );
}

#[tokio::test]
async fn a_client_creates_clients_below_it_and_lists_them_by_reference() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let child = |suffix: &str| format!("{}-{suffix}", client.client_ref);
    for suffix in ["b", "a"] {
        let body = json!({ "clientRef": child(suffix), "displayName": "Shop" });
        let made = client.post(&format!("{ME}/children"), &body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        assert_eq!(made.json()["parentRef"], json!(client.client_ref));
    }
    let page = client.get(&format!("{ME}/children?size=1")).await.ok();
    assert_eq!(json!([page["totalElements"], page["content"][0]["clientRef"]]), json!([2, child("a")]));
    // Children of a child are reached through it.
    let body = json!({ "clientRef": child("a-1"), "displayName": "Kiosk" });
    let path = format!("/api/v1/clients/{}/children", child("a"));
    assert_eq!(client.post(&path, &body).await.status, 201);
    assert_eq!(client.get(&path).await.ok()["totalElements"], 1);
    assert_eq!(client.get(&format!("/api/v1/clients/{}", child("a-1"))).await.ok()["parentRef"], json!(child("a")));

    assert_eq!(client.post(&path, &body).await.status, 409, "the reference is taken");
    assert_eq!(client.post(&path, &json!({})).await.faulty_fields(), ["clientRef", "displayName"]);
    for (field, value) in [("clientRef", "me"), ("clientRef", "a b"), ("displayName", "")] {
        let mut body = json!({ "clientRef": child("c"), "displayName": "Shop" });
        body[field] = json!(value);
        assert_eq!(client.post(&path, &body).await.faulty_fields(), [field], "{value}");
    }
}

#[tokio::test]
async fn a_query_with_the_old_reference_of_a_renamed_client_is_empty() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let open = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
    client.post(open, &json!({ "sender": client.number, "recipient": "27820000001" })).await.ok();
    let (old, new) = (client.client_ref.clone(), format!("{}-renamed", client.client_ref));
    let count =
        async |named: &str| client.get(&format!("{BY_REF}?clientRef={named}")).await.ok().as_array().unwrap().len();
    assert_eq!((count(&old).await, count("me").await), (1, 1));

    let renamed = put(&client, &format!("/api/v1/clients/{old}"), &json!({ "clientRef": new })).await.ok();
    assert_eq!(json!([renamed["clientRef"], renamed["displayName"]]), json!([new, old]));

    assert_eq!((count(&old).await, count(&new).await, count("me").await), (0, 1, 1));
    assert_eq!(client.get(&format!("/api/v1/clients/{old}/children")).await.ok()["totalElements"], 0);
    assert_eq!(client.get(&format!("/api/v1/clients/{old}")).await.status, 404);
    assert_eq!(client.get(&format!("/api/v1/clients/{new}")).await.status, 200);
    // The reference is also part of a login.
    let login =
        |named: &str| json!({ "email": format!("{old}@example.com"), "password": "correct horse", "clientRef": named });
    let retrieve = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
    assert_eq!(client.post(retrieve, &login(&old)).await.status, 401);
    assert_eq!(client.post(retrieve, &login(&new)).await.ok(), json!({ "apiKey": client.key }));
}

#[tokio::test]
async fn a_taken_or_invalid_reference_is_refused_and_nothing_changes() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    assert_eq!(put(&client, ME, &json!({ "clientRef": other.client_ref })).await.status, 409);
    for (field, value) in
        [("clientRef", "ME"), ("clientRef", "-a"), ("displayName", " "), ("timeZone", "Mars"), ("parentRef", "x")]
    {
        assert_eq!(put(&client, ME, &json!({ field: value })).await.faulty_fields(), [field], "{value}");
    }
    assert_eq!(client.get(ME).await.ok()["clientRef"], json!(client.client_ref));
    let changed = put(&client, ME, &json!({ "displayName": "Acme", "timeZone": "Africa/Johannesburg" })).await.ok();
    assert_eq!(json!([changed["displayName"], changed["timeZone"]]), json!(["Acme", "Africa/Johannesburg"]));
}

#[tokio::test]
async fn a_client_is_visible_to_its_parent_and_not_to_its_children_or_siblings() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let below = format!("{}-below", client.client_ref);
    let created = patchbay.admin(&[
        "client",
        "create",
        "--ref",
        &below,
        "--name",
        "Below",
        "--email",
        "b@example.com",
        "--password",
        "correct horse",
        "--parent",
        &client.client_ref,
    ]);
    let mut child = client.clone();
    child.key = created["apiKey"].as_str().unwrap().to_owned();
    assert_eq!(client.get(&format!("/api/v1/clients/{below}")).await.status, 200);
    assert_eq!(child.get(&format!("/api/v1/clients/{}", client.client_ref)).await.status, 404);
    assert_eq!(
        put(&child, &format!("/api/v1/clients/{}", client.client_ref), &json!({ "displayName": "x" })).await.status,
        404
    );
    assert_eq!(put(&client, &format!("/api/v1/clients/{below}"), &json!({ "displayName": "Shop" })).await.status, 200);
    assert_eq!(child.get(ME).await.ok()["displayName"], "Shop");
}

#[tokio::test]
async fn the_password_for_sms_is_written_sealed_kept_when_left_out_and_never_shown() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let path = format!("{ME}/sms-fallback");
    let secret = "s3cret of the account";
    let stored = async || -> Option<Vec<u8>> {
        let mut db = patchbay.database().await;
        let statement = "SELECT sms_password_sealed FROM client WHERE client_ref = $1";
        sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap()
    };

    let body = json!({ "enabled": true, "smsUsername": "acme", "smsPassword": secret });
    let reply = put(&client, &path, &body).await;
    assert_eq!(reply.ok()["smsFallback"], json!({ "enabled": true, "smsUsername": "acme" }));
    let sealed = stored().await.expect("it is stored");
    assert!(!sealed.windows(secret.len()).any(|part| part == secret.as_bytes()));
    for text in [reply.text, client.get(ME).await.text, patchbay.log()] {
        assert!(!text.contains(secret) && !text.contains("smsPassword"), "{text}");
    }

    assert_eq!(
        put(&client, &path, &json!({ "enabled": false })).await.ok()["smsFallback"],
        json!({ "enabled": false, "smsUsername": "acme" })
    );
    assert_eq!(stored().await, Some(sealed), "a field that is left out stays");
    let gone = json!({ "enabled": true, "smsUsername": null, "smsPassword": null });
    assert_eq!(put(&client, &path, &gone).await.ok()["smsFallback"]["smsUsername"], json!(null));
    assert_eq!(stored().await, None);

    assert_eq!(put(&client, &path, &json!({})).await.faulty_fields(), ["enabled"]);
    for (length, fine) in [(0, false), (1, true), (200, true), (201, false)] {
        let body = json!({ "enabled": true, "smsUsername": "x".repeat(length), "smsPassword": "x".repeat(length) });
        let reply = put(&client, &path, &body).await;
        if fine {
            reply.ok();
        } else {
            assert_eq!(reply.faulty_fields(), ["smsUsername", "smsPassword"], "{length}");
        }
    }
}

#[tokio::test]
async fn while_fallbacks_are_off_no_sms_is_sent_and_the_message_fails() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    put(&client, &format!("{ME}/sms-fallback"), &json!({ "enabled": false })).await.ok();

    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "by SMS" });
    client.send(&payload).await.accepted();
    let ct_id = format!("ct-{}", phone.msisdn);
    client.statuses(&sink, &ct_id, "FAILED").await;

    let mut db = patchbay.database().await;
    let decided =
        "SELECT state || ': ' || reason FROM fallback JOIN client ON client.id = client_id WHERE client_ref = $1";
    let decided: String = sqlx::query_scalar(decided).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(decided, "SKIPPED: the client has switched fallbacks off");
    assert!(phone.inbox().await.iter().all(|message| message["channel"] != "SMS"));

    // When fallbacks are on again, the next recipient without WhatsApp gets an SMS.
    put(&client, &format!("{ME}/sms-fallback"), &json!({ "enabled": true })).await.ok();
    let other = patchbay.new_phone();
    other.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&[&other.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "by SMS" });
    client.send(&payload).await.accepted();
    other.receives("the SMS", |message| message["channel"] == "SMS").await;
}

#[tokio::test]
async fn old_calls_have_the_answers_of_the_new_ones_and_a_deprecation_header() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let old = "/messaging-service/WhatsApp";
    for (called, successor) in [
        (format!("{old}/SystemUsers"), "/api/v1/users"),
        (format!("{old}/SystemUsers/me/"), "/api/v1/users/me"),
        (format!("{old}/Clients/me"), "/api/v1/clients/me"),
        (format!("{old}/Clients/me/children"), "/api/v1/clients/me/children"),
    ] {
        let (reply, new) = (client.get(&called).await, client.get(successor).await);
        assert_eq!(reply.ok(), new.ok(), "{called}");
        assert_eq!(reply.header("deprecation"), Some("@1795305600"));
        assert_eq!(reply.header("link"), Some(format!("<{successor}>; rel=\"successor-version\"").as_str()));
        assert_eq!((new.header("deprecation"), new.header("link")), (None, None));
    }
    let body = json!({ "email": "old@acme.example", "name": "Old", "role": "AGENT" });
    let made = client.post(&format!("{old}/SystemUsers"), &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(put(&client, &format!("{old}/SystemUsers/{id}"), &json!({ "name": "New" })).await.ok()["name"], "New");
    let gone = client.request(Method::DELETE, &format!("{old}/SystemUsers/{id}"), None, &[]).await;
    assert_eq!((gone.status, gone.header("deprecation")), (204, Some("@1795305600")));
    assert_eq!(put(&client, &format!("{old}/Clients/me/sms-fallback"), &json!({ "enabled": true })).await.status, 200);
    assert_eq!(
        put(&client, &format!("{old}/Clients/me/popia-compliance"), &json!({ "popiaCompliant": false })).await.status,
        200
    );

    let unknown = client.get(&format!("{old}/SystemUsers/nobody")).await;
    assert_eq!(
        (unknown.status, unknown.json()["path"].as_str()),
        (404, Some(format!("{old}/SystemUsers/nobody").as_str()))
    );
    let key = client.request(Method::POST, &format!("{old}/SystemUsers/generateAPIKey"), None, &[]).await;
    assert_eq!((key.status, key.header("deprecation")), (200, None), "this one stays");
}

#[tokio::test]
async fn at_most_once_is_off_until_it_is_switched_on_and_other_changes_keep_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for wrong in [json!("yes"), json!(1)] {
        assert_eq!(put(&client, ME, &json!({ "atMostOnce": wrong })).await.faulty_fields(), ["atMostOnce"], "{wrong}");
    }
    assert_eq!(client.get(ME).await.ok()["atMostOnce"], false);
    assert_eq!(put(&client, ME, &json!({ "atMostOnce": true })).await.ok()["atMostOnce"], true);
    assert_eq!(put(&client, ME, &json!({ "displayName": "Acme" })).await.ok()["atMostOnce"], true);
    assert_eq!(put(&client, ME, &json!({ "atMostOnce": false })).await.ok()["atMostOnce"], false);
}

#[tokio::test]
async fn the_operator_sets_at_most_once_on_the_command_line() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for wanted in ["true", "false"] {
        let printed = patchbay.admin(&["client", "set", "--client", &client.client_ref, "--at-most-once", wanted]);
        assert_eq!(printed, json!({ "clientRef": client.client_ref, "atMostOnce": wanted == "true" }));
        assert_eq!(client.get(ME).await.ok()["atMostOnce"], wanted == "true");
    }
    let unknown = patchbay.refused(&["client", "set", "--client", "nobody", "--at-most-once", "true"]);
    assert!(unknown.contains("there is no client `nobody`"), "{unknown}");
}
