//! The parts of SMS legs and the receipts of an SMSC, in a real database.

use domain::{delivery::DeliveryState, ids::MessageId};
use storage::sms::{
    directory::{self, ParkedReceipt},
    inbound::{self, InboundSms},
    parts::{self, SmsPart},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, database, moment};

const MESSAGE: MessageId = MessageId(Uuid::from_u128(1));

#[tokio::test]
async fn parts_of_two_legs_of_one_message_are_kept_apart() {
    let mut db = database().await;
    let part = |ordinal, part| SmsPart { message: MESSAGE, ordinal, part };
    let given = [(part(0, 1), "A"), (part(0, 2), "B"), (part(1, 1), "C")];
    for (part, smsc_id) in given {
        parts::insert(&mut db, CLIENT, part, "bind", smsc_id).await.unwrap();
    }
    assert_eq!(parts::submitted(&mut db, CLIENT, (MESSAGE, 0)).await.unwrap(), [1, 2]);
    assert_eq!(parts::submitted(&mut db, CLIENT, (MESSAGE, 1)).await.unwrap(), [1]);
    assert_eq!(directory::find(&mut db, "bind", "C").await.unwrap(), Some((CLIENT, part(1, 1))));
    assert_eq!(directory::find(&mut db, "other", "C").await.unwrap(), None);

    parts::set_state(&mut db, CLIENT, part(0, 1), DeliveryState::Delivered).await.unwrap();
    parts::set_state(&mut db, CLIENT, part(0, 1), DeliveryState::Sent).await.unwrap();
    let mut states = parts::states(&mut db, CLIENT, (MESSAGE, 0)).await.unwrap();
    states.sort();
    assert_eq!(states, [DeliveryState::Accepted, DeliveryState::Delivered], "a final state stays");
    assert!(parts::states(&mut db, STRANGER, (MESSAGE, 0)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_receipt_that_came_too_early_is_taken_once() {
    let mut db = database().await;
    directory::lock_smsc_id(&mut db, "bind", "A").await.unwrap();
    let receipt = |id: u128, state| ParkedReceipt { id: Uuid::from_u128(id), state, error: None };
    let (late, early) = (receipt(2, DeliveryState::Delivered), receipt(1, DeliveryState::Sent));
    for receipt in [&late, &early] {
        directory::park(&mut db, ("bind", "A"), receipt, moment(0)).await.unwrap();
    }
    assert_eq!(directory::take_parked(&mut db, "bind", "A").await.unwrap(), [early, late]);
    assert!(directory::take_parked(&mut db, "bind", "A").await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_subscriber_sent_is_kept() {
    let mut db = database().await;
    let sms =
        InboundSms { id: Uuid::from_u128(1), bind: "bind", sender: "27820000001", receiver: "31500", body: "STOP" };
    inbound::insert(&mut db, &sms, moment(0)).await.unwrap();
    let kept: String = sqlx::query_scalar("SELECT body FROM sms_inbound").fetch_one(&mut db).await.unwrap();
    assert_eq!(kept, "STOP");
}
