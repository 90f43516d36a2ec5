//! The local media store.

use bytes::Bytes;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore, close_to_others};
use domain::ids::{ClientId, MediaId};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use uuid::Uuid;

use crate::support::scratch_folder;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));

fn id(last: u128) -> MediaId {
    MediaId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | last))
}

async fn content_of(store: &LocalMediaStore, id: MediaId) -> Option<Vec<u8>> {
    let mut open = store.open(CLIENT, id).await.unwrap()?;
    let mut content = Vec::new();
    open.reader.read_to_end(&mut content).await.unwrap();
    assert_eq!(content.len() as u64, open.bytes);
    Some(content)
}

#[tokio::test]
async fn bytes_and_files_come_back_as_they_were_put() {
    let folder = scratch_folder();
    let store = LocalMediaStore::new(&folder);
    let stored = store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"hello"))).await.unwrap();
    assert_eq!((stored.bytes, stored.sha256), (5, hex::encode(Sha256::digest(b"hello"))));
    assert_eq!(content_of(&store, id(1)).await.unwrap(), b"hello");

    let scratch = folder.join("a-download");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&scratch, b"downloaded").unwrap();
    let stored = store.put(CLIENT, id(2), MediaContent::File(scratch.clone())).await.unwrap();
    assert_eq!((stored.bytes, stored.sha256), (10, hex::encode(Sha256::digest(b"downloaded"))));
    assert_eq!(content_of(&store, id(2)).await.unwrap(), b"downloaded");
    assert!(!scratch.exists(), "the file is moved");
}

#[tokio::test]
async fn a_part_of_an_object_is_read_alone() {
    let store = LocalMediaStore::new(scratch_folder());
    store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"0123456789"))).await.unwrap();
    assert_eq!(store.size(CLIENT, id(1)).await.unwrap(), Some(10));
    for (part, expected) in [(0..1, "0"), (3..7, "3456"), (7..10, "789"), (0..10, "0123456789")] {
        let mut open = store.open_part(CLIENT, id(1), part).await.unwrap().unwrap();
        let mut content = String::new();
        open.reader.read_to_string(&mut content).await.unwrap();
        assert_eq!((content.as_str(), open.bytes), (expected, expected.len() as u64));
    }
    assert_eq!(store.size(CLIENT, id(2)).await.unwrap(), None);
    assert!(store.open_part(CLIENT, id(2), 0..1).await.unwrap().is_none());
}

#[tokio::test]
async fn a_missing_file_is_none_and_deleting_reports_whether_it_existed() {
    let store = LocalMediaStore::new(scratch_folder());
    assert!(content_of(&store, id(1)).await.is_none());
    assert!(!store.delete(CLIENT, id(1)).await.unwrap());
    store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"x"))).await.unwrap();
    assert!(store.delete(CLIENT, id(1)).await.unwrap());
    assert!(content_of(&store, id(1)).await.is_none());
}

#[tokio::test]
async fn the_same_object_can_be_put_many_times_at_once() {
    let folder = scratch_folder();
    let store = LocalMediaStore::new(&folder);
    let bytes = Bytes::from(vec![7; 300_000]);
    let puts = (0..16).map(|_| store.put(CLIENT, id(1), MediaContent::Bytes(bytes.clone())));

    let stored = futures::future::join_all(puts).await;

    assert!(stored.iter().all(Result::is_ok), "{stored:?}");
    assert_eq!(content_of(&store, id(1)).await.unwrap(), bytes);
}

#[tokio::test]
async fn putting_again_replaces_and_leaves_no_partial_file() {
    let folder = scratch_folder();
    let store = LocalMediaStore::new(&folder);
    store.put(CLIENT, id(0xab), MediaContent::Bytes(Bytes::from_static(b"old and long"))).await.unwrap();
    store.put(CLIENT, id(0xab), MediaContent::Bytes(Bytes::from_static(b"new"))).await.unwrap();
    assert_eq!(content_of(&store, id(0xab)).await.unwrap(), b"new");
    let names: Vec<_> = std::fs::read_dir(folder.join("ab")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["019000000000700080000000000000ab"]);
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch_folder();
    let store = LocalMediaStore::new(&folder);
    store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"x"))).await.unwrap();
    let scratch = folder.join("a-download");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&scratch, b"y").unwrap();
    std::fs::set_permissions(&scratch, std::fs::Permissions::from_mode(0o644)).unwrap();
    store.put(CLIENT, id(2), MediaContent::File(scratch)).await.unwrap();
    for (shard, last) in [("01", 1u128), ("02", 2)] {
        let path = folder.join(shard).join(id(last).0.simple().to_string());
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn folders_cannot_be_listed_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let above = scratch_folder();
    let folder = above.join("data/media");
    let store = LocalMediaStore::new(&folder);
    store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::from_static(b"x"))).await.unwrap();
    for made in [above.join("data"), folder.clone(), folder.join("01")] {
        assert_eq!(mode(&made), 0o700, "{}", made.display());
    }

    // As an earlier version left them.
    for open in [&folder, &folder.join("01")] {
        std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    close_to_others(&folder).await.unwrap();
    assert_eq!((mode(&folder), mode(&folder.join("01"))), (0o700, 0o700));
    assert_eq!(content_of(&store, id(1)).await.unwrap(), b"x");
}

#[tokio::test]
async fn an_unwritable_folder_is_an_error_that_names_the_path() {
    let folder = scratch_folder();
    let occupied = folder.join("occupied");
    std::fs::write(&occupied, b"a file").unwrap();
    let store = LocalMediaStore::new(&occupied);
    let error = store.put(CLIENT, id(1), MediaContent::Bytes(Bytes::new())).await.unwrap_err();
    assert!(error.to_string().contains("occupied"), "{error}");
}

#[tokio::test]
async fn a_sweep_finds_old_files_in_every_subfolder_and_leaves_the_rest() {
    let folder = scratch_folder();
    let store = LocalMediaStore::new(&folder);
    let younger = MediaId(Uuid::from_u128(0x0191_0000_0000_7000_8000_0000_0000_00ab));
    for object in [id(1), id(0xab), younger] {
        store.put(CLIENT, object, MediaContent::Bytes(Bytes::from_static(b"x"))).await.unwrap();
    }
    std::fs::write(folder.join("ab").join(format!("{}.7-0.partial", id(2).0.simple())), b"cut off").unwrap();
    std::fs::write(folder.join("ab").join("notes.txt"), b"no object").unwrap();

    let mut removed = 0;
    for _ in 0..256 {
        removed += store.sweep(younger).await.unwrap();
    }

    assert_eq!(removed, 3);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.join("ab")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [younger.0.simple().to_string().as_str(), "notes.txt"]);
}
