//! Uploads that are answered before their check ends: `Prefer: respond-async`.

use harness::{ClientReply, SharedPatchbay, TestClient, eventually, guest};
use serde_json::{Value, json};

use crate::plugin_uploads::{PLUGINS, bot, misfit};

async fn push(client: &TestClient, name: &str, component: Vec<u8>) -> ClientReply {
    let path = format!("{PLUGINS}?name={name}");
    client.post_raw_with(&path, "application/wasm", component, &[("Prefer", "wait=1, Respond-Async;x=1")]).await
}

async fn done(client: &TestClient, begun: &ClientReply) -> Value {
    assert_eq!(begun.status, 202, "{}", begun.text);
    let body = begun.json();
    assert_eq!(body["state"], "COMPILING");
    let place = format!("/plugin-service/api/v1/plugin-uploads/{}", body["id"].as_str().unwrap());
    assert_eq!(begun.header("location"), Some(place.as_str()));
    assert_eq!(begun.header("preference-applied"), Some("respond-async"));
    eventually("the upload to be done", || async {
        let upload = client.get(&place).await.ok();
        (upload["state"] != "COMPILING").then_some(upload)
    })
    .await
}

#[tokio::test]
async fn a_background_upload_becomes_a_version() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let begun = push(&client, "shop", bot(41)).await;
    let upload = done(&client, &begun).await;
    assert_eq!((&upload["state"], &upload["name"]), (&json!("READY"), &json!("shop")));
    assert_eq!((&upload["plugin"]["version"], &upload["plugin"]["world"]), (&json!(1), &json!("chatbot")));
    assert_eq!(client.get(&format!("{PLUGINS}/shop")).await.ok()["version"], 1);

    let again = push(&client, "shop", bot(41)).await;
    assert_eq!((again.status, &again.json()["version"]), (200, &json!(1)), "nothing is left to be done");
    let waited = client.post_raw(&format!("{PLUGINS}?name=shop"), "application/wasm", bot(42)).await;
    assert_eq!((waited.status, &waited.json()["version"]), (201, &json!(2)), "without the header it is waited for");
}

#[tokio::test]
async fn a_background_upload_has_the_reason_of_its_refusal() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    assert_eq!(
        push(&client, "-", bot(1)).await.faulty_fields(),
        ["name"],
        "a fault that is known at once is reported at once"
    );
    let begun = push(&client, "broken", misfit("deed-trap")).await;

    let upload = done(&client, &begun).await;

    assert_eq!((&upload["state"], &upload["refused"]["status"]), (&json!("REFUSED"), &json!(400)));
    let details = upload["refused"]["details"].as_array().unwrap();
    assert!(details.iter().any(|one| one["message"].as_str().unwrap().contains("this bot never works")), "{upload}");
    assert_eq!(client.get(&format!("{PLUGINS}/broken")).await.status, 404);
    client.upload("shop", bot(1)).await;
    let other_world = push(&client, "shop", guest("picky-fallback")).await;
    let upload = done(&client, &other_world).await;
    assert!(upload["refused"]["message"].as_str().unwrap().contains("another name"), "{upload}");
}

#[tokio::test]
async fn an_upload_of_a_dead_process_reports_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let begun = push(&client, "shop", bot(43)).await;
    done(&client, &begun).await;
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let mut db = patchbay.database().await;
    let silent = async |db: &mut sqlx::PgConnection, seconds: i32| {
        let statement = "UPDATE plugin_upload SET state = 'COMPILING', version = NULL,
            seen_at = now() - make_interval(secs => $2) WHERE id = $1::uuid";
        sqlx::query(statement).bind(&id).bind(f64::from(seconds)).execute(db).await.unwrap();
        client.get(&format!("/plugin-service/api/v1/plugin-uploads/{id}")).await.ok()
    };

    let (early, late) = (silent(&mut db, 50).await, silent(&mut db, 70).await);

    assert_eq!(early["state"], "COMPILING");
    assert_eq!((&late["state"], &late["refused"]["status"]), (&json!("REFUSED"), &json!(429)));
    assert!(late["refused"]["message"].as_str().unwrap().contains("upload it again"), "{late}");
}
