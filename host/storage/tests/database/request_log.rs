//! The log of requests in a real database.

use domain::{clock::first_id_at, ids::ClientId, page::PageRequest};
use storage::{
    PgConnection,
    tenancy::request_log::{self, RequestFilter, RequestRow},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, database, moment};

/// A request at a second.
fn request(second: i64, path: &str, status: i16) -> RequestRow {
    RequestRow {
        id: Uuid::from_u128(first_id_at(moment(second)).as_u128() + 5),
        user_id: Uuid::from_u128(9),
        key_start: "b8b8".to_owned(),
        method: if status == 200 { "GET" } else { "POST" }.to_owned(),
        path: path.to_owned(),
        status,
        duration_micros: 12_000,
        body: (status >= 400).then(|| "{}".to_owned()),
    }
}

async fn filled() -> PgConnection {
    let mut db = database().await;
    let of = |client: ClientId, rows: Vec<RequestRow>| rows.into_iter().map(move |row| (client, row));
    let own = vec![request(0, "/a/x", 200), request(1, "/a/y", 400), request(2, "/b", 500), request(3, "/a", 200)];
    let rows: Vec<_> = of(CLIENT, own).chain(of(STRANGER, vec![request(4, "/a", 400)])).collect();
    request_log::record(&mut db, &rows).await.unwrap();
    // The answer to a commit may have been lost.
    request_log::record(&mut db, &rows).await.unwrap();
    db
}

/// The seconds of the requests that a filter finds, and the total.
async fn found(db: &mut PgConnection, filter: &RequestFilter, page: PageRequest) -> (Vec<i64>, i64) {
    let (rows, total) = request_log::page(db, CLIENT, filter, page).await.unwrap();
    let second = |row: &RequestRow| domain::clock::minted_at(row.id).timestamp() - moment(0).timestamp();
    (rows.iter().map(second).collect(), total)
}

#[tokio::test]
async fn a_request_comes_back_as_it_was_stored() {
    let mut db = filled().await;
    let all = RequestFilter::period(moment(0), None);
    let (rows, total) = request_log::page(&mut db, CLIENT, &all, PageRequest::first(1)).await.unwrap();
    assert_eq!((rows, total), (vec![request(3, "/a", 200)], 4));
}

#[tokio::test]
async fn each_kind_of_filter_finds_its_requests_newest_first() {
    let mut db = filled().await;
    let all = RequestFilter::period(moment(0), None);
    assert_eq!(found(&mut db, &all, PageRequest::first(10)).await, (vec![3, 2, 1, 0], 4));
    assert_eq!(found(&mut db, &all, PageRequest { page: 1, size: 2 }).await, (vec![1, 0], 4));
    assert_eq!(found(&mut db, &all, PageRequest { page: 2_000, size: 10 }).await, (vec![], 4));
    assert_eq!(
        found(&mut db, &RequestFilter::period(moment(1), Some(moment(3))), PageRequest::first(10)).await,
        (vec![2, 1], 2)
    );
    let failed = RequestFilter { statuses: (400, 599), ..all.clone() };
    assert_eq!(found(&mut db, &failed, PageRequest::first(10)).await, (vec![2, 1], 2));
    let under = RequestFilter { path: "/a/".to_owned(), ..all.clone() };
    assert_eq!(found(&mut db, &under, PageRequest::first(10)).await, (vec![1, 0], 2));
    assert_eq!(
        found(&mut db, &RequestFilter { statuses: (400, 499), ..under }, PageRequest::first(10)).await,
        (vec![1], 1)
    );
    let posted = RequestFilter { method: Some("POST".to_owned()), ..all };
    assert_eq!(found(&mut db, &posted, PageRequest::first(10)).await, (vec![2, 1], 2));
}

#[tokio::test]
async fn a_prefix_is_text_and_not_a_pattern() {
    let mut db = filled().await;
    for (path, count) in [("/a%", 0), ("/_", 0), ("/", 4), ("/a", 3)] {
        let filter = RequestFilter { path: path.to_owned(), ..RequestFilter::period(moment(0), None) };
        assert_eq!(found(&mut db, &filter, PageRequest::first(10)).await.1, count, "{path}");
    }
}
