//! Files of customers, behind signed addresses.

use base::media::url_for;
use bytes::Bytes;
use channels::media_store::MediaContent;
use domain::ids::{ClientId, MediaId};
use storage::inbound::media::{NewMedia, ReadyMedia, insert, mark_ready};
use uuid::Uuid;

use super::service::{Call, Service};

/// A file of the service's client, and its address.
pub async fn file(service: &Service, mime_type: &str, content: &'static [u8]) -> (MediaId, String) {
    let ctx = &service.context;
    let id: MediaId = ctx.mint();
    let new = NewMedia {
        id,
        inbox: service.number.id,
        provider_media_id: "1037543291543636".to_owned(),
        source_url: None,
        mime_type: mime_type.to_owned(),
        extension: "pdf".to_owned(),
        filename: Some("price list.pdf".to_owned()),
        sha256: None,
    };
    let mut db = ctx.db.acquire().await.unwrap();
    insert(&mut db, service.client, &new, ctx.now()).await.unwrap();
    // Ids repeat from run to run, and the folder stays.
    ctx.media.delete(service.client, id).await.unwrap();
    let stored = ctx.media.put(service.client, id, MediaContent::Bytes(Bytes::from_static(content))).await.unwrap();
    let size = i64::try_from(stored.bytes).unwrap();
    let ready = ReadyMedia { id, sha256: &stored.sha256, bytes: size, judged: None };
    mark_ready(&mut db, service.client, ready).await.unwrap();
    (id, path(service, service.client, id))
}

fn path(service: &Service, client: ClientId, id: MediaId) -> String {
    url_for(&service.context, client, id).trim_start_matches("http://127.0.0.1:8080").to_owned()
}

#[tokio::test]
async fn a_signed_address_gives_the_file_as_a_download() {
    let service = Service::start().await;
    let (_, path) = file(&service, "application/pdf", b"%PDF-1.7").await;
    let answer = service.send(Call::get(&path)).await;
    assert_eq!((answer.status.as_u16(), answer.bytes.as_slice()), (200, b"%PDF-1.7".as_slice()));
    assert_eq!(answer.headers["content-type"], "application/pdf");
    assert_eq!(answer.headers["content-length"], "8");
    assert_eq!(answer.headers["content-disposition"], "attachment; filename*=UTF-8''price%20list.pdf");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn no_path_lists_the_files() {
    let service = Service::start().await;
    let (id, _) = file(&service, "application/pdf", b"%PDF-1.7").await;
    let client = service.client;
    let shard = id.0.simple().to_string().split_off(30);
    let paths = ["/media".to_owned(), "/media/".to_owned(), format!("/media/{client}"), format!("/media/{client}/")];
    let of_the_folder = [format!("/media/{shard}"), format!("/media/{shard}/"), "/media/scratch".to_owned()];
    for path in paths.iter().chain(&of_the_folder) {
        for call in [Call::get(path), Call::get(path).key(&service.key)] {
            let answer = service.send(call).await;
            assert_eq!(answer.status.as_u16(), 404, "{path}");
            let body = String::from_utf8_lossy(&answer.bytes);
            assert!(!body.contains(&id.to_string()) && !body.contains(&id.0.simple().to_string()), "{path}: {body}");
        }
    }
}

#[tokio::test]
async fn a_part_of_a_file_is_given_out_and_said_to_be_one() {
    let service = Service::start().await;
    let (id, path) = file(&service, "video/mp4", b"0123456789").await;
    let ask = async |range: &str| service.send(Call::get(&path).header("range", range)).await;
    for (range, bytes, said) in [
        ("bytes=0-1", "01", "bytes 0-1/10"),
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=0-99", "0123456789", "bytes 0-9/10"),
    ] {
        let answer = ask(range).await;
        assert_eq!((answer.status.as_u16(), answer.bytes.as_slice()), (206, bytes.as_bytes()), "{range}");
        assert_eq!(answer.headers["content-range"], said);
        assert_eq!(answer.headers["content-length"], bytes.len().to_string());
        assert_eq!(answer.headers["content-type"], "video/mp4");
        assert_eq!(answer.headers["etag"], format!("\"{id}\""));
    }
    for range in ["bytes=0-1,4-5", "lines=0-1", "bytes=x"] {
        let answer = ask(range).await;
        assert_eq!((answer.status.as_u16(), answer.bytes.len()), (200, 10), "{range}");
        assert_eq!(answer.headers["accept-ranges"], "bytes");
        assert!(!answer.headers.contains_key("content-range"));
    }
    let beyond = ask("bytes=10-").await;
    assert_eq!(beyond.error(), (416, "Range not satisfiable".to_owned()));
    assert_eq!(beyond.headers["content-range"], "bytes */10");
    assert_eq!(beyond.headers["accept-ranges"], "bytes");
}

#[tokio::test]
async fn a_range_is_served_of_an_unchanged_file_and_otherwise_the_whole_file() {
    let service = Service::start().await;
    let (_, path) = file(&service, "video/mp4", b"0123456789").await;
    let whole = service.send(Call::get(&path)).await;
    let text = |name: &str| whole.headers[name].to_str().unwrap().to_owned();
    let (tag, modified) = (text("etag"), text("last-modified"));
    let ask = async |condition: &str| {
        let call = Call::get(&path).header("range", "bytes=5-").header("if-range", condition);
        service.send(call).await.status.as_u16()
    };
    assert_eq!((ask(&tag).await, ask(&modified).await), (206, 206));
    assert_eq!((ask("\"another\"").await, ask("Wed, 21 Oct 2015 07:28:00 GMT").await), (200, 200));
    let known = service.send(Call::get(&path).header("if-none-match", &tag)).await;
    assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
    assert_eq!(known.headers["etag"], tag);
}

#[tokio::test]
async fn the_head_of_a_file_says_how_long_it_is_and_that_parts_may_be_asked_for() {
    let service = Service::start().await;
    let (_, path) = file(&service, "video/mp4", b"0123456789").await;
    let mut call = Call::get(&path).header("range", "bytes=0-1");
    *call.0.method_mut() = axum::http::Method::HEAD;
    let head = service.send(call).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    assert_eq!(head.headers["content-length"], "10");
    assert_eq!(head.headers["accept-ranges"], "bytes");
}

#[tokio::test]
async fn a_false_or_foreign_file_name_is_not_served() {
    let service = Service::start().await;
    for (mime_type, name, shown) in [
        ("image/gif", "x.html", "x.gif"),
        ("image/jpeg", "\u{202e}gpj.exe", "gpj.jpg"),
        ("application/pdf", "../../.ssh/authorized_keys", "authorized_keys.pdf"),
        ("application/pdf", "a%2F..%5Cb.pdf", "b.pdf"),
        ("application/pdf", "nul.pdf", "_nul.pdf"),
    ] {
        let (id, path) = file(&service, mime_type, b"bytes").await;
        sqlx::query("UPDATE media SET filename = $2 WHERE id = $1")
            .bind(id.0)
            .bind(name)
            .execute(&service.context.db)
            .await
            .unwrap();
        let answer = service.send(Call::get(&path)).await;
        let expected = format!("attachment; filename*=UTF-8''{shown}");
        assert_eq!(answer.headers["content-disposition"], expected, "{name:?}");
    }
}

#[tokio::test]
async fn an_address_that_was_changed_or_is_unsigned_is_403_even_with_a_key() {
    let service = Service::start().await;
    let (id, path) = file(&service, "image/png", b"png").await;
    let (bare, query) = path.split_once('?').unwrap();
    let other = path.replace(&id.to_string(), &Uuid::nil().to_string());
    let longer = format!("{bare}?{}", query.replacen("expires=1", "expires=2", 1));
    for changed in [bare, &other, &longer, &format!("{bare}?expires=x&signature=y")] {
        assert_eq!(service.get(changed).await.error(), (403, "Forbidden".to_owned()), "{changed}");
    }
}

#[tokio::test]
async fn an_address_expires() {
    let service = Service::start().await;
    let (_, path) = file(&service, "image/png", b"png").await;
    let seven_days = r#"{"seconds":604800}"#;
    service.send(Call::post("/testing/clock/advance", seven_days)).await;
    assert_eq!(service.send(Call::get(&path)).await.status, 200);
    service.send(Call::post("/testing/clock/advance", r#"{"seconds":1}"#)).await;
    assert_eq!(service.send(Call::get(&path)).await.error().0, 403);
}

#[tokio::test]
async fn a_file_that_does_not_exist_is_404() {
    let service = Service::start().await;
    let unknown = path(&service, service.client, MediaId(Uuid::from_u128(7)));
    assert_eq!(service.send(Call::get(&unknown)).await.error().0, 404);
    assert_eq!(service.send(Call::get("/media/nonsense/nonsense")).await.error().0, 404);
}
