//! Uploads of plugins: raw and as a form, versions, and refusals with their reasons (CONTRACT 6).

use futures::future::join_all;
use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient, altered, guest};
use reqwest::Method;
use serde_json::{Value, json};

pub const PLUGINS: &str = "/plugin-service/api/v1/plugins";
const WASM: &str = "application/wasm";

/// A chatbot with different bytes for every number. It answers with that number as its version.
pub fn bot(number: u32) -> Vec<u8> {
    altered(guest("hostile-bot"), "version-0000", &format!("version-{number:04}"))
}

/// The same plugin with other bytes: a section with `remark` is added.
fn remarked(component: &[u8], remark: &str) -> Vec<u8> {
    let length = |text: &str| u8::try_from(text.len()).expect("a short remark");
    let section = [&[0, 1 + length(remark), length(remark)], remark.as_bytes()].concat();
    [component, &section].concat()
}

/// A chatbot whose configuration must be `{"shop": "..."}`. `deed` replaces its action.
pub fn misfit(deed: &str) -> Vec<u8> {
    altered(guest("misfit"), "deed-none", deed)
}

fn with_key(client: &TestClient, key: &str) -> TestClient {
    let mut other = client.clone();
    key.clone_into(&mut other.key);
    other
}

async fn upload(client: &TestClient, name: &str, component: impl Into<Vec<u8>>) -> ClientReply {
    client.post_raw(&format!("{PLUGINS}?name={name}"), WASM, component).await
}

fn form(field: &str, component: &[u8]) -> Vec<u8> {
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n\
         --edge\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"bot.wasm\"\r\n\
         Content-Type: application/wasm\r\n\r\n"
    );
    [head.as_bytes(), component, b"\r\n--edge--\r\n"].concat()
}

/// The messages of a 400 that names only this field.
fn problems(reply: &ClientReply, field: &str) -> Vec<String> {
    assert_eq!(reply.status, 400, "{}", reply.text);
    let details = reply.json()["details"].as_array().cloned().unwrap();
    assert!(details.iter().all(|detail| detail["field"] == field), "{}", reply.text);
    details.iter().map(|detail| detail["message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_component_becomes_the_next_version_of_its_name() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let first = upload(&client, "shop", bot(1)).await;
    let second = upload(&client, "shop", bot(2)).await.json();

    assert_eq!(first.status, 201, "{}", first.text);
    let first = first.json();
    assert_eq!((&first["name"], &first["version"], &first["world"]), (&json!("shop"), &json!(1), &json!("chatbot")));
    assert_eq!((&first["state"], &first["size"]), (&json!("READY"), &json!(bot(1).len())));
    assert_eq!(first["sha256"].as_str().unwrap().len(), 64);
    assert!(first["imports"].as_array().unwrap().iter().any(|name| name.as_str().unwrap().contains("log")), "{first}");
    assert!(first["createdTime"].as_str().unwrap().ends_with('Z'), "{first}");
    assert_eq!(second["version"], 2);
    let one = client.get(&format!("{PLUGINS}/shop")).await.ok();
    let versions: Vec<&Value> = one["versions"].as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!((versions, &one["version"], &one["activations"]), (vec![&json!(2), &json!(1)], &json!(2), &json!([])));
}

#[tokio::test]
async fn the_same_bytes_under_the_same_name_are_the_same_version_in_every_form_of_upload() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let made = upload(&client, "shop", bot(1)).await;
    assert_eq!(made.status, 201);
    upload(&client, "shop", bot(2)).await;

    let again = upload(&client, "shop", bot(1)).await;
    let path = format!("{PLUGINS}?name=shop");
    let by_form = client.post_raw(&path, "multipart/form-data; boundary=edge", form("file", &bot(1))).await;
    let untyped = client.post_raw(&path, "application/octet-stream", bot(1)).await;

    for reply in [again, by_form, untyped] {
        assert_eq!((reply.status, reply.json()), (200, made.json()));
    }
    let elsewhere = upload(&client, "other", bot(1)).await;
    assert_eq!(elsewhere.status, 201, "under another name it is another plugin");
}

#[tokio::test]
async fn the_same_bytes_uploaded_many_times_at_once_are_one_version() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let replies = join_all((0..4).map(|_| upload(&client, "shop", bot(7)))).await;

    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 201], "{replies:?}");
    assert!(replies.iter().all(|reply| reply.json()["version"] == 1));
}

#[tokio::test]
async fn a_client_without_compile_time_left_gets_the_time_to_wait() {
    let setup = PatchbaySetup::new()
        .set("limits.plugin_compile_budget", "1ms")
        .set("limits.plugin_compile_budget_period", "1h");
    let patchbay = setup.start().await;
    let (client, other) = (patchbay.bare_client("acme"), patchbay.bare_client("rival"));
    // Bytes that no earlier run has compiled.
    let bot = |number| remarked(&bot(number), &client.key);
    let known = bot(1);
    let first = upload(&client, "shop", known.clone()).await;
    assert_eq!(first.status, 201, "its cost is unknown before: {}", first.text);

    let second = upload(&client, "shop", bot(2)).await;
    let checked = client.post_raw(&format!("{PLUGINS}/check"), WASM, bot(2)).await;

    for refused in [second, checked] {
        assert_eq!(refused.status, 429, "{}", refused.text);
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        let said = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(seconds > 0 && said.contains("0.001 s of processor time that a client gets in 3600 s"), "{said}");
        assert!(said.contains("try again in "), "{said}");
    }
    assert_eq!(upload(&client, "shop", known).await.status, 200, "a known component costs nothing");
    assert_eq!(upload(&other, "shop", bot(3)).await.status, 201, "another client has its own");
}

#[tokio::test]
async fn more_than_a_hundred_versions_are_kept_and_can_be_paged_through() {
    let patchbay = PatchbaySetup::new().set("limits.plugin_versions_kept", "1").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let bytes = guest("picky-fallback");
    for number in 1..=104 {
        let reply = upload(&client, "shop", remarked(&bytes, &format!("{number:04}"))).await;
        assert_eq!(reply.json()["version"], number, "{}", reply.text);
        if number == 1 {
            client.put_in_force("shop", json!({})).await;
        }
    }

    let one = client.get(&format!("{PLUGINS}/shop")).await.ok();

    let versions: Vec<u64> =
        one["versions"].as_array().unwrap().iter().map(|one| one["version"].as_u64().unwrap()).collect();
    let expected: Vec<u64> = (5..=104).rev().chain([1]).collect();
    assert_eq!(versions, expected, "at least a hundred with any setting, and the one that is in force");
    assert_eq!(one["totalVersions"], 101);
    let page = client.get(&format!("{PLUGINS}/shop?size=40&page=2")).await.ok();
    assert_eq!(page["versions"].as_array().unwrap().len(), 21);
    let gone = client.post(&format!("{PLUGINS}/shop/activate"), &json!({ "version": 3 })).await;
    assert_eq!(problems(&gone, "version"), ["is not there: `shop` has versions 1 to 104"]);
}

#[tokio::test]
async fn plugins_are_listed_page_by_page_with_the_built_in_ones() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for name in ["zebra", "zoo"] {
        upload(&client, name, bot(1)).await;
    }
    let all = client.get(&format!("{PLUGINS}?size=100")).await.ok();
    let names: Vec<&str> = all["content"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names.ends_with(&["zebra", "zoo"]) && names.contains(&"default-chatbot"), "{names:?}");

    let mut paged = Vec::new();
    for page in 0.. {
        let body = client.get(&format!("{PLUGINS}?size=3&page={page}")).await.ok();
        paged.extend(body["content"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()));
        if body["last"] == true {
            break;
        }
    }

    assert_eq!(paged, names);
    let found = client.get(&format!("{PLUGINS}?searchString=zeb")).await.ok();
    assert_eq!((&found["totalElements"], &found["content"][0]["source"]), (&json!(1), &json!("uploaded")));
}

#[tokio::test]
async fn another_clients_plugin_is_not_there() {
    let patchbay = SharedPatchbay::get().await;
    let (owner, stranger) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    upload(&owner, "secret", bot(1)).await;
    let unknown = stranger.get(&format!("{PLUGINS}/unknown")).await.json();

    let read = stranger.get(&format!("{PLUGINS}/secret")).await;

    assert_eq!(read.status, 404);
    assert_eq!(read.json()["message"], unknown["message"], "it looks like one that does not exist");
    for path in ["activate", "rollback", "deactivate", "invoke", "recording", "replay"] {
        let reply = stranger.post(&format!("{PLUGINS}/secret/{path}"), &json!({})).await;
        assert_eq!(reply.status, 404, "{path}: {}", reply.text);
    }
    assert_eq!(stranger.request(Method::DELETE, &format!("{PLUGINS}/secret"), None, &[]).await.status, 404);
    assert_eq!(upload(&stranger, "secret", bot(2)).await.json()["version"], 1, "it may have a plugin of that name");
    assert_eq!(owner.get(&format!("{PLUGINS}/secret")).await.ok()["totalVersions"], 1);
}

#[tokio::test]
async fn a_file_that_is_not_a_component_is_refused_with_the_reason() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let before = patchbay.rows_of(&client.client_ref).await;
    let whole = bot(1);
    let random: Vec<u8> = (0..5_000_u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let core_module = [b"\0asm\x01\0\0\0".as_slice()].concat();
    for (bytes, said) in [
        (random, "not a WebAssembly file"),
        (b"#!/bin/sh".to_vec(), "not a WebAssembly file"),
        (whole[..whole.len() / 2].to_vec(), ""),
        (whole[..6].to_vec(), ""),
        (core_module, "core WebAssembly module"),
    ] {
        let problems = problems(&upload(&client, "shop", bytes).await, "file");
        assert!(problems.iter().any(|problem| problem.contains(said)), "{said}: {problems:?}");
    }
    assert!(problems(&upload(&client, "shop", Vec::new()).await, "file")[0].contains("is empty"));
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn a_component_of_no_known_world_is_refused_with_the_missing_exports() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    // The smallest possible component.
    let problems = problems(&upload(&client, "shop", b"\0asm\x0d\0\x01\0".as_slice()).await, "file");
    let said = problems.join(" ");
    for export in
        ["patchbay:plugin/bot", "patchbay:plugin/fallback", "patchbay:plugin/shaper", "patchbay:plugin/routing"]
    {
        assert!(said.contains(export), "{export} is not named: {said}");
    }
}

#[tokio::test]
async fn a_version_of_another_world_needs_another_name() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    upload(&client, "shop", bot(1)).await;
    let problems = problems(&upload(&client, "shop", guest("picky-fallback")).await, "file");
    assert!(problems[0].contains("sms-fallback") && problems[0].contains("chatbot"), "{problems:?}");
}

#[tokio::test]
async fn a_component_that_fails_its_trial_call_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let trapped = problems(&upload(&client, "shop", misfit("deed-trap")).await, "file");
    assert!(trapped[0].contains("trial call") && trapped[0].contains("this bot never works"), "{trapped:?}");
    let unusable = problems(&upload(&client, "shop", misfit("deed-junk")).await, "file");
    assert!(unusable[0].contains("trial call"), "{unusable:?}");
    let schema = problems(&upload(&client, "shop", misfit("deed-text")).await, "file");
    assert!(schema[0].contains("schema"), "{schema:?}");
    assert_eq!(upload(&client, "shop", misfit("deed-fail")).await.status, 201, "an error is an answer");
}

#[tokio::test]
async fn names_are_checked_before_anything_else() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let long = "x".repeat(65);
    for name in ["", "-x", ".x", "a%20b", "a%2Fb", "%C3%A9", "a%00b", long.as_str(), "check"] {
        assert_eq!(problems(&upload(&client, name, bot(1)).await, "name").len(), 1, "{name}");
    }
    assert_eq!(problems(&client.post_raw(PLUGINS, WASM, bot(1)).await, "name").len(), 1);
    let built_in = problems(&upload(&client, "webhook-v2", bot(1)).await, "name");
    assert!(built_in[0].contains("ships with Patchbay"), "{built_in:?}");
    for name in ["A-b_c.9", &long[..64]] {
        assert_eq!(upload(&client, name, bot(1)).await.status, 201, "{name}");
    }
}

#[tokio::test]
async fn a_hundred_megabytes_are_refused_and_say_how_many_are_allowed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let most = 32 << 20;
    let reply = upload(&client, "shop", vec![0; 100 << 20]).await;
    assert_eq!(reply.status, 413, "{}", reply.text);
    let said = reply.json()["message"].as_str().unwrap().to_owned();
    assert!(said.contains(&most.to_string()) && said.contains(&(100_u64 << 20).to_string()), "{said}");
    // At the limit an upload is checked; one byte above, it is refused.
    assert_eq!(upload(&client, "shop", vec![0; most]).await.status, 400);
    assert_eq!(upload(&client, "shop", vec![0; most + 1]).await.status, 413);
    let path = format!("{PLUGINS}?name=shop");
    let by_form = client.post_raw(&path, "multipart/form-data; boundary=edge", form("file", &vec![0; most + 1])).await;
    assert_eq!(by_form.status, 413, "{}", by_form.text);
}

#[tokio::test]
async fn forms_and_types_that_cannot_be_read_are_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let path = format!("{PLUGINS}?name=shop");
    let post = async |kind: &str, body: Vec<u8>| client.post_raw(&path, kind, body).await;
    assert_eq!(post("application/json", b"{}".to_vec()).await.status, 415);
    let boundless = post("multipart/form-data", form("file", b"x")).await;
    assert_eq!(boundless.faulty_fields(), ["body"]);
    let nameless = post("multipart/form-data; boundary=edge", form("plugin", b"x")).await;
    assert_eq!(nameless.faulty_fields(), ["file"]);
    let cut = form("file", &bot(1));
    assert_eq!(post("multipart/form-data; boundary=edge", cut[..200].to_vec()).await.status, 400);
}

#[tokio::test]
async fn the_plugins_of_a_client_are_limited_in_bytes_and_names() {
    let size = bot(1).len();
    let patchbay = PatchbaySetup::new()
        .set("limits.plugin_storage_bytes_per_client", &(2 * size).to_string())
        .set("limits.plugins_per_client", "3")
        .start()
        .await;
    let client = patchbay.client("acme", "27110000001").await;
    assert_eq!(upload(&client, "one", bot(1)).await.status, 201);
    assert_eq!(upload(&client, "one", bot(2)).await.status, 201);

    let full = upload(&client, "one", bot(3)).await;

    assert_eq!(full.status, 413, "{}", full.text);
    assert!(full.json()["message"].as_str().unwrap().contains("delete plugins"), "{}", full.text);
    for name in ["two", "three"] {
        assert_eq!(upload(&client, name, bot(1)).await.status, 201, "bytes that are there cost nothing");
    }
    let many = upload(&client, "four", bot(1)).await;
    assert_eq!(many.status, 409, "{}", many.text);
    assert_eq!(client.request(Method::DELETE, &format!("{PLUGINS}/one"), None, &[]).await.status, 204);
    assert_eq!(upload(&client, "four", bot(3)).await.status, 201);
}

#[tokio::test]
async fn a_check_finds_the_faults_of_an_upload_and_stores_nothing() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let before = patchbay.rows_of(&client.client_ref).await;
    let check = async |body: Vec<u8>| client.post_raw(&format!("{PLUGINS}/check"), WASM, body).await;

    let fine = check(misfit("deed-fail")).await.ok();

    assert_eq!((&fine["world"], &fine["configSchema"]["required"]), (&json!("chatbot"), &json!(["shop"])));
    assert!(problems(&check(misfit("deed-trap")).await, "file")[0].contains("trial call"));
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn only_some_roles_may_touch_plugins() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (role, may) in [("DEVELOPER", true), ("AGENT", false), ("SUPERVISOR", false), ("API", false)] {
        let email = format!("{}@example.org", role.to_lowercase());
        let user = patchbay.new_user(&client.client_ref, &email, role);
        let caller = with_key(&client, user["apiKey"].as_str().unwrap());
        let expected = if may { 201 } else { 403 };
        assert_eq!(upload(&caller, &format!("of-{role}"), bot(1)).await.status, expected, "{role}");
    }
    let unknown = with_key(&client, &uuid::Uuid::nil().to_string());
    assert_eq!(upload(&unknown, "shop", bot(1)).await.status, 401);
}
