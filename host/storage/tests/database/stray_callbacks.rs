//! Items of callbacks for sources that no client has.

use domain::{
    ids::CallbackId,
    inbound::{CallbackBody, CallbackItem, CallbackTarget},
};
use serde_json::json;
use storage::{
    PgConnection,
    inbound::stray_callbacks::{self, KEPT_MAX, KEPT_PER_SOURCE, NewStrayCallback},
};
use uuid::Uuid;

use crate::fixtures::{database, moment};

fn number(id: &str) -> CallbackTarget {
    CallbackTarget::PhoneNumberId(id.to_owned())
}

fn stray(id: u128, target: CallbackTarget) -> NewStrayCallback {
    let mut dedupe_hash = [0; 32];
    dedupe_hash[..16].copy_from_slice(&id.to_be_bytes());
    let body = CallbackBody::Account { field: "quality".to_owned(), value: json!({ "n": 7 }) };
    let item = CallbackItem { dedupe_key: format!("key {id}"), target, body };
    NewStrayCallback { id: CallbackId(Uuid::from_u128(id)), dedupe_hash, item }
}

/// Keeps so many new items of a number, and returns the number of those that were kept.
async fn keep(db: &mut PgConnection, source: u32, first: u128, count: i64) -> i64 {
    let last = first + u128::try_from(count).unwrap();
    let id = |item: u128| u128::from(source) * 100_000 + item;
    let items: Vec<NewStrayCallback> =
        (first..last).map(|item| stray(id(item), number(&format!("stray-{source}")))).collect();
    i64::try_from(stray_callbacks::insert(db, &items, moment(0)).await.unwrap()).unwrap()
}

#[tokio::test]
async fn later_items_of_a_full_source_and_of_a_full_table_are_dropped() {
    let mut db = database().await;
    assert_eq!(keep(&mut db, 1, 0, KEPT_PER_SOURCE - 1).await, KEPT_PER_SOURCE - 1);
    assert_eq!(keep(&mut db, 1, 5_000, 3).await, 1);
    for source in 2..10 {
        assert_eq!(keep(&mut db, source, 0, KEPT_PER_SOURCE).await, KEPT_PER_SOURCE);
    }
    assert_eq!(keep(&mut db, 10, 0, KEPT_PER_SOURCE - 1).await, KEPT_PER_SOURCE - 1);
    assert_eq!(keep(&mut db, 11, 0, 2).await, 1, "one more makes {KEPT_MAX}");
    assert_eq!(keep(&mut db, 12, 0, 1).await, 0);
}

#[tokio::test]
async fn an_item_is_kept_once_and_the_first_items_of_a_source_are_removed_in_the_order_of_arrival() {
    let mut db = database().await;
    let items = [3, 1, 2, 1].map(|id| stray(id, number("stray")));
    assert_eq!(stray_callbacks::insert(&mut db, &items, moment(0)).await.unwrap(), 3);
    assert_eq!(stray_callbacks::insert(&mut db, &items[..1], moment(1)).await.unwrap(), 0);
    stray_callbacks::insert(&mut db, &[stray(9, number("other"))], moment(0)).await.unwrap();

    let mut keys = Vec::new();
    for limit in [2, 2, 2] {
        let removed = stray_callbacks::remove_first(&mut db, &number("stray"), limit).await.unwrap();
        keys.push(removed.into_iter().map(|item| item.unwrap().dedupe_key).collect::<Vec<_>>());
    }

    assert_eq!(keys, [vec!["key 1", "key 2"], vec!["key 3"], vec![]]);
}

#[tokio::test]
async fn only_sources_that_a_client_has_now_are_found() {
    let mut db = database().await;
    let (waba, page) = (CallbackTarget::Waba("waba".to_owned()), CallbackTarget::Page("77".to_owned()));
    let targets = [number("pn-10"), number("pn-11"), waba.clone(), page, CallbackTarget::Unknown];
    let items: Vec<NewStrayCallback> = (1..).zip(targets).map(|(id, target)| stray(id, target)).collect();
    assert_eq!(stray_callbacks::insert(&mut db, &items, moment(0)).await.unwrap(), 4, "one names no source");

    let mut found = stray_callbacks::sources_with_an_owner(&mut db).await.unwrap();

    found.sort();
    assert_eq!(found, [number("pn-10"), waba]);
}
