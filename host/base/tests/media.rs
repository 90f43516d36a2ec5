//! Files of customers in the database, and in a store that replaced it.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::sync::Arc;

use base::{DatabaseMediaStore, MovedMediaStore};
use bytes::Bytes;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore};
use domain::ids::{ClientId, MediaId};
use sha2::{Digest, Sha256};
use storage::Db;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));

fn id(last: u128) -> MediaId {
    MediaId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | last))
}

/// A node: the shared database and its own folder.
struct Node {
    store: DatabaseMediaStore,
    folder: TempDir,
}

impl Node {
    fn new(db: &Db) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: DatabaseMediaStore::new(db.clone(), LocalMediaStore::new(folder.path())), folder }
    }

    async fn content(&self, client: ClientId, id: MediaId) -> Option<Vec<u8>> {
        content(&self.store, client, id).await
    }
}

async fn content(store: &impl MediaStore, client: ClientId, id: MediaId) -> Option<Vec<u8>> {
    let mut open = store.open(client, id).await.unwrap()?;
    let mut content = Vec::new();
    open.reader.read_to_end(&mut content).await.unwrap();
    assert_eq!(content.len() as u64, open.bytes);
    Some(content)
}

#[tokio::test]
async fn a_file_of_one_node_is_readable_on_all_nodes_until_one_deletes_it() {
    let db = scratch::database().await.pool(4).await;
    let (here, there) = (Node::new(&db), Node::new(&db));
    // Several parts, the last one partly filled.
    let content: Vec<u8> = (0..1_300_000_u32).map(|at| at.to_le_bytes()[1]).collect();
    let download = here.folder.path().join("a-download");
    std::fs::write(&download, &content).unwrap();

    let stored = here.store.put(CLIENT, id(1), MediaContent::File(download.clone())).await.unwrap();

    assert_eq!((stored.bytes, stored.sha256), (1_300_000, hex::encode(Sha256::digest(&content))));
    assert!(!download.exists(), "the file is moved");
    assert_eq!(there.content(CLIENT, id(1)).await.unwrap(), content);
    assert!(there.content(ClientId(Uuid::from_u128(2)), id(1)).await.is_none(), "it is another client's");
    assert!(there.store.delete(CLIENT, id(1)).await.unwrap());
    assert!(here.content(CLIENT, id(1)).await.is_none());
    assert!(!here.store.delete(CLIENT, id(1)).await.unwrap());
}

#[tokio::test]
async fn putting_again_replaces_and_an_empty_file_is_a_file() {
    let db = scratch::database().await.pool(4).await;
    let node = Node::new(&db);
    let long = Bytes::from(vec![7; 1_100_000]);
    node.store.put(CLIENT, id(1), MediaContent::Bytes(long)).await.unwrap();
    node.store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"new"))).await.unwrap();
    assert_eq!(node.content(CLIENT, id(1)).await.unwrap(), b"new");

    let stored = node.store.put(CLIENT, id(2), MediaContent::Bytes(Bytes::new())).await.unwrap();
    assert_eq!(stored.bytes, 0);
    assert_eq!(node.content(CLIENT, id(2)).await.unwrap(), b"");
}

#[tokio::test]
async fn a_part_of_a_file_is_read_alone_across_the_parts_that_it_is_kept_in() {
    let db = scratch::database().await.pool(4).await;
    let node = Node::new(&db);
    let whole: Vec<u8> = (0..1_300_000_u32).map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[2]).collect();
    node.store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from(whole.clone()))).await.unwrap();
    let before = LocalMediaStore::new(node.folder.path());
    before.put(CLIENT, id(2), MediaContent::Bytes(Bytes::from(whole.clone()))).await.unwrap();
    for file in [id(1), id(2)] {
        assert_eq!(node.store.size(CLIENT, file).await.unwrap(), Some(1_300_000));
        for part in
            [0..1, 10..20, 524_287..524_289, 524_288..524_289, 500_000..1_200_000, 1_299_999..1_300_000, 0..1_300_000]
        {
            let open = node.store.open_part(CLIENT, file, part.clone()).await.unwrap().unwrap();
            let (mut reader, mut content) = (open.reader, Vec::new());
            reader.read_to_end(&mut content).await.unwrap();
            assert_eq!(open.bytes, part.end - part.start);
            let expected = &whole[usize::try_from(part.start).unwrap()..usize::try_from(part.end).unwrap()];
            assert!(content == expected, "{part:?}");
        }
    }
    assert_eq!(node.store.size(CLIENT, id(3)).await.unwrap(), None);
    assert!(node.store.open_part(CLIENT, id(3), 0..1).await.unwrap().is_none());
}

#[tokio::test]
async fn the_same_file_can_be_put_by_several_nodes_at_once() {
    let db = scratch::database().await.pool(8).await;
    let node = Node::new(&db);
    let bytes = Bytes::from(vec![7; 600_000]);
    let puts = (0..6).map(|_| node.store.put(CLIENT, id(1), MediaContent::Bytes(bytes.clone())));

    let stored = futures::future::join_all(puts).await;

    assert!(stored.iter().all(Result::is_ok), "{stored:?}");
    assert_eq!(node.content(CLIENT, id(1)).await.unwrap(), bytes);
}

#[tokio::test]
async fn a_file_deleted_while_it_is_read_ends_in_an_error_and_not_early() {
    let db = scratch::database().await.pool(4).await;
    let node = Node::new(&db);
    node.store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from(vec![7; 1_300_000]))).await.unwrap();
    let mut open = node.store.open(CLIENT, id(1)).await.unwrap().unwrap();
    open.reader.read_u8().await.unwrap();
    node.store.delete(CLIENT, id(1)).await.unwrap();
    let mut rest = Vec::new();
    assert_eq!(open.reader.read_to_end(&mut rest).await.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn old_files_in_the_folder_of_a_node_are_served_and_deleted_on_time() {
    let db = scratch::database().await.pool(4).await;
    let node = Node::new(&db);
    let before = LocalMediaStore::new(node.folder.path());
    for old in [id(1), id(2)] {
        before.put(CLIENT, old, MediaContent::Bytes(Bytes::from_static(b"old"))).await.unwrap();
    }
    assert_eq!(node.content(CLIENT, id(1)).await.unwrap(), b"old");
    assert!(node.store.delete(CLIENT, id(1)).await.unwrap());
    assert!(node.content(CLIENT, id(1)).await.is_none());

    // Another node has deleted the row of this file.
    for _ in 0..256 {
        node.store.sweep(id(3)).await.unwrap();
    }
    assert!(node.content(CLIENT, id(2)).await.is_none());
}

#[tokio::test]
async fn files_stored_before_a_change_of_the_store_are_served_and_deleted_on_time() {
    let db = scratch::database().await.pool(4).await;
    let (before, shared) = (Node::new(&db), tempfile::tempdir().unwrap());
    before.store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"old"))).await.unwrap();
    let now = MovedMediaStore::new(Arc::new(LocalMediaStore::new(shared.path())), Arc::new(before.store.clone()));
    now.put(CLIENT, id(2), MediaContent::Bytes(Bytes::from_static(b"new"))).await.unwrap();

    assert_eq!(content(&now, CLIENT, id(1)).await.unwrap(), b"old");
    assert_eq!(content(&now, CLIENT, id(2)).await.unwrap(), b"new");
    assert!(before.content(CLIENT, id(2)).await.is_none(), "nothing new goes where it used to");
    for old in [id(1), id(2)] {
        assert!(now.delete(CLIENT, old).await.unwrap());
        assert!(content(&now, CLIENT, old).await.is_none());
    }
    assert!(!now.delete(CLIENT, id(1)).await.unwrap());
}
