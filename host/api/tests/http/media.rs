//! Files of customers, behind signed addresses.

use base::media::url_for;
use bytes::Bytes;
use channels::media_store::MediaContent;
use domain::ids::{ClientId, MediaId};
use storage::inbound::media::{NewMedia, insert, mark_ready};
use uuid::Uuid;

use super::service::{Call, Service};

/// A file of the service's client, and its address.
async fn file(service: &Service, mime_type: &str, content: &'static [u8]) -> (MediaId, String) {
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
    mark_ready(&mut db, service.client, id, &stored.sha256, i64::try_from(stored.bytes).unwrap()).await.unwrap();
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
    let day = r#"{"seconds":86400}"#;
    service.send(Call::post("/testing/clock/advance", day)).await;
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
