//! Copies of webhooks for a developer who listens, in a real database.

use domain::webhook::{DisabledReason, WebhookType};
use storage::{
    PgConnection,
    webhooks::{
        configs,
        copies::{self, NewWebhookCopy},
    },
};

use crate::{
    fixtures::{CLIENT, INBOX, STRANGER, database, moment},
    webhooks::{ENDPOINT, STATUS, config, delivery, waiting},
};

/// The types of the endpoints that get events of the client.
async fn routed(db: &mut PgConnection) -> Vec<WebhookType> {
    configs::routes(db, CLIENT, &[INBOX]).await.unwrap().remove(0).endpoints.into_keys().collect()
}

#[tokio::test]
async fn while_a_developer_listens_every_endpoint_gets_events() {
    let mut db = database().await;
    assert_eq!(copies::listen(&mut db, CLIENT).await.unwrap(), None, "there is no configuration");
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    configs::insert(&mut db, STRANGER, &config(2, None, &[])).await.unwrap();
    assert_eq!(copies::listen(&mut db, STRANGER).await.unwrap(), Some(0));
    assert_eq!(routed(&mut db).await, [WebhookType::StatusUpdate], "another client listens");
    assert!(!configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap().is_listened);

    assert_eq!(copies::listen(&mut db, CLIENT).await.unwrap(), Some(0));
    assert_eq!(routed(&mut db).await.len(), WebhookType::ALL.len());
    assert!(configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap().is_listened);
    sqlx::query("UPDATE webhook_endpoint SET listened_until = now()").execute(&mut db).await.unwrap();
    assert_eq!(routed(&mut db).await, [WebhookType::StatusUpdate], "its time is over");
}

#[tokio::test]
async fn a_disabled_endpoint_counts_as_on_while_a_developer_listens() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    configs::disable(&mut db, CLIENT, ENDPOINT, STATUS.1, DisabledReason::Gone, moment(5)).await.unwrap();
    for listens in [false, true] {
        let routes = configs::routes(&mut db, CLIENT, &[INBOX]).await.unwrap();
        assert_eq!(routes[0].disabled.is_empty(), listens);
        copies::listen(&mut db, CLIENT).await.unwrap();
    }
}

#[tokio::test]
async fn copies_are_numbered_in_order_and_a_delivery_is_copied_once() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    copies::listen(&mut db, CLIENT).await.unwrap();
    waiting(&mut db, 3).await;
    let copy = |id| NewWebhookCopy { delivery: delivery(id), body: b"{}" };
    copies::insert(&mut db, CLIENT, ENDPOINT, &[copy(2), copy(1)], moment(0)).await.unwrap();
    copies::insert(&mut db, CLIENT, ENDPOINT, &[copy(2), copy(3)], moment(0)).await.unwrap();
    let found = copies::after(&mut db, CLIENT, 0, 10).await.unwrap();
    let found: Vec<_> = found.iter().map(|copy| (copy.number, copy.delivery)).collect();
    assert_eq!(found, [(Some(1), delivery(2)), (Some(2), delivery(1)), (Some(4), delivery(3))]);
    assert_eq!(copies::after(&mut db, CLIENT, 1, 1).await.unwrap()[0].number, Some(2));
    assert_eq!(copies::listen(&mut db, CLIENT).await.unwrap(), Some(4));
    assert_eq!(copies::after(&mut db, STRANGER, 0, 10).await.unwrap(), []);

    let one = copies::of_delivery(&mut db, CLIENT, delivery(3)).await.unwrap().unwrap();
    assert_eq!((one.number, one.body.as_slice()), (Some(4), b"{}".as_slice()));
    assert_eq!(copies::of_delivery(&mut db, STRANGER, delivery(3)).await.unwrap(), None);
    assert_eq!(copies::of_delivery(&mut db, CLIENT, delivery(9)).await.unwrap(), None);
}
