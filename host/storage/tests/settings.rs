//! Rows that hold for the whole database, and clients.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use storage::{
    clients::{self, FallbackMode, NewClient},
    settings, violates,
};
use uuid::Uuid;

#[tokio::test]
async fn the_testing_clock_adds_up() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    assert_eq!(settings::testing_clock_offset(db).await.unwrap(), 0);
    assert_eq!(settings::advance_testing_clock(db, 60).await.unwrap(), 60);
    assert_eq!(settings::advance_testing_clock(db, 5).await.unwrap(), 65);
    assert_eq!(settings::testing_clock_offset(db).await.unwrap(), 65);
}

#[tokio::test]
async fn the_first_master_key_check_stays() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    assert_eq!(settings::master_key_check(db).await.unwrap(), None);
    settings::init_master_key_check(db, b"first").await.unwrap();
    settings::init_master_key_check(db, b"second").await.unwrap();
    assert_eq!(settings::master_key_check(db).await.unwrap().as_deref(), Some(b"first".as_slice()));
}

#[tokio::test]
async fn a_client_has_the_defaults_of_the_schema_and_a_name_of_its_own() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    assert!(!clients::any(db).await.unwrap());
    let now: DateTime<Utc> = DateTime::from_timestamp_millis(1_760_000_000_000).unwrap();
    let (parent, child) = (ClientId(Uuid::from_u128(1)), ClientId(Uuid::from_u128(2)));
    let new = NewClient { client_ref: "acme", display_name: "Acme", parent: None, allow_private_targets: true };
    clients::insert(db, parent, &new, now).await.unwrap();
    let named = NewClient { client_ref: "acme-shop", parent: Some(parent), ..new.clone() };
    clients::insert(db, child, &named, now).await.unwrap();
    let stored = clients::get(db, child).await.unwrap().unwrap();
    assert_eq!((stored.parent, stored.time_zone.as_str()), (Some(parent), "UTC"));
    assert_eq!((stored.fallback_mode, stored.sms_source), (FallbackMode::Strict, None));
    assert_eq!(clients::find_by_ref(db, "acme").await.unwrap(), Some(parent));
    assert!(clients::any(db).await.unwrap());
    let error = clients::insert(db, ClientId(Uuid::from_u128(3)), &new, now).await.unwrap_err();
    assert!(violates(&error, clients::CLIENT_REF_UNIQUE));
}
