//! Refusals: pages of other origins, tokens of other sites, files with a false type, too many requests. Nothing is
//! stored.

use harness::{
    PatchbaySetup, TestVisitor,
    visitors::{new_key, open, session},
};
use reqwest::Method;
use serde_json::json;

use super::{ORIGIN, count, stage};

#[tokio::test]
async fn a_page_of_another_origin_is_refused_everywhere() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let (url, http) = (patchbay.url(), &patchbay.http);
    for hostile in [
        "https://evil.example",
        "http://shop.example",
        "https://shop.example.evil.example",
        "null",
        "https://shop.example:8443",
    ] {
        let refused = session(&url, http, &site, hostile, &json!({})).await;
        assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, None), "{hostile}");
        assert!(open(&url, &site, hostile).await.is_err(), "{hostile}");
        for path in ["sessions", "files"] {
            let address = format!("{url}/web-chat/{path}?site={}", site.key);
            let asked = http.request(Method::OPTIONS, &address).header("Origin", hostile).send().await.unwrap();
            assert_eq!((asked.status().as_u16(), asked.headers().get("access-control-allow-origin")), (403, None));
        }
    }
    let silent = http.post(format!("{url}/web-chat/sessions?site={}", site.key)).json(&json!({})).send().await.unwrap();
    assert_eq!(silent.status(), 403, "browsers always say where they are");
    let unknown = harness::TestSite { key: "site_unknown".to_owned(), ..site.clone() };
    let strange = session(&url, http, &unknown, ORIGIN, &json!({})).await;
    let foreign = session(&url, http, &site, "https://evil.example", &json!({})).await;
    assert_eq!(strange.json()["message"], foreign.json()["message"], "no caller learns which sites exist");
}

#[tokio::test]
async fn a_page_of_the_site_may_call_and_read_answers_errors_included() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let address = format!("{}/web-chat/files?site={}", patchbay.url(), site.key);
    let asked = patchbay.http.request(Method::OPTIONS, &address).header("Origin", ORIGIN).send().await.unwrap();
    assert_eq!(asked.status(), 204);
    let header = |name: &str| asked.headers()[name].to_str().unwrap().to_owned();
    assert_eq!((header("access-control-allow-origin"), header("vary")), (ORIGIN.to_owned(), "Origin".to_owned()));
    assert!(header("access-control-allow-headers").contains("x-visitor-token"));
    let refused = session(&patchbay.url(), &patchbay.http, &site, ORIGIN, &json!({ "odd": 1 })).await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (400, Some(ORIGIN)));
}

#[tokio::test]
async fn a_token_of_another_site_opens_nothing() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let other = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("mine").await;
    let mut stranger = TestVisitor::load(&patchbay.url(), patchbay.http.clone(), &other, json!({})).await;
    stranger.token.clone_from(&visitor.token);
    assert_eq!(stranger.uploads("a.png", "image/png", b"\x89PNG\r\n\x1a\n".to_vec()).await.status, 403);
    assert_eq!(count(&patchbay, &client, "media").await, 0);
    let mut crossed = TestVisitor::arrive(&patchbay, &other).await;
    crossed.cut();
    for token in [visitor.token.as_str(), "nonsense", ""] {
        crossed.token = token.to_owned();
        assert_eq!(hello_is_answered(&patchbay.url(), &other, token).await, 4401, "{token}");
    }
    // If a session begins with it, it counts as no token.
    let fresh =
        TestVisitor::load(&patchbay.url(), patchbay.http.clone(), &other, json!({ "token": visitor.token })).await;
    assert_ne!(fresh.session["visitor"], visitor.session["visitor"]);
}

/// The close code of a socket after a hello with this token.
async fn hello_is_answered(url: &str, site: &harness::TestSite, token: &str) -> u16 {
    use futures::{SinkExt, StreamExt};
    let mut socket = open(url, site, ORIGIN).await.unwrap();
    let hello = json!({ "type": "hello", "token": token }).to_string();
    socket.send(tokio_tungstenite::tungstenite::Message::text(hello)).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        if let tokio_tungstenite::tungstenite::Message::Close(Some(frame)) = message {
            return frame.code.into();
        }
    }
    0
}

#[tokio::test]
async fn a_file_of_a_lying_type_or_one_that_a_browser_could_run_is_refused() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let visitor = TestVisitor::arrive(&patchbay, &site).await;
    for (said, bytes, status) in [
        ("image/png", b"<html><script>alert(1)</script></html>".to_vec(), 415),
        ("image/svg+xml", b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"x\"/>".to_vec(), 415),
        ("text/html", b"<p>hi".to_vec(), 415),
        ("image/jpeg", b"\x89PNG\r\n\x1a\n".to_vec(), 415),
        ("application/pdf", b"MZ\x90\0".to_vec(), 415),
        ("image/png", Vec::new(), 400),
    ] {
        let refused = visitor.uploads("x", said, bytes).await;
        assert_eq!(refused.status, status, "{said}: {}", refused.text);
    }
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(10 * 1024 * 1024 + 1, 0);
    assert_eq!(visitor.uploads("x.png", "image/png", large).await.status, 413);
    assert_eq!(visitor.uploads("x.png", "image/png", vec![0; 33 * 1024 * 1024]).await.status, 413);
    assert_eq!(count(&patchbay, &client, "media").await, 0, "nothing is stored");
}

#[tokio::test]
async fn a_frame_that_cannot_be_taken_is_refused_by_name_and_stores_nothing() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let other = TestVisitor::arrive(&patchbay, &site).await;
    let theirs = other.uploads("a.png", "image/png", b"\x89PNG\r\n\x1a\n".to_vec()).await.json()["file"].clone();
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    let before = count(&patchbay, &client, "chat_message").await;
    for frame in [
        json!({ "type": "text", "text": "" }),
        json!({ "type": "text", "text": "x".repeat(4097) }),
        json!({ "type": "text", "text": "bell \u{7}" }),
        json!({ "type": "text", "text": 5 }),
        json!({ "type": "place", "latitude": 91.0, "longitude": 0.0 }),
        json!({ "type": "tap", "message": theirs, "choice": "x" }),
        json!({ "type": "file", "file": theirs }),
        json!({ "type": "form", "answers": { "name": "Ann" } }),
    ] {
        let key = new_key();
        let mut frame = frame;
        frame["key"] = json!(key);
        visitor.send(frame.clone()).await;
        assert_eq!(visitor.refused(&key).await["status"], 400, "{frame}");
    }
    visitor.send(json!({ "type": "launch" })).await;
    visitor.hears("a refusal", |frame| frame["type"] == "refused" && frame["status"] == 400).await;
    assert_eq!(count(&patchbay, &client, "chat_message").await, before);
    visitor.writes("<img src=x onerror=alert(1)>").await;
    assert_eq!(visitor.sees("<img src=x onerror=alert(1)>").await["content"]["kind"], "text");
    assert!(!patchbay.log().contains(&visitor.token), "tokens are in no log");
}

#[tokio::test]
async fn a_visitor_that_comes_too_often_must_wait_and_nothing_is_stored() {
    let patchbay = PatchbaySetup::new()
        .set("limits.web_chat_posts_per_minute", "3")
        .set("limits.web_chat_calls_per_minute_per_address", "30")
        .set("limits.web_chat_sockets_per_visitor", "2")
        .start()
        .await;
    let client = patchbay.bare_client("acme");
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    for text in ["one", "two", "three"] {
        visitor.writes(text).await;
    }
    let key = new_key();
    visitor.send(json!({ "type": "text", "key": key, "text": "four" })).await;
    let refused = visitor.refused(&key).await;
    assert_eq!(refused["status"], 429);
    assert!(refused["retryAfter"].as_f64().unwrap() >= 1.0);
    assert_eq!(count(&patchbay, &client, "chat_message").await, 3);
    let mut second = visitor.again(&patchbay.url()).await;
    let third =
        TestVisitor::load(&patchbay.url(), patchbay.http.clone(), &site, json!({ "token": visitor.token })).await;
    assert_eq!(hello_is_answered(&patchbay.url(), &site, &third.token).await, 4429);
    second.cut();
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let reply = session(&patchbay.url(), &patchbay.http, &site, ORIGIN, &json!({})).await;
        statuses.push(reply.status);
        if reply.status == 429 {
            assert!(reply.header("retry-after").is_some());
        }
    }
    assert!(statuses.contains(&200) && statuses.last() == Some(&429), "{statuses:?}");
}

#[tokio::test]
async fn a_replaced_key_and_a_deleted_site_are_unknown() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let path = format!("/messaging-service/web/sites/{}", site.id);
    let renewed = client.post(&format!("{path}/key"), &json!({})).await.ok()["siteKey"].as_str().unwrap().to_owned();
    let (url, http) = (patchbay.url(), &patchbay.http);
    assert_eq!(session(&url, http, &site, ORIGIN, &json!({})).await.status, 403);
    let site = harness::TestSite { key: renewed, ..site };
    assert_eq!(session(&url, http, &site, ORIGIN, &json!({})).await.status, 200);
    client.request(Method::DELETE, &path, None, &[]).await;
    assert_eq!(session(&url, http, &site, ORIGIN, &json!({})).await.status, 403);
}

#[tokio::test]
async fn open_sockets_end_at_once_when_their_page_may_show_the_widget_no_more() {
    let (patchbay, client, _) = stage().await;
    for ends in ["another key", "other origins", "the end of the site"] {
        let site = client.new_site(ORIGIN, json!({})).await;
        let path = format!("/messaging-service/web/sites/{}", site.id);
        let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
        visitor.writes("hello").await;
        match ends {
            "another key" => drop(client.post(&format!("{path}/key"), &json!({})).await.ok()),
            "other origins" => {
                let origins = json!({ "origins": ["https://other.example"] });
                client.request(Method::PUT, &path, Some(&origins), &[]).await.ok();
            }
            _ => drop(client.request(Method::DELETE, &path, None, &[]).await),
        }
        // A frame of the visitor does not keep the socket open.
        visitor.send(json!({ "type": "ping" })).await;
        assert_eq!(visitor.closed().await, 4403, "{ends}");
    }
}

#[tokio::test]
async fn the_script_is_kept_by_browsers_and_asked_for_by_its_tag() {
    let (patchbay, _, _) = stage().await;
    let address = format!("{}/web-chat/widget.js?site=any", patchbay.url());
    let first = patchbay.http.get(&address).send().await.unwrap();
    assert_eq!(first.status(), 200);
    let header = |name: &str| first.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("content-type"), header("x-content-type-options")),
        ("text/javascript; charset=utf-8".to_owned(), "nosniff".to_owned())
    );
    assert!(header("cache-control").contains("max-age=86400"));
    let again = patchbay.http.get(&address).header("If-None-Match", header("etag")).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.bytes().await.unwrap().len()), (304, 0));
}
