//! The ledger of SMS credits.

use domain::ids::{MessageId, SmsRequestId};
use storage::{PgConnection, Result, tenancy::credits};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, database, moment};

fn id(at: u128) -> Uuid {
    Uuid::from_u128(at)
}

/// Charges one request.
async fn charge(db: &mut PgConnection, row: Uuid, units: i64) -> Result<bool> {
    let charge = credits::Charge { id: row, units, request: SmsRequestId(id(100)) };
    credits::charge(db, CLIENT, &[charge], moment(0)).await
}

async fn sum(db: &mut PgConnection) -> i64 {
    let statement = "SELECT COALESCE(sum(amount), 0)::bigint FROM credit_entry WHERE client_id = $1";
    sqlx::query_scalar(statement).bind(CLIENT.0).fetch_one(db).await.unwrap()
}

#[tokio::test]
async fn the_balance_is_the_sum_of_the_rows_and_each_client_has_its_own() {
    let mut db = database().await;
    assert_eq!(credits::balance(&mut db, CLIENT).await.unwrap(), 0);
    assert_eq!(credits::top_up(&mut db, CLIENT, id(1), 10, moment(0)).await.unwrap(), 10);
    assert_eq!(credits::top_up(&mut db, CLIENT, id(2), 5, moment(0)).await.unwrap(), 15);
    assert!(charge(&mut db, id(3), 4).await.unwrap());
    assert_eq!((credits::balance(&mut db, CLIENT).await.unwrap(), sum(&mut db).await), (11, 11));
    assert_eq!(credits::balance(&mut db, STRANGER).await.unwrap(), 0);
}

#[tokio::test]
async fn an_amount_beyond_the_balance_is_not_charged() {
    let mut db = database().await;
    assert!(!charge(&mut db, id(1), 1).await.unwrap(), "there never were any");
    credits::top_up(&mut db, CLIENT, id(2), 3, moment(0)).await.unwrap();
    assert!(!charge(&mut db, id(3), 4).await.unwrap());
    assert!(charge(&mut db, id(4), 3).await.unwrap());
    assert_eq!((credits::balance(&mut db, CLIENT).await.unwrap(), sum(&mut db).await), (0, 0));
}

#[tokio::test]
async fn a_message_is_refunded_once_however_often_it_is_asked_for() {
    let mut db = database().await;
    let (one, two) = (MessageId(id(50)), MessageId(id(51)));
    credits::refund(&mut db, CLIENT, &[(id(1), one, 2)], moment(0)).await.unwrap();
    credits::refund(&mut db, CLIENT, &[(id(2), one, 2), (id(3), two, 3)], moment(1)).await.unwrap();
    assert_eq!((credits::balance(&mut db, CLIENT).await.unwrap(), sum(&mut db).await), (5, 5));
}

#[tokio::test]
async fn metering_takes_the_available_credits_and_records_the_full_price() {
    let mut db = database().await;
    credits::meter(&mut db, CLIENT, &[(id(1), MessageId(id(50)), 2)], moment(0)).await.unwrap();
    assert_eq!(credits::balance(&mut db, CLIENT).await.unwrap(), 0);
    credits::top_up(&mut db, CLIENT, id(2), 3, moment(0)).await.unwrap();
    for entry in [3, 4] {
        credits::meter(&mut db, CLIENT, &[(id(entry), MessageId(id(51)), 2)], moment(0)).await.unwrap();
    }
    assert_eq!(credits::balance(&mut db, CLIENT).await.unwrap(), 1, "each message once");
    let two = [(id(5), MessageId(id(52)), 2), (id(6), MessageId(id(53)), 2)];
    credits::meter(&mut db, CLIENT, &two, moment(0)).await.unwrap();
    assert_eq!((credits::balance(&mut db, CLIENT).await.unwrap(), sum(&mut db).await), (0, 0));
    let statement = "SELECT sum(units)::bigint FROM credit_entry WHERE client_id = $1 AND reason = 'FALLBACK'";
    let worth: i64 = sqlx::query_scalar(statement).bind(CLIENT.0).fetch_one(&mut db).await.unwrap();
    assert_eq!(worth, 8);
}

#[tokio::test]
async fn the_longest_prefix_decides_the_price_of_a_segment() {
    let mut db = database().await;
    credits::set_price(&mut db, CLIENT, "1", 2).await.unwrap();
    credits::set_price(&mut db, CLIENT, "1242", 7).await.unwrap();
    credits::set_price(&mut db, CLIENT, "44", 3).await.unwrap();
    credits::set_price(&mut db, CLIENT, "44", 4).await.unwrap();
    let numbers = ["27821234567", "12025550123", "12425550123", "4520123456", "44201234567"];
    assert_eq!(credits::prices(&mut db, CLIENT, &numbers).await.unwrap(), [1, 2, 7, 1, 4]);
    assert_eq!(credits::prices(&mut db, STRANGER, &numbers).await.unwrap(), [1; 5]);
}
