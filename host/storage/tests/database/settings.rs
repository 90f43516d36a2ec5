//! Rows that hold for the whole database, and clients.

use domain::chat::FallbackMode;
use storage::{
    inboxes::{self, InboxSettings},
    tenancy::{
        clients::{self, ClientRecord},
        settings,
    },
    violates,
};

use crate::fixtures::{CLIENT, STRANGER, moment, new_client, sms_inbox};

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
    let (parent, child) = (CLIENT, STRANGER);
    clients::insert(db, parent, &new_client(parent, "acme"), moment(0)).await.unwrap();
    let named = ClientRecord { parent: Some(parent), ..new_client(child, "acme-shop") };
    clients::insert(db, child, &named, moment(0)).await.unwrap();
    let stored = clients::get(db, child).await.unwrap().unwrap();
    assert_eq!((stored.parent, stored.time_zone.as_str()), (Some(parent), "UTC"));
    assert_eq!(stored.fallback_mode, FallbackMode::Strict);
    assert_eq!(clients::find_by_ref(db, "acme").await.unwrap(), Some(parent));
    assert!(clients::any(db).await.unwrap());
    let again = ClientRecord { sms_inbox: sms_inbox(child), ..new_client(parent, "acme") };
    let error =
        clients::insert(db, domain::ids::ClientId(uuid::Uuid::from_u128(3)), &again, moment(0)).await.unwrap_err();
    assert!(violates(&error, clients::CLIENT_REF_UNIQUE));
}

#[tokio::test]
async fn a_client_is_made_with_the_inbox_that_takes_its_sms() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    clients::insert(db, CLIENT, &new_client(CLIENT, "acme"), moment(0)).await.unwrap();
    let inbox = inboxes::default_sms(db, CLIENT).await.unwrap().unwrap();
    assert_eq!((inbox.id, inbox.address()), (sms_inbox(CLIENT), None));
    assert!(matches!(&inbox.settings, InboxSettings::Sms(sms) if sms.is_default));
    assert_eq!(inboxes::default_sms(db, STRANGER).await.unwrap(), None);
}
