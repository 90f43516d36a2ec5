//! The parts of SMS legs and the receipts of an SMSC, in a real database.

use std::collections::HashMap;

use domain::{
    delivery::DeliveryState,
    ids::{MessageId, SmsRequestId},
    sms_products::FinalReceipt,
};
use storage::{
    PgConnection,
    sms::{
        accepted_parts::{self, TakenPart},
        directory::{self, ParkedReceipt},
        inbound::{self, InboundSms},
        parts::{self, PartReport, SmsPart},
        products::{
            callbacks::{self, SmsCallback},
            replies, requests,
        },
    },
    work::retention,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, database, moment};

const MESSAGE: MessageId = MessageId(Uuid::from_u128(1));

fn taken_as(smsc_id: &str, part: SmsPart) -> TakenPart {
    TakenPart { part, bind: "bind".to_owned(), smsc_id: smsc_id.to_owned() }
}

/// The parts of one leg that the SMSC has.
async fn submitted(db: &mut PgConnection, ordinal: i16) -> Vec<i16> {
    let leg = (MESSAGE, ordinal);
    parts::find_submitted(db, CLIENT, &[leg]).await.unwrap().remove(&leg).unwrap_or_default()
}

#[tokio::test]
async fn the_parts_of_several_legs_are_read_at_once() {
    let mut db = database().await;
    let part = |ordinal, part| SmsPart { message: MESSAGE, ordinal, part };
    let given = [(part(0, 2), "A"), (part(0, 1), "B"), (part(2, 1), "C")].map(|(part, id)| taken_as(id, part));
    accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap();
    let legs = [(MESSAGE, 0), (MESSAGE, 1), (MESSAGE, 2)];
    let expected = HashMap::from([(legs[0], vec![1, 2]), (legs[2], vec![1])]);
    assert_eq!(parts::find_submitted(&mut db, CLIENT, &legs).await.unwrap(), expected);
    assert!(parts::find_submitted(&mut db, STRANGER, &legs).await.unwrap().is_empty());
}

fn report(part: SmsPart, state: DeliveryState) -> PartReport {
    PartReport { part, state, receipt: None }
}

/// The states of the parts of a leg of the message, sorted.
async fn states(db: &mut PgConnection, ordinal: i16) -> Vec<DeliveryState> {
    let leg = (MESSAGE, ordinal);
    let mut states = parts::states(db, CLIENT, &[leg]).await.unwrap().remove(&leg).unwrap_or_default();
    states.sort();
    states
}

#[tokio::test]
async fn parts_of_two_legs_of_one_message_are_kept_apart() {
    let mut db = database().await;
    let part = |ordinal, part| SmsPart { message: MESSAGE, ordinal, part };
    let given = [(part(0, 1), "A"), (part(0, 2), "B"), (part(1, 1), "C")];
    let given = given.map(|(part, smsc_id)| taken_as(smsc_id, part));
    assert!(accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap().is_empty(), "no receipt came before");
    assert!(accepted_parts::enter(&mut db, CLIENT, &given[..1]).await.unwrap().is_empty(), "a part is entered once");
    assert_eq!(submitted(&mut db, 0).await, [1, 2]);
    assert_eq!(submitted(&mut db, 1).await, [1]);
    let found = directory::find(&mut db, &[("bind", "C"), ("other", "C"), ("bind", "A")]).await.unwrap();
    assert_eq!(
        found,
        [Some((CLIENT, part(1, 1))), None, Some((CLIENT, part(0, 1)))],
        "in the order they are asked for"
    );

    parts::report(&mut db, CLIENT, &[report(part(0, 1), DeliveryState::Delivered)]).await.unwrap();
    parts::report(&mut db, CLIENT, &[report(part(0, 1), DeliveryState::Sent)]).await.unwrap();
    assert_eq!(states(&mut db, 0).await, [DeliveryState::Accepted, DeliveryState::Delivered], "a final state stays");
    assert!(parts::states(&mut db, STRANGER, &[(MESSAGE, 0)]).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_first_final_report_about_a_part_counts() {
    let mut db = database().await;
    let part = |part| SmsPart { message: MESSAGE, ordinal: 0, part };
    let given = [(part(1), "A"), (part(2), "B")].map(|(part, smsc_id)| taken_as(smsc_id, part));
    accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap();
    let reports = [
        report(part(1), DeliveryState::Sent),
        report(part(2), DeliveryState::Sent),
        report(part(1), DeliveryState::Failed),
        report(part(1), DeliveryState::Delivered),
    ];

    parts::report(&mut db, CLIENT, &reports).await.unwrap();

    assert_eq!(states(&mut db, 0).await, [DeliveryState::Sent, DeliveryState::Failed]);
}

#[tokio::test]
async fn a_delivery_overrules_an_unknown_end_only_as_long_as_that_was_not_reported() {
    let mut db = database().await;
    let part = |part| SmsPart { message: MESSAGE, ordinal: 0, part };
    let given = [(part(1), "A"), (part(2), "B"), (part(3), "C")].map(|(part, smsc_id)| taken_as(smsc_id, part));
    accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap();
    let ended = |part, receipt| PartReport { part, state: DeliveryState::Failed, receipt: Some(receipt) };
    let delivered = |part| PartReport { part, state: DeliveryState::Delivered, receipt: Some(FinalReceipt::Delivered) };

    let together = [
        ended(part(1), FinalReceipt::Unknown),
        delivered(part(1)),
        ended(part(2), FinalReceipt::Undelivered),
        delivered(part(2)),
        ended(part(3), FinalReceipt::Unknown),
    ];
    parts::report(&mut db, CLIENT, &together).await.unwrap();
    parts::report(&mut db, CLIENT, &[delivered(part(3))]).await.unwrap();

    let kept: Vec<(String, String)> =
        sqlx::query_as("SELECT state, receipt FROM sms_part ORDER BY part").fetch_all(&mut db).await.unwrap();
    let expected = [("DELIVERED", "DELIVRD"), ("FAILED", "UNDELIV"), ("FAILED", "UNKNOWN")];
    assert_eq!(kept, expected.map(|(state, receipt)| (state.to_owned(), receipt.to_owned())));
}

#[tokio::test]
async fn receipts_that_came_too_early_are_applied_once() {
    let mut db = database().await;
    let receipt = |id: u128, bind, state| ParkedReceipt {
        id: Uuid::from_u128(id),
        about: (bind, "A"),
        state,
        error: None,
        receipt: None,
    };
    let early = [
        receipt(2, "bind", DeliveryState::Delivered),
        receipt(1, "bind", DeliveryState::Sent),
        receipt(3, "other", DeliveryState::Failed),
    ];
    directory::lock(&mut db, &[("bind", "A"), ("other", "A")]).await.unwrap();
    directory::park(&mut db, &early, moment(0)).await.unwrap();
    let part = |part| SmsPart { message: MESSAGE, ordinal: 1, part };
    let given = [taken_as("A", part(1)), taken_as("B", part(2))];

    assert_eq!(accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap(), [(MESSAGE, 1)]);

    let expected = [DeliveryState::Accepted, DeliveryState::Delivered];
    assert_eq!(states(&mut db, 1).await, expected, "the receipt of another bind is not ours");
    assert!(accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap().is_empty(), "a receipt is applied once");
}

#[tokio::test]
async fn the_later_of_two_parts_with_one_smsc_id_gets_the_receipts() {
    let mut db = database().await;
    let part = |part| SmsPart { message: MESSAGE, ordinal: 0, part };
    let given = [taken_as("A", part(1)), taken_as("A", part(2))];

    accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap();

    assert_eq!(submitted(&mut db, 0).await, [1, 2]);
    assert_eq!(directory::find(&mut db, &[("bind", "A")]).await.unwrap(), [Some((CLIENT, part(2)))]);
}

#[tokio::test]
async fn parts_that_an_smsc_takes_without_an_id_are_kept_and_found_by_no_receipt() {
    let mut db = database().await;
    let part = |part| SmsPart { message: MESSAGE, ordinal: 0, part };
    let given = [taken_as("", part(1)), taken_as("", part(2)), taken_as("A", part(3))];

    accepted_parts::enter(&mut db, CLIENT, &given[..2]).await.unwrap();
    accepted_parts::enter(&mut db, CLIENT, &given).await.unwrap();

    assert_eq!(submitted(&mut db, 0).await, [1, 2, 3]);
    let found = directory::find(&mut db, &[("bind", ""), ("bind", "A")]).await.unwrap();
    assert_eq!(found, [None, Some((CLIENT, part(3)))]);
}

#[tokio::test]
async fn an_sms_of_a_subscriber_is_kept() {
    let mut db = database().await;
    let sms =
        InboundSms { id: Uuid::from_u128(1), bind: "bind", sender: "27820000001", receiver: "31500", body: "STOP" };
    inbound::insert(&mut db, &sms, moment(0)).await.unwrap();
    let kept: String = sqlx::query_scalar("SELECT body FROM sms_inbound").fetch_one(&mut db).await.unwrap();
    assert_eq!(kept, "STOP");
}

#[tokio::test]
async fn only_the_last_callback_about_a_message_is_in_flight() {
    let mut db = database().await;
    let lane = Uuid::from_u128(9);
    let told = |form: &str| SmsCallback {
        id: MESSAGE.0,
        lane_id: lane,
        url: "https://a.example/".to_owned(),
        posts: false,
        form: form.to_owned(),
        attempts: 0,
        created_at: moment(0),
    };
    let (sent, delivered) = (told("statusCode=500"), told("statusCode=600"));
    callbacks::insert(&mut db, CLIENT, std::slice::from_ref(&sent)).await.unwrap();
    callbacks::postpone(&mut db, CLIENT, &[(&sent, moment(60))]).await.unwrap();

    callbacks::insert(&mut db, CLIENT, std::slice::from_ref(&delivered)).await.unwrap();

    let due = callbacks::due(&mut db, CLIENT, lane, moment(0), 10).await.unwrap();
    assert_eq!(due.iter().map(|one| (one.form.as_str(), one.attempts)).collect::<Vec<_>>(), [("statusCode=600", 0)]);
    // The end of the earlier attempt of a callback that is not expected any more.
    callbacks::postpone(&mut db, CLIENT, &[(&sent, moment(60))]).await.unwrap();
    callbacks::done(&mut db, CLIENT, &[&sent]).await.unwrap();
    assert_eq!(callbacks::due(&mut db, CLIENT, lane, moment(0), 10).await.unwrap().len(), 1);
    callbacks::hold(&mut db, CLIENT, &[MESSAGE.0]).await.unwrap();
    callbacks::done(&mut db, CLIENT, &[&delivered]).await.unwrap();
    assert!(callbacks::due(&mut db, CLIENT, lane, moment(0), 10).await.unwrap().is_empty());
}

const DIGEST: [u8; 32] = [7; 32];

/// How many messages a request sends now, and which request had sent them before.
async fn sent_by(db: &mut PgConnection, request: SmsRequestId) -> (usize, Option<SmsRequestId>) {
    let (new, before) = requests::send_once(db, CLIENT, &[(DIGEST, request)]).await.unwrap();
    (new.len(), before)
}

#[tokio::test]
async fn an_unsent_message_may_be_sent_again_unless_another_request_has_sent_it() {
    let mut db = database().await;
    let (one, two) = (SmsRequestId(Uuid::from_u128(1)), SmsRequestId(Uuid::from_u128(2)));
    assert_eq!(sent_by(&mut db, one).await, (1, None));
    assert_eq!(sent_by(&mut db, two).await, (0, Some(one)));
    requests::unsend(&mut db, STRANGER, &[(DIGEST.to_vec(), one)]).await.unwrap();
    requests::unsend(&mut db, CLIENT, &[(DIGEST.to_vec(), two)]).await.unwrap();
    assert_eq!(sent_by(&mut db, two).await, (0, Some(one)));
    requests::unsend(&mut db, CLIENT, &[(DIGEST.to_vec(), one)]).await.unwrap();
    assert_eq!(sent_by(&mut db, two).await, (1, None));
}

#[tokio::test]
async fn reply_addresses_are_deleted_by_the_time_of_sending_and_not_of_acceptance() {
    let mut db = database().await;
    replies::correspond_at_last(&mut db, CLIENT, &[("SHOP", "27820000001", MESSAGE)], moment(0)).await.unwrap();
    replies::correspond(&mut db, CLIENT, &[("SHOP", "27820000002", MESSAGE)], moment(0)).await.unwrap();
    replies::correspond_now(&mut db, CLIENT, &[("SHOP", "27820000001", MESSAGE)], moment(100)).await.unwrap();
    for aging in retention::OF_MESSAGES {
        retention::forget(&mut db, aging, moment(100), 10).await.unwrap();
    }
    assert_eq!(replies::find_answered(&mut db, "SHOP", "27820000001").await.unwrap(), Some((CLIENT, MESSAGE)));
    assert_eq!(replies::find_answered(&mut db, "SHOP", "27820000002").await.unwrap(), None);
}

#[tokio::test]
async fn clients_that_wrote_before_the_last_sender_are_known_until_their_messages_are_deleted() {
    let mut db = database().await;
    let sent = |message| [("+SHOP", "27820000001", MessageId(Uuid::from_u128(message)))];
    let others =
        async |db: &mut PgConnection, last| replies::find_others(db, "SHOP", "27820000001", last).await.unwrap();
    replies::correspond(&mut db, CLIENT, &sent(2), moment(0)).await.unwrap();
    assert!(others(&mut db, Some(CLIENT)).await.is_empty());

    // The id of the second client is older, and its row is stored later.
    replies::correspond(&mut db, STRANGER, &sent(1), moment(100)).await.unwrap();
    let last = replies::find_answered(&mut db, "SHOP", "27820000001").await.unwrap();
    assert_eq!(last, Some((STRANGER, MessageId(Uuid::from_u128(1)))));
    assert_eq!(others(&mut db, Some(STRANGER)).await, [(CLIENT, MessageId(Uuid::from_u128(2)))]);

    replies::correspond_now(&mut db, CLIENT, &sent(3), moment(200)).await.unwrap();
    assert_eq!(others(&mut db, Some(CLIENT)).await, [(STRANGER, MessageId(Uuid::from_u128(1)))]);
    replies::correspond_at_last(&mut db, STRANGER, &sent(4), moment(120)).await.unwrap();
    assert_eq!(others(&mut db, Some(CLIENT)).await, [(STRANGER, MessageId(Uuid::from_u128(1)))]);
    for aging in retention::OF_MESSAGES {
        retention::forget(&mut db, aging, moment(150), 10).await.unwrap();
    }
    assert!(others(&mut db, Some(CLIENT)).await.is_empty());
}

#[tokio::test]
async fn a_client_with_a_scheduled_message_stays_known_after_another_client_replaced_it() {
    let mut db = database().await;
    let sent = |message| [("SHOP", "27820000001", MessageId(Uuid::from_u128(message)))];
    replies::correspond(&mut db, CLIENT, &sent(1), moment(0)).await.unwrap();
    replies::correspond_at_last(&mut db, CLIENT, &sent(2), moment(120)).await.unwrap();

    replies::correspond(&mut db, STRANGER, &sent(3), moment(130)).await.unwrap();

    for aging in retention::OF_MESSAGES {
        retention::forget(&mut db, aging, moment(100), 10).await.unwrap();
    }
    let others = replies::find_others(&mut db, "SHOP", "27820000001", Some(STRANGER)).await.unwrap();
    assert_eq!(others, [(CLIENT, MessageId(Uuid::from_u128(1)))]);
}

#[tokio::test]
async fn a_client_with_a_scheduled_message_is_known_next_to_the_last_sender() {
    let mut db = database().await;
    let sent = |subscriber, message| ("SHOP", subscriber, MessageId(Uuid::from_u128(message)));
    let (one, two) = ("27820000001", "27820000002");
    replies::correspond(&mut db, CLIENT, &[sent(one, 1)], moment(0)).await.unwrap();
    replies::correspond_at_last(&mut db, STRANGER, &[sent(one, 2), sent(two, 3)], moment(0)).await.unwrap();
    let answered = |message| Some((STRANGER, MessageId(Uuid::from_u128(message))));
    assert_eq!(replies::find_others(&mut db, "SHOP", one, Some(CLIENT)).await.unwrap(), Vec::from_iter(answered(2)));
    assert_eq!(replies::find_answered(&mut db, "SHOP", one).await.unwrap(), Some((CLIENT, MESSAGE)));
    assert_eq!(replies::find_answered(&mut db, "SHOP", two).await.unwrap(), answered(3));
    assert!(replies::find_others(&mut db, "SHOP", two, Some(STRANGER)).await.unwrap().is_empty());
}
