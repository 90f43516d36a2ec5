//! The page with the phones: its files, its policy, and what it needs of the phone API.

use std::collections::BTreeSet;

use reqwest::Response;
use serde_json::{Value, json};

use crate::host::{BUSINESS, Outside, PHONE, text};

const FAULTS: &str = include_str!("../../page/faults.js");

async fn get(outside: &Outside, path: &str) -> Response {
    outside.http.get(outside.url(path)).send().await.unwrap()
}

fn header(answer: &Response, name: &str) -> String {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// The addresses in a file between a word and a quotation mark.
fn named(text: &str, before: &str) -> Vec<String> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_module_and_style_of_the_page_is_served_and_none_is_from_elsewhere() {
    let outside = Outside::start().await;
    let index = get(&outside, "/").await;
    let policy = header(&index, "content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self' 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let index = index.text().await.unwrap();
    let mut waiting = named(&index, "\"/page/").into_iter().map(|path| format!("/page/{path}")).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = get(&outside, &path).await;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        let body = answer.text().await.unwrap();
        let folder = path.rsplit_once('/').unwrap().0;
        waiting.extend(named(&body, "from \"./").iter().map(|file| format!("{folder}/{file}")));
        let parent = folder.rsplit_once('/').unwrap().0;
        waiting.extend(named(&body, "from \"../").iter().map(|file| format!("{parent}/{file}")));
    }
    assert!(seen.contains("/page/channels/whatsapp.js") && seen.contains("/page/vendor/preact.js"), "{seen:?}");
    for sample in ["voice.ogg", "clip.mp4", "menu.pdf"] {
        assert_eq!(get(&outside, &format!("/page/samples/{sample}")).await.status().as_u16(), 200, "{sample}");
    }
    assert_eq!(get(&outside, "/page/none.js").await.status().as_u16(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_old_addresses_of_single_phones_lead_to_the_page() {
    let outside = Outside::start().await;
    for path in ["/messenger", "/telegram"] {
        let answer = get(&outside, path).await;
        assert_eq!(answer.url().path(), "/", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_has_a_switch_on_the_page_and_every_switch_a_fault() {
    let outside = Outside::start().await;
    let faults = outside.get("/simulator/faults").await;
    let known: BTreeSet<String> = faults.as_object().unwrap().keys().cloned().collect();
    let shown: BTreeSet<String> = named(FAULTS, "{ key: \"").into_iter().collect();
    assert_eq!(shown, known);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_a_message_is_shown_but_never_run_as_a_page() {
    let outside = Outside::start().await;
    let written = json!({"to": BUSINESS, "type": "document", "base64": "PHNjcmlwdD4=", "mimeType": "text/html"});
    outside.post(&format!("/phones/{PHONE}/messages"), written).await;
    let picture = json!({"to": BUSINESS, "type": "image"});
    outside.post(&format!("/phones/{PHONE}/messages"), picture).await;
    let outbox = outside.get(&format!("/phones/{PHONE}/outbox")).await;
    for (at, kind, disposition) in [(0, "document", "attachment"), (1, "image", "inline")] {
        let id = outbox["messages"][at]["body"][kind]["id"].as_str().unwrap();
        let answer = get(&outside, &format!("/simulator/files/{id}")).await;
        assert_eq!(header(&answer, "content-disposition"), disposition);
        assert!(header(&answer, "content-security-policy").starts_with("sandbox"));
        assert!(!answer.bytes().await.unwrap().is_empty());
    }
    assert_eq!(get(&outside, "/simulator/files/8800").await.status().as_u16(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_sms_that_a_phone_wrote_is_in_its_outbox() {
    let outside = Outside::start().await;
    outside.post(&format!("/phones/{PHONE}/sms"), json!({"to": "PATCHBAY", "text": "START"})).await;
    let outbox = outside.get(&format!("/phones/{PHONE}/outbox")).await;
    let message = &outbox["messages"][0];
    assert_eq!((&message["channel"], &message["to"]), (&json!("SMS"), &json!("PATCHBAY")));
    assert_eq!(message["body"]["text"]["body"], "START");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cards_of_a_template_have_their_texts_one_by_one() {
    let outside = Outside::start().await;
    let card = |index: usize, range: &str| {
        json!({"card_index": index, "components": [
            {"type": "header", "parameters": [{"type": "image", "image": {"link": "https://host.example/a.png"}}]},
            {"type": "body", "parameters": [{"type": "text", "text": range}]}]})
    };
    let template = json!({"type": "template", "template": {"name": "summer_carousel", "language": {"code": "en"},
        "components": [{"type": "carousel", "cards": [card(0, "blue"), card(1, "red")]}]}});
    outside.sent(template).await;
    let message = outside.inbox(PHONE, 1).await.remove(0);
    assert_eq!(message["cards"], json!(["Our blue range", "Our red range"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn people_keep_the_reactions_of_both_sides() {
    let outside = Outside::start().await;
    outside.post("/simulator/pages", json!({"pageId": "555"})).await;
    let person = "/messenger/phones/24071234567";
    let own = outside.post(&format!("{person}/messages"), json!({"to": "555", "text": "hi"})).await["id"].clone();
    let react = json!({"recipient": {"id": "24071234567"}, "sender_action": "react",
        "payload": {"message_id": own, "reaction": "❤"}});
    outside.post("/v25.0/555/messages", react).await;
    outside.post(&format!("{person}/react"), json!({"messageId": own, "emoji": "👍"})).await;
    let message = outside.get(&format!("{person}/outbox")).await["messages"][0].clone();
    assert_eq!((&message["pageReaction"], &message["reaction"]), (&json!("❤"), &json!("👍")));

    outside.get("/telegram/bot4000000001:AAE-token_of_the_bot_0123456789abcdef/getMe").await;
    let number = outside.post("/telegram/phones/7/messages", json!({"text": "hi"})).await["id"].clone();
    outside.post("/telegram/phones/7/react", json!({"messageId": number, "emoji": "👍"})).await;
    let chat = outside.get("/telegram/phones/7/chat/4000000001").await;
    assert_eq!(chat["ownReactions"], json!({"1": "👍"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn places_and_contacts_on_telegram_can_be_chosen() {
    let outside = Outside::start().await;
    outside.get("/telegram/bot4000000001:AAE-token_of_the_bot_0123456789abcdef/getMe").await;
    let place = json!({"latitude": -26.1, "longitude": 28.0, "title": "Mall", "address": "Sandton"});
    let contact = json!({"phone_number": "27820000009", "first_name": "Thandi"});
    outside.post("/telegram/phones/7/messages", json!({"type": "venue", "location": place})).await;
    outside.post("/telegram/phones/7/messages", json!({"type": "contact", "contact": contact})).await;
    let chat = outside.get("/telegram/phones/7/chat/4000000001").await;
    assert_eq!(chat["messages"][0]["venue"]["title"], "Mall");
    assert_eq!(chat["messages"][0]["location"], json!({"latitude": -26.1, "longitude": 28.0}));
    assert_eq!(chat["messages"][1]["contact"], contact);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_has_a_page_that_runs_only_its_widget() {
    let outside = Outside::start().await;
    let site =
        json!({"siteKey": "site_1", "name": "Shop", "script": "http://127.0.0.1:8080/web-chat/widget.js?site=site_1"});
    outside.post("/simulator/sites", site.clone()).await;
    assert_eq!(outside.get("/simulator/sites").await["sites"], json!([site]));
    let page = get(&outside, "/web?site=site_1").await;
    let policy = header(&page, "content-security-policy");
    assert!(policy.contains("script-src http://127.0.0.1:8080;"), "{policy}");
    assert!(policy.contains("connect-src http://127.0.0.1:8080 ws://127.0.0.1:8080;"), "{policy}");
    let page = page.text().await.unwrap();
    assert!(page.contains("<script src=\"http://127.0.0.1:8080/web-chat/widget.js?site=site_1\" async></script>"));
    assert_eq!(get(&outside, "/web?site=other").await.status().as_u16(), 404);
    let odd = json!({"siteKey": "site_2", "name": "Shop", "script": "javascript:alert(1)"});
    assert_eq!(outside.call("POST", "/simulator/sites", Some(odd)).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_cannot_be_moved_unless_the_host_allows_it() {
    let outside = Outside::start().await;
    let (status, answer) = outside.call("POST", "/simulator/clock", Some(json!({"seconds": 60}))).await;
    assert_eq!(status, 404);
    assert!(answer["error"].as_str().unwrap().contains("testing.clock"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_comes_twice_is_on_the_wire_twice() {
    let outside = Outside::start().await;
    outside.faults(json!({"duplicateCallbacks": true})).await;
    outside.sent(text("x")).await;
    let mut stream = crate::live_views::LiveStream::open(&outside, "whatsapp=27820000001").await;
    stream
        .until("world", |view| {
            let posts = view["callbacks"].as_array().unwrap();
            let delivered = |post: &&Value| post["events"] == json!(["status delivered"]) && post["status"] == 200;
            (posts.iter().filter(delivered).count() == 2).then_some(())
        })
        .await;
}
