//! Files of customers in an object store with the S3 protocol, a third-party program (`tests/peers/s3`), with two
//! nodes.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use harness::{Patchbay, PatchbaySetup, WebhookSink, eventually, installed_peer, peer_folder};
use serde_json::json;
use tempfile::TempDir;

/// The object store and the folder of its objects.
struct Store {
    child: Child,
    url: String,
    folder: TempDir,
}

impl Store {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut node = Command::new("node");
        node.arg(peer_folder("s3").join("serve.js")).arg(installed_peer("s3")).arg(folder.path());
        let mut child = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("http://127.0.0.1:{}", port.trim()), folder }
    }

    /// Paths of the objects in the bucket, without the metadata files of the store.
    fn objects(&self) -> Vec<String> {
        let bucket = self.folder.path().join("files");
        let (mut found, mut folders) = (Vec::new(), vec![bucket.clone()]);
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                let name = path.strip_prefix(&bucket).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(object) = name.strip_suffix("._S3rver_object") {
                    found.push(object.to_owned());
                }
            }
        }
        found
    }

    async fn start_program(&self) -> Patchbay {
        PatchbaySetup::new()
            .set("media.store", "s3://files/of/customers")
            .set("media.s3_endpoint", &self.url)
            .set("media.s3_access_key", "S3RVER")
            .set("media.s3_secret_key", "S3RVER")
            .start()
            .await
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn files_below(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let count = |path: PathBuf| if path.is_dir() { files_below(&path) } else { 1 };
    entries.map(|entry| count(entry.unwrap().path())).sum()
}

#[tokio::test]
async fn files_in_a_bucket_are_served_by_every_node_and_may_be_deleted_by_another_one() {
    let store = Store::start();
    let mut patchbay = store.start_program().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let image = json!({ "type": "image", "base64": "aGVsbG8=", "mimeType": "image/jpeg", "to": client.number });
    patchbay.phone("27820000001").send(image).await;
    let incoming = sink.receives("incoming", "the file", |_| true).await;
    let address = incoming["mediaUrl"].as_str().unwrap().to_owned();
    let objects = eventually("the file in the bucket", || async {
        let objects = store.objects();
        (!objects.is_empty() && objects.iter().all(|path| !path.contains("trial"))).then_some(objects)
    })
    .await;
    assert_eq!(objects.len(), 1);
    assert!(objects[0].starts_with("of/customers/"), "{objects:?}");
    let mut db = patchbay.database().await;
    let in_database: i64 = sqlx::query_scalar("SELECT count(*) FROM media_content").fetch_one(&mut db).await.unwrap();
    assert_eq!(in_database, 0);
    let folder = patchbay.data_dir().join("data/media");
    eventually("nothing is left on the way", || async { (files_below(&folder) == 0).then_some(()) }).await;

    let (node, _elsewhere) = patchbay.node_elsewhere().await;
    for url in [patchbay.url(), node.url.clone()] {
        let (_, path) = address.split_once("/media/").unwrap();
        let answer = patchbay.http.get(format!("{url}/media/{path}")).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{url}");
        assert_eq!(answer.bytes().await.unwrap(), "hello".as_bytes());
    }

    // A node that starts a year later, and that never held the file, deletes old files.
    patchbay.advance_clock(400 * 24 * 3_600).await;
    drop(node);
    patchbay.kill();
    let (_later, _somewhere) = patchbay.node_elsewhere().await;
    eventually("the bucket is empty", || async { store.objects().is_empty().then_some(()) }).await;
    eventually("its row is gone", || async {
        let mut db = patchbay.database().await;
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM media").fetch_one(&mut db).await.unwrap();
        (left == 0).then_some(())
    })
    .await;
}
