//! Files of agents: their bytes are checked, stored and sent.

use serde_json::json;

use super::{Desk, MESSAGES};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn form(declared: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    let head = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: {declared}\r\n\r\n"
    );
    ("multipart/form-data; boundary=b".to_owned(), [head.as_bytes(), bytes, b"\r\n--b--\r\n"].concat())
}

impl Desk {
    async fn upload(&self, declared: &str, bytes: &[u8]) -> harness::ClientReply {
        let (kind, body) = form(declared, bytes);
        self.client.post_raw(&format!("{MESSAGES}/media"), &kind, body).await
    }

    async fn files(&self) -> i64 {
        let statement = "SELECT count(*) FROM media WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = self.patchbay.database().await;
        sqlx::query_scalar(statement).bind(&self.client.client_ref).fetch_one(&mut db).await.unwrap()
    }
}

#[tokio::test]
async fn a_picture_is_uploaded_and_sent() {
    let desk = Desk::set().await;
    let kept = desk.upload("image/png", PNG).await.ok();
    assert_eq!((&kept["mediaType"], &kept["mimeType"]), (&json!("IMAGE"), &json!("image/png")));
    let mut body = desk.text("Our shop");
    body["mediaUrl"] = kept["mediaUrl"].clone();
    let sent = desk.client.post(MESSAGES, &body).await.ok();
    assert_eq!(
        (&sent["contentType"], &sent["fileExtension"], &sent["text"]),
        (&json!("MEDIA"), &json!("png"), &json!("Our shop"))
    );
    let came = desk.phone.receives("the picture", |message| message["type"] == "image").await;
    let picture = &came["body"]["image"];
    assert_eq!(picture["caption"], "Our shop");
    assert!(picture["id"].is_string() && picture["link"].is_null(), "Meta cannot fetch it from this machine: {came}");
}

#[tokio::test]
async fn a_file_of_a_lying_or_unknown_type_is_refused_and_not_kept() {
    let desk = Desk::set().await;
    assert_eq!(desk.upload("application/pdf", PNG).await.faulty_fields(), ["file"]);
    assert_eq!(desk.upload("image/png", b"<html><script>alert(1)</script>").await.status, 415);
    assert_eq!(desk.upload("image/svg+xml", b"<svg/>").await.status, 415);
    assert_eq!(desk.upload("image/png", b"").await.faulty_fields(), ["file"]);
    let mut large = PNG.to_vec();
    large.resize((5 << 20) + 1, 0);
    assert_eq!(desk.upload("image/png", &large).await.status, 413);
    assert_eq!(desk.client.post(&format!("{MESSAGES}/media"), &json!({})).await.status, 415);
    assert_eq!(desk.files().await, 0);
}

#[tokio::test]
async fn a_file_of_200_megabytes_is_refused_and_not_kept() {
    let desk = Desk::set().await;
    let mut film = b"\0\0\0\x18ftypisom".to_vec();
    film.resize(200 << 20, 0);
    assert_eq!(desk.upload("video/mp4", &film).await.status, 413);
    assert_eq!(desk.files().await, 0);
}

#[tokio::test]
async fn a_file_that_whatsapp_cannot_carry_or_of_another_client_is_refused_with_the_reason() {
    let desk = Desk::set().await;
    let gif = desk.upload("image/gif", b"GIF89a..").await.ok();
    let mut body = desk.text("look");
    body["mediaUrl"] = gif["mediaUrl"].clone();
    let refused = desk.client.post(MESSAGES, &body).await;
    assert_eq!(refused.faulty_fields(), ["mediaUrl"]);
    assert!(refused.text.contains("GIF"), "{}", refused.text);
    let other = Desk::set().await;
    let theirs = other.upload("image/png", PNG).await.ok();
    body["mediaUrl"] = theirs["mediaUrl"].clone();
    assert_eq!(desk.client.post(MESSAGES, &body).await.faulty_fields(), ["mediaUrl"]);
    assert_eq!(desk.history().await.len(), 1);
}
