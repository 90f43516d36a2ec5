//! The widget in a real browser, on pages with a strict policy. `tests/peers/browser` drives the browser.

use std::collections::HashMap;

use axum::{Router, extract::Query, http::header, response::IntoResponse, routing::get};
use harness::{SharedPatchbay, TestClient};
use serde_json::{Value, json};

/// A server of pages with its own origin. A page shows the widget of the site in its query.
async fn pages(patchbay: &SharedPatchbay, attributes: &'static str) -> String {
    let base = patchbay.url();
    let page = move |Query(query): Query<HashMap<String, String>>| async move {
        let socket = base.replacen("http", "ws", 1);
        // The policy allows the widget and the pictures that a bot links, but no inline styles and no HTML from text.
        let policy = format!(
            "default-src 'none'; script-src {base}; connect-src {base} {socket}; \
             img-src {base} https://shop.example data:; media-src {base}; require-trusted-types-for 'script'; trusted-types 'none'"
        );
        let site = query.get("site").cloned().unwrap_or_default();
        let html = format!(
            "<!doctype html><html {attributes}><head><title>Shop</title><link rel=\"icon\" href=\"data:,\"></head><body>\
             <main><h1>Shop</h1></main><script src=\"{base}/web-chat/widget.js?site={site}\" async></script></body></html>"
        );
        let headers = [(header::CONTENT_SECURITY_POLICY, policy), (header::CONTENT_TYPE, "text/html".to_owned())];
        (headers, html).into_response()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/", get(page))).await });
    origin
}

/// The values that the scripts of the browser need: addresses of pages, sites and keys.
async fn addresses(patchbay: &SharedPatchbay, client: &TestClient) -> Value {
    let (shop, rtl) = (pages(patchbay, "lang=\"en\"").await, pages(patchbay, "lang=\"ar\" dir=\"rtl\"").await);
    let site = client.new_site(&shop, json!({})).await;
    let arabic = client.new_site(&rtl, json!({ "look": { "language": "ar", "color": "#ffd54f" } })).await;
    let form = json!({ "form": { "fields": [
        { "key": "name", "label": "Your name", "required": true },
        { "key": "email", "label": "E-mail", "type": "EMAIL" },
        { "key": "about", "label": "About", "type": "CHOICE", "options": ["Sales", "Support"] },
        { "key": "terms", "label": "I agree", "type": "CONSENT" },
    ] } });
    let asking = client.new_site(&shop, form).await;
    let hostile = pages(patchbay, "lang=\"en\"").await;
    json!({
        "base": patchbay.url(),
        "apiKey": client.key,
        "agentKey": patchbay.new_user(&client.client_ref, &format!("thandi@{}.example", client.client_ref), "AGENT")["apiKey"],
        "carousel": client.template_id("summer_carousel"),
        "key": site.key,
        "page": format!("{shop}/?site={}", site.key),
        "rtl": format!("{rtl}/?site={}", arabic.key),
        "form": format!("{shop}/?site={}", asking.key),
        "hostile": format!("{hostile}/?site={}", site.key),
    })
}

/// Plays a story of a client with sites and the plugin `clerk`.
pub async fn play(story: &str) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    crate::browser_stories::play(story, addresses(&patchbay, &client).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_visitors_and_a_bot_talk_in_a_browser_over_tabs_reloads_and_a_cut_connection() {
    play("talking.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_by_api_talks_with_one_of_two_visitors_handed_over_by_a_bot() {
    play("agent.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_of_another_origin_gets_no_widget() {
    play("hostile.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_of_a_bot_are_seen_reached_by_keyboard_and_tapped_without_findings_of_axe() {
    play("cards.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_widget_works_by_keyboard_in_every_theme_without_findings_of_axe() {
    play("access.mjs").await;
}
