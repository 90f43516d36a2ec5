//! Media: upload, resolve, download, delete, and media from phones.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::host::{BUSINESS, Outside, PHONE};

async fn upload(outside: &Outside, bytes: Vec<u8>, mime_type: &str) -> (u16, Value) {
    let file = Part::bytes(bytes).file_name("f").mime_str(mime_type).unwrap();
    let form = Form::new().text("messaging_product", "whatsapp").text("type", mime_type.to_owned()).part("file", file);
    let request = outside.http.post(outside.url(&format!("/v25.0/{BUSINESS}/media"))).bearer_auth("t").multipart(form);
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_sent_resolved_downloaded_and_deleted() {
    let outside = Outside::start().await;
    let (status, answer) = upload(&outside, b"png bytes".to_vec(), "image/png").await;
    assert_eq!(status, 200, "{answer}");
    let id = answer["id"].as_str().unwrap();
    outside.sent(json!({"type": "image", "image": {"id": id, "caption": "look"}})).await;
    let wrong = outside.refused(json!({"type": "video", "video": {"id": id}})).await;
    assert_eq!(wrong.1, 131_009);

    let resolved = outside.get(&format!("/v25.0/{id}?phone_number_id={BUSINESS}")).await;
    assert_eq!(resolved["mime_type"], "image/png");
    assert_eq!(resolved["file_size"], 9);
    let url = resolved["url"].as_str().unwrap();
    assert_eq!(outside.http.get(url).send().await.unwrap().status(), 401);
    let file = outside.http.get(url).bearer_auth("t").send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "image/png");
    assert_eq!(file.bytes().await.unwrap(), "png bytes");
    let forged = url.replace("hash=", "hash=0");
    assert_eq!(outside.http.get(forged).bearer_auth("t").send().await.unwrap().status(), 404);

    assert_eq!(outside.call("DELETE", &format!("/v25.0/{id}"), None).await.0, 200);
    let (status, gone) = outside.call("GET", &format!("/v25.0/{id}"), None).await;
    assert_eq!((status, gone["error"]["error_subcode"].as_i64()), (400, Some(33)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gif_and_a_file_that_is_too_large_are_refused() {
    let outside = Outside::start().await;
    let (status, gif) = upload(&outside, b"GIF89a".to_vec(), "image/gif").await;
    assert_eq!((status, gif["error"]["code"].as_i64()), (400, Some(100)));
    let limit = 5 * 1024 * 1024;
    assert_eq!(upload(&outside, vec![0; limit], "image/jpeg").await.0, 200);
    let (status, large) = upload(&outside, vec![0; limit + 1], "image/jpeg").await;
    assert_eq!((status, large["error"]["code"].as_i64()), (400, Some(131_053)));
}

#[tokio::test(flavor = "multi_thread")]
async fn media_from_a_phone_can_be_fetched_and_its_digest_agrees() {
    let outside = Outside::start().await;
    for kind in ["image", "audio", "video", "document", "sticker"] {
        let written = json!({"to": BUSINESS, "type": kind});
        let answer = outside.post(&format!("/phones/{PHONE}/messages"), written).await;
        let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
        let medium = &value["messages"][0][kind];
        let resolved = outside.get(&format!("/v25.0/{}", medium["id"].as_str().unwrap())).await;
        assert_eq!(resolved["mime_type"], medium["mime_type"]);
        let url = resolved["url"].as_str().unwrap();
        let bytes = outside.http.get(url).bearer_auth("t").send().await.unwrap().bytes().await.unwrap();
        let digest = <sha2::Sha256 as sha2::Digest>::digest(&bytes);
        assert_eq!(resolved["sha256"], hex::encode(digest));
        use base64::Engine as _;
        let encoded = base64::engine::general_purpose::STANDARD.encode(digest);
        assert_eq!(medium["sha256"], encoded);
        assert!(!bytes.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_can_send_a_file_of_its_own_and_callbacks_can_carry_its_url() {
    let outside = Outside::start().await;
    outside.faults(json!({"mediaUrls": true})).await;
    let written = json!({"to": BUSINESS, "type": "document", "base64": "aGVsbG8=",
        "mimeType": "text/plain", "filename": "a.txt", "caption": "read this"});
    let answer = outside.post(&format!("/phones/{PHONE}/messages"), written).await;
    let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    let document = &value["messages"][0]["document"];
    assert_eq!(document["filename"], "a.txt");
    assert_eq!(document["caption"], "read this");
    let url = document["url"].as_str().unwrap();
    let file = outside.http.get(url).bearer_auth("t").send().await.unwrap();
    assert_eq!(file.text().await.unwrap(), "hello");
}
