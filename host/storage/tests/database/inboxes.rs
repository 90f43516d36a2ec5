//! Business numbers, their directories and the template catalogue.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{ClientId, InboxId},
    template::TemplateRecord,
};
use serde_json::json;
use sqlx::PgConnection;
use storage::{
    clients::{self, NewClient},
    numbers::{self, Number, Provider},
    templates, violates,
};
use uuid::Uuid;

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_760_000_000_000).unwrap()
}

async fn client(db: &mut PgConnection, id: u128, client_ref: &str) -> ClientId {
    let client = ClientId(Uuid::from_u128(id));
    let new = NewClient { client_ref, display_name: client_ref, parent: None, allow_private_targets: false };
    clients::insert(db, client, &new, moment()).await.unwrap();
    client
}

fn number(id: u128, msisdn: &str, phone_number_id: &str) -> Number {
    Number {
        id: InboxId(Uuid::from_u128(id)),
        link_id: Uuid::from_u128(id + 1000),
        msisdn: msisdn.to_owned(),
        provider: Provider::Cloud,
        phone_number_id: Some(phone_number_id.to_owned()),
        waba_id: Some("waba".to_owned()),
        access_token_sealed: Some(vec![1]),
        app_secret_sealed: None,
        rate_per_second: Some(20),
    }
}

fn template(id: &str, name: &str, status: &str) -> TemplateRecord {
    TemplateRecord {
        id: id.to_owned(),
        waba_id: "waba".to_owned(),
        name: name.to_owned(),
        language: "en".to_owned(),
        status: status.to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: json!([{"type": "BODY", "text": "Hi {{1}}"}]),
    }
}

#[tokio::test]
async fn a_number_is_found_by_id_msisdn_account_and_phone_number_id() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    let stored = number(7, "27820001001", "pn-1");
    numbers::insert(db, owner, &stored, moment()).await.unwrap();

    assert_eq!(numbers::by_id(db, owner, stored.id).await.unwrap(), Some(stored.clone()));
    let wanted = ["27820001001".to_owned(), "27820009999".to_owned()];
    assert_eq!(numbers::by_msisdns(db, owner, &wanted).await.unwrap(), std::slice::from_ref(&stored));
    assert_eq!(numbers::by_waba(db, owner, "waba").await.unwrap(), std::slice::from_ref(&stored));
    assert_eq!(numbers::find_by_phone_number_id(db, "pn-1").await.unwrap(), Some((owner, stored.id)));
    assert_eq!(numbers::find_by_phone_number_id(db, "pn-2").await.unwrap(), None);
    assert_eq!(numbers::clients_of_waba(db, "waba").await.unwrap(), [owner]);
}

#[tokio::test]
async fn another_clients_number_is_not_found() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    let other = client(db, 2, "other").await;
    let stored = number(7, "27820001001", "pn-1");
    numbers::insert(db, owner, &stored, moment()).await.unwrap();
    assert_eq!(numbers::by_id(db, other, stored.id).await.unwrap(), None);
    assert_eq!(numbers::by_msisdns(db, other, &["27820001001".to_owned()]).await.unwrap(), []);
    assert_eq!(numbers::page(db, other, "", 10, 0).await.unwrap(), (vec![], 0));
}

#[tokio::test]
async fn a_phone_number_id_belongs_to_one_number_of_all_clients() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    let other = client(db, 2, "other").await;
    numbers::insert(db, owner, &number(7, "27820001001", "pn-1"), moment()).await.unwrap();
    let error = numbers::insert(db, other, &number(8, "27820001002", "pn-1"), moment()).await.unwrap_err();
    assert!(violates(&error, numbers::PHONE_NUMBER_ID_UNIQUE), "{error:?}");
    let error = numbers::insert(db, owner, &number(9, "27820001001", "pn-3"), moment()).await.unwrap_err();
    assert!(violates(&error, numbers::MSISDN_UNIQUE), "{error:?}");
}

#[tokio::test]
async fn pages_are_ordered_by_number_and_count_what_matches() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    for (id, msisdn) in [(3, "27820001003"), (1, "27820001001"), (2, "27830001002")] {
        numbers::insert(db, owner, &number(id, msisdn, &format!("pn-{id}")), moment()).await.unwrap();
    }
    let (page, total) = numbers::page(db, owner, "2782", 1, 1).await.unwrap();
    assert_eq!(total, 2);
    assert_eq!(page.iter().map(|number| number.msisdn.as_str()).collect::<Vec<_>>(), ["27820001003"]);
    // A percent sign is text, not a pattern.
    assert_eq!(numbers::page(db, owner, "%", 10, 0).await.unwrap().1, 0);
}

#[tokio::test]
async fn only_numbers_with_a_secret_of_their_own_are_listed_with_it() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    numbers::insert(db, owner, &number(1, "27820001001", "pn-1"), moment()).await.unwrap();
    let with_secret = Number { app_secret_sealed: Some(vec![9]), ..number(2, "27820001002", "pn-2") };
    numbers::insert(db, owner, &with_secret, moment()).await.unwrap();
    let ids = ["pn-1".to_owned(), "pn-2".to_owned()];
    let by_number = numbers::own_app_secrets(db, &ids, &[]).await.unwrap();
    let by_waba = numbers::own_app_secrets(db, &[], &["waba".to_owned()]).await.unwrap();
    for found in [by_number, by_waba] {
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].phone_number_id.as_str(), found[0].sealed.as_slice()), ("pn-2", [9].as_slice()));
    }
}

#[tokio::test]
async fn a_fetched_catalogue_replaces_the_cached_one_as_a_whole() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    numbers::insert(db, owner, &number(1, "27820001001", "pn-1"), moment()).await.unwrap();
    let later = moment() + TimeDelta::hours(1);
    let first = [template("1", "order_ready", "PENDING"), template("2", "goodbye", "APPROVED")];
    templates::replace_all(db, owner, "waba", &first, moment(), later).await.unwrap();
    let second = [template("1", "order_ready", "APPROVED"), template("3", "hello", "APPROVED")];
    templates::replace_all(db, owner, "waba", &second, later, later).await.unwrap();

    let (page, total) = templates::page(db, owner, "", 10, 0).await.unwrap();
    let names: Vec<&str> = page.iter().map(|row| row.record.name.as_str()).collect();
    assert_eq!((names.as_slice(), total), (["hello", "order_ready"].as_slice(), 2));
    let key = |waba: &str, id: &str| (waba.to_owned(), id.to_owned());
    let found = templates::by_ids(db, owner, &[key("waba", "1"), key("waba", "2"), key("other", "3")]).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].record, found[0].synced_at), (&second[0], later));
    templates::replace_all(db, owner, "waba", &[], later, later).await.unwrap();
    assert_eq!(templates::page(db, owner, "", 10, 0).await.unwrap().1, 0);
}

#[tokio::test]
async fn a_catalogue_that_is_due_is_taken_once() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let owner = client(db, 1, "owner").await;
    numbers::insert(db, owner, &number(1, "27820001001", "pn-1"), moment()).await.unwrap();
    let waba = "waba";
    assert_eq!(templates::wabas(db, owner).await.unwrap(), [waba]);
    assert_eq!(templates::due(db, moment(), 10).await.unwrap(), [(owner, waba.to_owned())]);
    let retry_at = moment() + TimeDelta::minutes(5);
    assert!(templates::claim_due(db, owner, waba, moment(), retry_at).await.unwrap());
    assert!(!templates::claim_due(db, owner, waba, moment(), retry_at).await.unwrap());
    assert_eq!(templates::due(db, moment(), 10).await.unwrap(), []);
    templates::request_refresh(db, owner, waba, moment()).await.unwrap();
    assert_eq!(templates::due(db, moment(), 10).await.unwrap().len(), 1);
}
