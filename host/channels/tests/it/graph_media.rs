//! Media of the Cloud API (PROVIDERS A.6).

use std::path::PathBuf;

use axum::body::Body;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use channels::{
    media_download::{MediaError, MediaExpectation},
    whatsapp_cloud::GraphError,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    graph_send_bodies::{api, number},
    support::{Answer, Server, scratch_folder},
};

fn target() -> PathBuf {
    scratch_folder().join("download")
}

fn expect(max_bytes: u64, sha256: Option<String>) -> MediaExpectation {
    MediaExpectation { max_bytes, sha256 }
}

#[tokio::test]
async fn a_media_id_resolves_to_its_address() {
    let server = Server::start().await;
    server.answer(Answer::json(
        200,
        json!({"messaging_product":"whatsapp","url":"https://lookaside.fbsbx.com/x","mime_type":"image/jpeg",
               "sha256":"ab","file_size":"303833","id":"M1"}),
    ));
    let node = api(&server).resolve_media(&number(), "M1").await.unwrap();
    assert_eq!((node.url.as_str(), node.file_size), ("https://lookaside.fbsbx.com/x", Some(303_833)));
    assert_eq!(server.last().target, "/v25.0/M1?phone_number_id=PN1");
    server.answer(Answer::json(200, json!({"id":"M1"})));
    assert!(matches!(api(&server).resolve_media(&number(), "M1").await, Err(GraphError::Unreadable(_))));
}

#[tokio::test]
async fn a_download_is_checked_against_either_form_of_digest() {
    let server = Server::start().await;
    let content = b"a picture".to_vec();
    let digest = Sha256::digest(&content);
    for announced in [Some(hex::encode(digest)), Some(STANDARD.encode(digest)), None] {
        let to = target();
        server.answer(Answer::new(200, content.clone()).header("content-type", "image/png"));
        let url = server.url("/media/1");
        let done = api(&server).download_media(&number(), &url, &expect(100, announced), &to).await.unwrap();
        assert_eq!((done.bytes, done.mime.as_str(), done.sha256), (9, "image/png", hex::encode(digest)));
        assert_eq!(std::fs::read(&to).unwrap(), content);
        assert_eq!(server.last().header("authorization"), Some("Bearer TOKEN"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[tokio::test]
async fn a_wrong_digest_or_size_leaves_nothing_behind() {
    let server = Server::start().await;
    let to = target();
    let url = server.url("/media/1");
    server.answer(Answer::new(200, "a picture"));
    let wrong = Some(hex::encode([0u8; 32]));
    let outcome = api(&server).download_media(&number(), &url, &expect(100, wrong), &to).await;
    assert!(matches!(outcome, Err(MediaError::DigestMismatch)));
    assert!(!to.exists());
    server.answer(Answer::new(200, "a picture"));
    let outcome = api(&server).download_media(&number(), &url, &expect(8, None), &to).await;
    assert!(matches!(outcome, Err(MediaError::TooLarge { limit: 8 })));
    let chunks = futures::stream::iter((0..9).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(b"x"))));
    server.answer(Answer::new(200, Body::from_stream(chunks)));
    let outcome = api(&server).download_media(&number(), &url, &expect(8, None), &to).await;
    assert!(matches!(outcome, Err(MediaError::TooLarge { limit: 8 })));
    assert!(!to.exists());
    server.answer(Answer::new(200, "12345678"));
    assert!(api(&server).download_media(&number(), &url, &expect(8, None), &to).await.is_ok());
}

#[tokio::test]
async fn an_expired_address_is_an_answer_of_the_provider() {
    let server = Server::start().await;
    server.answer(Answer::new(404, ""));
    let outcome = api(&server).download_media(&number(), &server.url("/gone"), &expect(8, None), &target()).await;
    assert!(matches!(outcome, Err(MediaError::Refused { status: 404, .. })));
}

#[tokio::test]
async fn the_token_goes_to_no_other_host() {
    let graph = Server::start().await;
    let other = Server::start().await;
    let api = api(&graph);
    let refused = [
        other.url("/media/1"),
        graph.url("/media/1").replace("127.0.0.1", "localhost"),
        "http://lookaside.fbsbx.com/x".to_owned(),
        "https://lookaside.fbsbx.com:8443/x".to_owned(),
        "https://evilfbsbx.com/x".to_owned(),
        "https://fbsbx.com.evil.example/x".to_owned(),
        "https://lookaside.fbsbx.com@evil.example/x".to_owned(),
        "https://93.184.216.34/x".to_owned(),
        "nonsense".to_owned(),
    ];
    for url in refused {
        let outcome = api.download_media(&number(), &url, &expect(8, None), &target()).await;
        assert!(matches!(outcome, Err(MediaError::HostNotAllowed(_))), "{url} got the token: {outcome:?}");
    }
    assert!(graph.seen().is_empty() && other.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_does_not_carry_the_token_away() {
    let graph = Server::start().await;
    let other = Server::start().await;
    graph.answer(Answer::new(302, "").header("location", other.url("/catch")));
    let outcome = api(&graph).download_media(&number(), &graph.url("/m"), &expect(8, None), &target()).await;
    assert!(outcome.is_err());
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn an_uploaded_file_can_be_removed() {
    let server = Server::start().await;
    server.answer(Answer::json(200, json!({"success":true})));
    api(&server).delete_media(&number(), "4711").await.unwrap();
    let seen = server.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("DELETE", "/v25.0/4711?phone_number_id=PN1"));
}
