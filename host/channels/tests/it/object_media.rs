//! Files in a bucket, against a small server that speaks as much of S3's protocol as that takes.

use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Query, State},
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use channels::{
    media_store::{MediaContent, MediaStore},
    object_media::{BucketRefused, BucketSettings, ObjectMediaStore},
};
use domain::ids::{ClientId, MediaId};
use sha2::{Digest, Sha256};
use tokio::{io::AsyncReadExt, net::TcpListener};
use uuid::Uuid;

use crate::support::scratch_folder;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const FILE: MediaId = MediaId(Uuid::from_u128(2));
const TRIAL: MediaId = MediaId(Uuid::from_u128(3));

/// The objects in the bucket, by path, and the parts of incomplete uploads.
#[derive(Default)]
struct Bucket {
    objects: HashMap<String, Bytes>,
    parts: BTreeMap<u32, Bytes>,
    /// No part after this many.
    most_parts: Option<u32>,
    /// Uploads that were begun and neither completed nor given up.
    open_uploads: i32,
}

type Shared = Arc<Mutex<Bucket>>;

async fn serve(
    State(bucket): State<Shared>,
    method: Method,
    uri: Uri,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signed = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !signed.starts_with("AWS4-HMAC-SHA256 Credential=our-key/") {
        return (StatusCode::FORBIDDEN, "<Error><Code>AccessDenied</Code></Error>").into_response();
    }
    // As stores do: they want to know how long something is before it comes.
    if method == Method::PUT && !headers.contains_key("content-length") {
        return StatusCode::LENGTH_REQUIRED.into_response();
    }
    let (path, mut bucket) = (uri.path().to_owned(), bucket.lock().unwrap());
    if !path.starts_with("/files/") {
        return (StatusCode::NOT_FOUND, "<Error><Code>NoSuchBucket</Code></Error>").into_response();
    }
    let part = query.get("partNumber").map(|part| part.parse::<u32>().unwrap());
    match (method.as_str(), part, query.contains_key("uploads"), query.contains_key("uploadId")) {
        ("POST", _, true, _) => {
            bucket.open_uploads += 1;
            "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>".into_response()
        }
        ("PUT", Some(part), _, _) if bucket.most_parts.is_some_and(|most| part > most) => {
            StatusCode::BAD_REQUEST.into_response()
        }
        ("PUT", Some(part), _, _) => {
            bucket.parts.insert(part, body);
            [("etag", format!("\"{part}\""))].into_response()
        }
        ("POST", _, _, true) => {
            bucket.open_uploads -= 1;
            let whole: Vec<u8> = std::mem::take(&mut bucket.parts).into_values().flatten().collect();
            bucket.objects.insert(path, whole.into());
            "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>".into_response()
        }
        ("DELETE", _, _, true) => {
            bucket.open_uploads -= 1;
            bucket.parts.clear();
            StatusCode::NO_CONTENT.into_response()
        }
        ("PUT", ..) => {
            bucket.objects.insert(path, body);
            [("etag", "\"one\"")].into_response()
        }
        ("DELETE", ..) => {
            bucket.objects.remove(&path);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => match bucket.objects.get(&path) {
            Some(object) => {
                let about = [("etag", "\"one\""), ("last-modified", "Wed, 18 Nov 2026 12:00:00 GMT")];
                let range = headers.get("range").and_then(|value| value.to_str().ok()?.strip_prefix("bytes="));
                let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
                    return (about, object.clone()).into_response();
                };
                let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
                let said = [("content-range", format!("bytes {first}-{last}/{}", object.len()))];
                (StatusCode::PARTIAL_CONTENT, about, said, object.slice(first..=last)).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

fn settings(url: &str, endpoint: String, key: &str) -> BucketSettings {
    BucketSettings {
        url: url.parse().unwrap(),
        endpoint,
        region: "here".to_owned(),
        access_key: key.to_owned(),
        secret_key: "secret-of-the-key".to_owned(),
    }
}

async fn bucket(key: &str) -> (Shared, ObjectMediaStore) {
    bucket_at("s3://files/of/customers", key).await
}

async fn bucket_at(url: &str, key: &str) -> (Shared, ObjectMediaStore) {
    let bucket = Shared::default();
    let router = Router::new().fallback(serve).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&bucket));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (bucket, ObjectMediaStore::in_bucket(&settings(url, endpoint, key)).unwrap())
}

#[tokio::test]
async fn a_part_of_an_object_is_asked_for_alone() {
    let (_, store) = bucket("our-key").await;
    store.put(CLIENT, FILE, MediaContent::Bytes(Bytes::from_static(b"0123456789"))).await.unwrap();
    assert_eq!(store.size(CLIENT, FILE).await.unwrap(), Some(10));
    for (part, expected) in [(0..1, "0"), (3..7, "3456"), (7..10, "789")] {
        let mut open = store.open_part(CLIENT, FILE, part).await.unwrap().unwrap();
        let mut content = String::new();
        open.reader.read_to_string(&mut content).await.unwrap();
        assert_eq!((content.as_str(), open.bytes), (expected, expected.len() as u64));
    }
    assert_eq!(store.size(CLIENT, TRIAL).await.unwrap(), None);
    assert!(store.open_part(CLIENT, TRIAL, 0..1).await.unwrap().is_none());
}

async fn content(store: &ObjectMediaStore) -> Option<Vec<u8>> {
    let mut open = store.open(CLIENT, FILE).await.unwrap()?;
    let mut content = Vec::new();
    open.reader.read_to_end(&mut content).await.unwrap();
    assert_eq!(content.len() as u64, open.bytes);
    Some(content)
}

#[tokio::test]
async fn a_file_comes_back_from_the_bucket_as_it_was_put_until_it_is_deleted() {
    let (bucket, store) = bucket("our-key").await;
    assert_eq!(content(&store).await, None);
    assert!(!store.delete(CLIENT, FILE).await.unwrap());

    let stored = store.put(CLIENT, FILE, MediaContent::Bytes(Bytes::from_static(b"hello"))).await.unwrap();

    assert_eq!((stored.bytes, stored.sha256), (5, hex::encode(Sha256::digest(b"hello"))));
    assert_eq!(content(&store).await.unwrap(), b"hello");
    let paths: Vec<String> = bucket.lock().unwrap().objects.keys().cloned().collect();
    assert_eq!(paths, [format!("/files/of/customers/{CLIENT}/{FILE}")]);
    assert!(store.delete(CLIENT, FILE).await.unwrap());
    assert_eq!(content(&store).await, None);
}

/// A file that was downloaded.
fn downloaded(bytes: &[u8]) -> PathBuf {
    let folder = scratch_folder();
    std::fs::create_dir_all(&folder).unwrap();
    let download = folder.join("a-download");
    std::fs::write(&download, bytes).unwrap();
    download
}

#[tokio::test]
async fn a_large_file_goes_in_parts_and_is_whole_afterwards() {
    let part = 8 << 20;
    for length in [part - 1, part, part + 1, 2 * part, 20_000_000] {
        let (bucket, store) = bucket("our-key").await;
        let bytes: Vec<u8> = (0..length).map(|at: u32| at.to_le_bytes()[1] ^ at.to_le_bytes()[2]).collect();
        let download = downloaded(&bytes);

        let stored = store.put(CLIENT, FILE, MediaContent::File(download.clone())).await.unwrap();

        assert_eq!((stored.bytes, stored.sha256), (u64::from(length), hex::encode(Sha256::digest(&bytes))));
        assert!(content(&store).await.unwrap() == bytes);
        assert!(!download.exists(), "the file is moved");
        assert_eq!(bucket.lock().unwrap().open_uploads, 0);
    }
}

#[tokio::test]
async fn a_failed_upload_of_a_large_file_leaves_nothing_and_can_be_repeated() {
    for most_parts in [0, 1] {
        let (bucket, store) = bucket("our-key").await;
        bucket.lock().unwrap().most_parts = Some(most_parts);
        let download = downloaded(&vec![7; 20_000_000]);

        let refused = store.put(CLIENT, FILE, MediaContent::File(download.clone())).await.unwrap_err();

        assert!(refused.to_string().contains("bucket"), "{refused}");
        assert!(download.exists());
        assert_eq!(content(&store).await, None);
        let bucket = bucket.lock().unwrap();
        assert_eq!((bucket.open_uploads, bucket.parts.len()), (0, 0));
    }
}

/// An error with everything behind it.
fn in_full(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[tokio::test]
async fn an_access_key_unknown_to_the_bucket_is_an_error_with_a_cure_and_not_a_missing_file() {
    let (_, store) = bucket("another-key").await;
    let read = store.open(CLIENT, FILE).await.err().unwrap();
    let written = store.put(CLIENT, FILE, MediaContent::Bytes(Bytes::new())).await.unwrap_err();
    for error in [read, written, store.delete(CLIENT, FILE).await.unwrap_err(), store.try_out(TRIAL).await.unwrap_err()]
    {
        let error = in_full(&error);
        assert!(error.contains("check media.s3_access_key and media.s3_secret_key"), "{error}");
        assert!(!error.contains("secret-of-the-key"), "{error}");
    }
}

#[tokio::test]
async fn a_missing_bucket_is_an_error_with_a_cure() {
    let (_, store) = bucket_at("s3://elsewhere", "our-key").await;
    let error = in_full(&store.put(CLIENT, FILE, MediaContent::Bytes(Bytes::new())).await.unwrap_err());
    assert!(error.contains("no such bucket: check media.store"), "{error}");
}

#[tokio::test]
async fn an_unreachable_store_is_an_error_with_a_cure() {
    let closed_port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let settings = settings("s3://files", format!("http://{closed_port}"), "our-key");
    let store = ObjectMediaStore::in_bucket(&settings).unwrap();
    let error = in_full(&store.try_out(TRIAL).await.unwrap_err());
    assert!(error.contains("cannot be reached: check media.s3_endpoint"), "{error}");
}

#[tokio::test]
async fn a_bucket_is_checked_without_a_lasting_change() {
    let (bucket, store) = bucket("our-key").await;
    store.try_out(TRIAL).await.unwrap();
    assert!(bucket.lock().unwrap().objects.is_empty());
    assert!(!format!("{store:?}").contains("key"), "{store:?}");
}

#[test]
fn an_address_without_a_bucket_or_with_an_invalid_prefix_is_refused() {
    let refused = |url| ObjectMediaStore::in_bucket(&settings(url, String::new(), "our-key")).unwrap_err();
    for url in ["http://files/", "s3:/files"] {
        assert!(matches!(refused(url), BucketRefused::NoBucket), "{url}");
    }
    assert!(matches!(refused("s3://files/a//b"), BucketRefused::Prefix(_)));
}
