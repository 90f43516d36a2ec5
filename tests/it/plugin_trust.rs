//! Signed uploads (ADR 0070): keys, policy, signatures of minisign made by its own library, and the verification of
//! stored versions.

use std::io::Cursor;

use harness::{ClientReply, SharedPatchbay, TestClient};
use minisign::KeyPair;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    plugin_commands::office,
    plugin_uploads::{PLUGINS, bot},
};

const TRUST: &str = "/plugin-service/api/v1/plugin-trust";

/// An author with a key of minisign.
pub struct Signer(KeyPair);

impl Signer {
    pub fn new() -> Self {
        Self(KeyPair::generate_unencrypted_keypair().unwrap())
    }

    /// The public key file.
    pub fn public_key(&self) -> String {
        self.0.pk.to_box().unwrap().to_string()
    }

    /// The signature file.
    pub fn sign(&self, component: &[u8]) -> String {
        let comment = Some("timestamp:1794873600\tfile:bot.wasm");
        let signed = minisign::sign(Some(&self.0.pk), &self.0.sk, Cursor::new(component), comment, None);
        signed.unwrap().to_string()
    }

    /// Adds the key to a client.
    async fn trusted_by(self, client: &TestClient, name: &str) -> Self {
        let added = add(client, name, &self.public_key()).await;
        assert_eq!(added.status, 201, "{}", added.text);
        self
    }
}

async fn add(client: &TestClient, name: &str, key: &str) -> ClientReply {
    client.post(&format!("{TRUST}/keys"), &json!({ "name": name, "publicKey": key })).await
}

async fn remove(client: &TestClient, name: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{TRUST}/keys/{name}"), None, &[]).await
}

async fn demand(client: &TestClient, signed_only: bool) -> ClientReply {
    client.request(Method::PUT, TRUST, Some(&json!({ "signedOnly": signed_only })), &[]).await
}

/// The parts of a form; `file` has the bytes.
pub fn form(texts: &[(&str, &str)], component: &[u8]) -> Vec<u8> {
    let head = |name: &str| format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    let texts: String = texts.iter().map(|(name, text)| format!("{}{text}\r\n", head(name))).collect();
    [texts.as_bytes(), head("file").as_bytes(), component, b"\r\n--edge--\r\n"].concat()
}

pub async fn upload(client: &TestClient, component: &[u8], signature: Option<&str>) -> ClientReply {
    let texts: Vec<(&str, &str)> = signature.map(|text| ("signature", text)).into_iter().collect();
    let (path, kind) = (format!("{PLUGINS}?name=shop"), "multipart/form-data; boundary=edge");
    client.post_raw(&path, kind, form(&texts, component)).await
}

/// The only fault of a refused upload.
fn fault(reply: &ClientReply) -> String {
    assert_eq!(reply.faulty_fields(), ["signature"], "{}", reply.text);
    reply.json()["details"][0]["message"].as_str().unwrap().to_owned()
}

async fn verified(client: &TestClient) -> Value {
    client.post(&format!("{PLUGINS}/shop/verify"), &json!({})).await.ok()
}

#[tokio::test]
async fn a_version_shows_the_key_that_signed_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let signer = Signer::new().trusted_by(&client, "ci").await;
    let text = signer.sign(&bot(1));

    let made = upload(&client, &bot(1), Some(&text)).await;

    assert_eq!(made.status, 201, "{}", made.text);
    let trust = client.get(TRUST).await.ok();
    assert_eq!((&trust["signedOnly"], trust["keys"].as_array().unwrap().len()), (&json!(false), 1));
    let (key, signature) = (&trust["keys"][0], &made.json()["signature"]);
    assert_eq!((&key["name"], &signature["key"]), (&json!("ci"), &json!("ci")));
    assert_eq!((&key["keyId"], &key["fingerprint"]), (&signature["keyId"], &signature["fingerprint"]));
    assert!(signer.public_key().contains(key["keyId"].as_str().unwrap()), "{key}\n{}", signer.public_key());
    assert_eq!(signature["comment"], "timestamp:1794873600\tfile:bot.wasm");
    assert_eq!(signature["text"].as_str().unwrap().trim(), text.trim());
    let one = client.get(&format!("{PLUGINS}/shop")).await.ok();
    assert_eq!((&one["signature"], &one["versions"][0]["signature"]), (signature, signature));
    let unsigned = upload(&client, &bot(2), None).await.json();
    assert_eq!(
        (&unsigned["version"], &unsigned["signature"]),
        (&json!(2), &Value::Null),
        "nothing demands a signature"
    );
}

#[tokio::test]
async fn a_signature_that_is_not_of_a_key_over_these_bytes_is_refused_with_the_cure() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let theirs = Signer::new().trusted_by(&other, "theirs").await;
    let said = fault(&upload(&client, &bot(1), Some(&theirs.sign(&bot(1)))).await);
    assert!(said.contains("the client has no keys: add its public key"), "{said}");
    let signer = Signer::new().trusted_by(&client, "ci").await;

    let said = fault(&upload(&client, &bot(1), Some(&theirs.sign(&bot(1)))).await);
    assert!(said.contains("was made with the key ") && said.contains("the client has `ci` ("), "{said}");
    let said = fault(&upload(&client, &bot(1), Some(&signer.sign(&bot(2)))).await);
    assert!(said.contains("sign exactly the bytes that you upload"), "{said}");
    let forged = signer.sign(&bot(1)).replace("file:bot.wasm", "file:another");
    assert!(
        fault(&upload(&client, &bot(1), Some(&forged)).await).contains("does not match"),
        "the comment is signed, too"
    );
    for unreadable in ["", "nonsense", "untrusted comment: x\nRUQ=\ntrusted comment: y\nAA==\n", &"x".repeat(5_000)] {
        let said = fault(&upload(&client, &bot(1), Some(unreadable)).await);
        assert!(said.contains("is not a signature of minisign"), "{said}");
    }
    let older = "untrusted comment: signature from minisign secret key\n\
                 RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=\n\
                 trusted comment: timestamp:1555779966\tfile:test\n\
                 QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==\n";
    let published = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    assert_eq!(add(&client, "older", published).await.json()["keyId"], "E7620F1842B4E81F", "as minisign shows it");
    let said = fault(&upload(&client, b"test", Some(older)).await);
    assert!(said.contains("minisign 0.10 or newer"), "{said}");
    assert_eq!(client.get(&format!("{PLUGINS}/shop")).await.status, 404, "nothing is stored");
}

#[tokio::test]
async fn a_client_that_demands_signatures_gets_no_unsigned_version() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    assert_eq!(upload(&client, &bot(1), None).await.status, 201);
    let early = demand(&client, true).await;
    assert_eq!(early.status, 409);
    assert!(early.text.contains("add a key first"), "{}", early.text);
    let signer = Signer::new().trusted_by(&client, "ci").await;
    assert_eq!(demand(&client, true).await.ok()["signedOnly"], true);

    let path = format!("{PLUGINS}?name=shop");
    let bare = client.post_raw(&path, "application/wasm", bot(2)).await;
    let in_background = [("Prefer", "respond-async")];
    let unawaited = client.post_raw_with(&path, "application/wasm", bot(2), &in_background).await;
    let known = upload(&client, &bot(1), None).await;

    for refused in [bare, unawaited, known] {
        let said = fault(&refused);
        assert!(said.contains("(`ci`)") && said.contains("patchbay plugin push bot.wasm --signature"), "{said}");
    }
    assert_eq!(upload(&client, &bot(2), Some(&signer.sign(&bot(2)))).await.json()["version"], 2);
    assert_eq!(remove(&client, "ci").await.status, 409, "without it there could be no upload");
    assert_eq!(demand(&client, false).await.ok()["signedOnly"], false);
    assert_eq!(upload(&client, &bot(3), None).await.status, 201);
}

#[tokio::test]
async fn a_known_version_takes_over_a_signature() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let signer = Signer::new().trusted_by(&client, "ci").await;
    upload(&client, &bot(1), None).await;

    let signed = upload(&client, &bot(1), Some(&signer.sign(&bot(1)))).await.ok();

    assert_eq!((&signed["version"], &signed["signature"]["key"]), (&json!(1), &json!("ci")));
    assert_eq!(upload(&client, &bot(1), None).await.ok(), signed, "it stays signed");
    let next = Signer::new().trusted_by(&client, "next").await;
    let again = upload(&client, &bot(1), Some(&next.sign(&bot(1)))).await.ok();
    assert_eq!((&again["version"], &again["signature"]["key"]), (&json!(1), &json!("next")));
    let events = client.get(&format!("{PLUGINS}/shop/events")).await.ok();
    let kinds: Vec<&Value> = events["content"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["SIGNED", "SIGNED", "UPLOADED"]);
}

#[tokio::test]
async fn keys_have_a_name_each_and_their_changes_are_audited() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let signer = Signer::new();
    let key = signer.public_key();
    assert_eq!(add(&client, "ci", &key).await.status, 201);

    assert!(add(&client, "ci", &Signer::new().public_key()).await.text.contains("there is a key `ci` already"));
    let line = key.lines().nth(1).unwrap();
    let twice = add(&client, "second", line).await;
    assert!(twice.status == 409 && twice.text.contains("under the name `ci`"), "{}", twice.text);
    assert_eq!(add(&client, "a b", &key).await.faulty_fields(), ["name"]);
    for wrong in ["", "RW", "-----BEGIN PUBLIC KEY-----", &"R".repeat(56), &signer.sign(b"x")] {
        assert_eq!(add(&client, "wrong", wrong).await.faulty_fields(), ["publicKey"], "{wrong}");
    }
    assert_eq!(add(&other, "ci", &key).await.status, 201, "another client may trust the same key");
    assert_eq!(remove(&client, "unknown").await.status, 404);
    demand(&client, true).await.ok();
    demand(&client, false).await.ok();
    assert_eq!(remove(&client, "ci").await.status, 204);
    assert_eq!(client.get(TRUST).await.ok(), json!({ "signedOnly": false, "keys": [] }));
    assert_eq!(other.get(TRUST).await.ok()["keys"][0]["name"], "ci");
    let audit = client.get("/api/v1/audit").await.ok();
    let changes: Vec<String> = audit["content"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["targetKind"].as_str().unwrap().starts_with("plugin-"))
        .map(|entry| format!("{} {}", entry["action"], entry["targetKind"]).replace('"', ""))
        .collect();
    assert_eq!(changes, ["remove plugin-key", "change plugin-policy", "change plugin-policy", "add plugin-key"]);
}

#[tokio::test]
async fn a_verification_checks_the_signature_with_the_present_keys() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let signer = Signer::new().trusted_by(&client, "ci").await;
    upload(&client, &bot(1), None).await;
    let found = verified(&client).await;
    assert_eq!((&found["signatureState"], &found["intact"]), (&json!("ABSENT"), &json!(true)));
    demand(&client, true).await.ok();
    let found = verified(&client).await;
    assert_eq!((&found["signatureState"], &found["intact"]), (&json!("ABSENT"), &json!(false)));
    assert!(found["problems"][0].as_str().unwrap().contains("sign it and push it again"), "{found}");

    upload(&client, &bot(1), Some(&signer.sign(&bot(1)))).await.ok();
    let found = verified(&client).await;
    assert_eq!((&found["signatureState"], &found["problems"]), (&json!("VALID"), &json!([])));
    assert_eq!(found["signature"]["key"], "ci");

    Signer::new().trusted_by(&client, "next").await;
    assert_eq!(remove(&client, "ci").await.status, 204);
    let found = verified(&client).await;
    assert_eq!((&found["signatureState"], &found["intact"]), (&json!("KEY_REMOVED"), &json!(false)));
    assert!(found["problems"][0].as_str().unwrap().contains("no longer a key of the client"), "{found}");

    assert_eq!(add(&client, "ci-again", &signer.public_key()).await.status, 201);
    assert_eq!(verified(&client).await["signatureState"], "VALID", "a key counts by its bytes");
    let changed = "UPDATE plugin_component SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1)
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query(changed).bind(&client.client_ref).execute(&mut patchbay.database().await).await.unwrap();
    let found = verified(&client).await;
    assert_eq!(found["signatureState"], "MISMATCH");
    let problems = found["problems"].to_string();
    assert!(problems.contains("the stored component has SHA-256") && problems.contains("`ci-again`"), "{problems}");
}

#[tokio::test]
async fn an_author_signs_pushes_and_verifies_at_the_command_line() {
    let (_patchbay, _client, machine) = office().await;
    let signer = Signer::new();
    machine.write("minisign.pub", signer.public_key());
    machine.write("shop.wasm", bot(1));
    machine.write("shop.wasm.minisig", signer.sign(&bot(1)));

    assert!(machine.does(&["trust", "add", "ci", "minisign.pub"]).starts_with("ci may sign uploads: key "));
    assert!(machine.does(&["trust", "require", "signatures"]).starts_with("uploads must be signed"));
    let refused = machine.fails(&["push", "shop.wasm"]);
    assert!(refused.contains("--signature"), "{refused}");
    let pushed = machine.does(&["push", "shop.wasm", "--signature", "shop.wasm.minisig"]);
    assert!(pushed.contains("shop version 1: uploaded") && pushed.contains("signed: key ci ("), "{pushed}");
    assert!(machine.does(&["status", "shop"]).contains("signed: key ci ("));
    assert!(machine.does(&["list"]).contains("signed with key ci"));
    let verified = machine.does(&["verify", "shop", "--file", "shop.wasm"]);
    assert!(verified.contains("signature: valid, key ci (") && verified.contains("has the same bytes"), "{verified}");
    assert!(machine.does(&["trust", "show"]).contains("uploads must be signed with one of these keys:\nci "));
    machine.does(&["trust", "require", "nothing"]);
    machine.does(&["trust", "remove", "ci"]);
    let verified = machine.types(&["verify", "shop"]);
    assert_eq!(verified.status, 1);
    assert!(verified.out.contains("no longer a key of the client"), "{}", verified.out);
}
