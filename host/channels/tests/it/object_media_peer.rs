//! Files in a bucket of a third-party object store: npm `s3rver`, run by Node.js (tests/peers/s3). It
//! checks the id of the key; signatures of version 4 it does not calculate.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use bytes::Bytes;
use channels::{
    media_store::{MediaContent, MediaStore},
    object_media::{BucketSettings, ObjectMediaStore},
};
use domain::ids::{ClientId, MediaId};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use uuid::Uuid;

use crate::support::scratch_folder;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const FILE: MediaId = MediaId(Uuid::from_u128(2));
const TRIAL: MediaId = MediaId(Uuid::from_u128(3));

fn peer_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers/s3")
}

/// Installs the package once per test run and says where it is.
fn modules() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let output = Command::new("sh").arg(peer_folder().join("install.sh")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    })
}

/// The object store; it ends with this.
struct Store {
    child: Child,
    port: u16,
}

impl Store {
    fn start() -> Self {
        let mut node = Command::new("node");
        node.arg(peer_folder().join("serve.js")).arg(modules()).arg(scratch_folder());
        let mut child = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node is not installed");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn bucket(&self, url: &str, key: &str) -> ObjectMediaStore {
        let settings = BucketSettings {
            url: url.parse().unwrap(),
            endpoint: format!("http://127.0.0.1:{}/", self.port),
            region: "us-east-1".to_owned(),
            access_key: key.to_owned(),
            secret_key: "S3RVER".to_owned(),
        };
        ObjectMediaStore::in_bucket(&settings).unwrap()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

async fn content(store: &ObjectMediaStore) -> Option<Vec<u8>> {
    let mut open = store.open(CLIENT, FILE).await.unwrap()?;
    let mut content = Vec::new();
    open.reader.read_to_end(&mut content).await.unwrap();
    assert_eq!(content.len() as u64, open.bytes);
    Some(content)
}

#[tokio::test]
async fn a_third_party_store_keeps_small_and_large_files_until_they_are_deleted() {
    let store = Store::start();
    let bucket = store.bucket("s3://files/of/customers", "S3RVER");
    bucket.try_out(TRIAL).await.unwrap();
    assert_eq!(content(&bucket).await, None);
    for length in [0, 5, 200_000, 20_000_000] {
        let bytes: Vec<u8> = (0..length).map(|at: u32| at.to_le_bytes()[1] ^ at.to_le_bytes()[2]).collect();

        let stored = bucket.put(CLIENT, FILE, MediaContent::Bytes(Bytes::from(bytes.clone()))).await.unwrap();

        assert_eq!((stored.bytes, stored.sha256), (u64::from(length), hex::encode(Sha256::digest(&bytes))));
        assert!(content(&bucket).await.unwrap() == bytes, "{length} bytes");
    }
    assert!(bucket.delete(CLIENT, FILE).await.unwrap());
    assert_eq!(content(&bucket).await, None);
    assert!(!bucket.delete(CLIENT, FILE).await.unwrap());
}

#[tokio::test]
async fn a_third_party_store_refuses_an_unknown_key_or_bucket_with_a_cure() {
    let store = Store::start();
    let put = |bucket: ObjectMediaStore| async move {
        let refused = bucket.put(CLIENT, FILE, MediaContent::Bytes(Bytes::from_static(b"hello"))).await.unwrap_err();
        let mut causes = vec![refused.to_string()];
        let mut cause = std::error::Error::source(&refused);
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes.join(": ")
    };
    let unknown_key = put(store.bucket("s3://files", "nobodys-key")).await;
    assert!(unknown_key.contains("check media.s3_access_key and media.s3_secret_key"), "{unknown_key}");
    let no_bucket = put(store.bucket("s3://elsewhere", "S3RVER")).await;
    assert!(no_bucket.contains("no such bucket: check media.store"), "{no_bucket}");
}
