//! Components from an OCI registry: the command fetches them, and the server checks the digests (ADR 0070).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use harness::{ClientReply, SharedPatchbay, TestClient};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    plugin_commands::office,
    plugin_trust::form,
    plugin_uploads::{PLUGINS, bot},
};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

/// The manifest of an artifact with these layers.
fn manifest(layers: &[(&str, &[u8])]) -> Vec<u8> {
    let layers: Vec<Value> = layers
        .iter()
        .map(|(kind, bytes)| json!({ "mediaType": kind, "digest": digest(bytes), "size": bytes.len() }))
        .collect();
    let empty = json!({ "mediaType": "application/vnd.wasm.config.v0+json", "digest": digest(b"{}"), "size": 2 });
    let annotations = json!({
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": "1.4.0",
        "example.other": "not shown",
    });
    let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": empty, "layers": layers, "annotations": annotations });
    manifest.to_string().into_bytes()
}

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// The reading part of a registry (OCI distribution specification, end-2 and end-3).
struct Registry {
    host: String,
    files: Files,
}

impl Registry {
    async fn start() -> Self {
        let files = Files::default();
        let served = Arc::clone(&files);
        let app = Router::new()
            .route("/v2/", get(|| async { StatusCode::OK }))
            .route("/v2/team/shop/manifests/{digest}", get(file))
            .route("/v2/team/shop/blobs/{digest}", get(file))
            .with_state(served);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { host, files }
    }

    /// Stores bytes under their digest and returns it.
    fn store(&self, bytes: &[u8]) -> String {
        let digest = digest(bytes);
        self.files.lock().unwrap().insert(digest.clone(), bytes.to_vec());
        digest
    }

    /// Stores an artifact and returns its reference.
    fn artifact(&self, layers: &[(&str, &[u8])]) -> String {
        layers.iter().for_each(|(_, bytes)| drop(self.store(bytes)));
        format!("oci://{}/team/shop@{}", self.host, self.store(&manifest(layers)))
    }
}

async fn file(State(files): State<Files>, Path(digest): Path<String>) -> Response {
    match files.lock().unwrap().get(&digest) {
        Some(bytes) if bytes.starts_with(b"{") => ([(header::CONTENT_TYPE, MANIFEST)], bytes.clone()).into_response(),
        Some(bytes) => bytes.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_is_pushed_from_a_registry_by_its_digest() {
    let (_patchbay, client, machine) = office().await;
    let registry = Registry::start().await;
    let reference = registry.artifact(&[("application/wasm", &bot(1))]);

    let pushed = machine.does(&["push", &reference]);

    assert!(pushed.starts_with("shop version 1: uploaded (chatbot, "), "{pushed}");
    let one = client.get(&format!("{PLUGINS}/shop")).await.ok();
    let version = &one["versions"][0];
    assert_eq!(format!("sha256:{}", version["sha256"].as_str().unwrap()), digest(&bot(1)));
    let annotations = json!({ "licenses": "Apache-2.0", "version": "1.4.0" });
    assert_eq!(version["origin"]["source"], json!({ "reference": reference, "annotations": annotations }));
    assert!(machine.does(&["status", "shop"]).contains(&format!("from {reference}")));
    assert!(machine.does(&["push", &reference, "--name", "other"]).starts_with("other version 1: uploaded"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_sends_other_bytes_than_the_digest_names_is_refused() {
    let (_patchbay, client, machine) = office().await;
    let registry = Registry::start().await;
    let reference = registry.artifact(&[("application/wasm", &bot(1))]);
    let (_, of_manifest) = reference.split_once('@').unwrap();

    registry.files.lock().unwrap().insert(digest(&bot(1)), bot(2));
    machine.fails(&["push", &reference]);
    registry.store(&bot(1));
    registry.files.lock().unwrap().insert(of_manifest.to_owned(), manifest(&[("application/wasm", &bot(2))]));
    machine.fails(&["push", &reference]);

    let tagged = machine.fails(&["push", &format!("oci://{}/team/shop:latest", registry.host)]);
    assert!(tagged.contains("does not name a component by its digest"), "{tagged}");
    let missing = machine.fails(&["push", &format!("oci://{}/team/shop@{}", registry.host, digest(b"nothing"))]);
    assert!(missing.contains("cannot be fetched") && missing.contains("PATCHBAY_REGISTRY_USER"), "{missing}");
    let two = registry.artifact(&[("application/wasm", &bot(3)), ("application/wasm", &bot(4))]);
    assert!(machine.fails(&["push", &two]).contains("has 2 layers of type application/wasm"));
    let none = registry.artifact(&[("text/plain", b"hello")]);
    assert!(machine.fails(&["push", &none]).contains("has 0 layers of type application/wasm"));
    assert_eq!(client.get(&format!("{PLUGINS}/shop")).await.status, 404, "nothing is stored");
}

async fn upload(client: &TestClient, texts: &[(&str, &str)]) -> ClientReply {
    let path = format!("{PLUGINS}?name=shop");
    client.post_raw(&path, "multipart/form-data; boundary=edge", form(texts, &bot(1))).await
}

#[tokio::test]
async fn the_server_accepts_a_source_only_if_its_manifest_names_the_component() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let right = String::from_utf8(manifest(&[("application/wasm", &bot(1))])).unwrap();
    let other = String::from_utf8(manifest(&[("application/wasm", &bot(2))])).unwrap();
    let reference = |manifest: &str| format!("oci://registry.example:5000/team/shop@{}", digest(manifest.as_bytes()));
    let refused = async |source: &str, manifest: &str, field: &str, said: &str| {
        let reply = upload(&client, &[("source", source), ("manifest", manifest)]).await;
        assert_eq!(reply.faulty_fields(), [field], "{}", reply.text);
        assert!(reply.text.contains(said), "{}", reply.text);
    };
    refused(&reference(&other), &right, "manifest", "send the bytes of the registry unchanged").await;
    refused(&reference(&other), &other, "manifest", "which is the uploaded component").await;
    refused(&reference("text"), "text", "manifest", "is not an image manifest").await;
    refused(&reference(&"x".repeat(40_000)), &"x".repeat(40_000), "manifest", "32768 are allowed").await;
    for source in [
        "oci://registry.example/shop:latest",
        "https://registry.example/shop",
        "oci://@sha256:00",
        "oci://a/b@sha256:AB",
    ] {
        refused(source, &right, "source", "with the digest of the manifest").await;
    }
    assert_eq!(upload(&client, &[("source", &reference(&right))]).await.faulty_fields(), ["manifest"]);
    assert_eq!(upload(&client, &[("manifest", &right)]).await.faulty_fields(), ["source"]);

    let made = upload(&client, &[("source", &reference(&right)), ("manifest", &right)]).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let one = client.get(&format!("{PLUGINS}/shop")).await.ok();
    assert_eq!(one["versions"][0]["origin"]["source"]["reference"], reference(&right));
}
