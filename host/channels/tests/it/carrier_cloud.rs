//! The Cloud API as a carrier: places, pace and the reasons for a slower pace.

use std::time::Duration;

use channels::{
    carrier::{Carrier, CarrierInbox, Credentials, OutgoingMessage},
    whatsapp_cloud::{CloudCarrier, CloudLimits},
};
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    inbox::InboxKind,
};
use serde_json::json;

use crate::{
    carriers::{inbox, message, phone, text},
    graph_send_bodies::{accepted, api, number},
    support::{Answer, Server},
};

fn carrier(server: &Server, rate_per_second: u32, in_flight: usize) -> CloudCarrier {
    CloudCarrier::new(api(server), CloudLimits { rate_per_second, in_flight })
}

fn cloud_inbox(which: u128) -> CarrierInbox {
    CarrierInbox { credentials: Credentials::of(number()), ..inbox(which, InboxKind::WhatsappCloud) }
}

#[tokio::test]
async fn a_message_goes_to_the_phone_number_and_else_to_the_user_id() {
    let server = Server::start().await;
    let (carrier, inbox) = (carrier(&server, 80, 8), cloud_inbox(1));
    let (phone, bsuid) = (phone("27820000001"), Address::of_kind(AddressKind::Bsuid, "ZA.1349").unwrap());
    let content = text("Hello");
    for (to, other, field) in [(&phone, None, "to"), (&bsuid, Some(&phone), "to"), (&bsuid, None, "recipient")] {
        server.answer(accepted());
        let outgoing = OutgoingMessage {
            other,
            quoted: Some("wamid.Q"),
            ..OutgoingMessage::new(message(1), "leg", to, &content, &())
        };
        let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
        let taken = carrier.send(&inbox, place, &outgoing).await.unwrap();
        assert_eq!((taken.provider_id.as_deref(), &taken.learned[..]), (Some("wamid.X"), &[phone.clone()][..]));
        let body = server.last().json();
        assert_eq!(
            (&body["biz_opaque_callback_data"], &body["context"]["message_id"]),
            (&json!("leg"), &json!("wamid.Q"))
        );
        assert!(body[field].is_string(), "{body}");
    }
}

#[tokio::test]
async fn no_more_calls_start_than_may_be_in_flight() {
    let server = Server::start().await;
    let (carrier, inbox) = (carrier(&server, 1000, 3), cloud_inbox(1));
    let mut places = carrier.take(&inbox, 100).unwrap();
    assert_eq!(places.len(), 3);
    assert!(carrier.take(&inbox, 100).unwrap().is_empty());
    assert_eq!(carrier.take(&cloud_inbox(2), 100).unwrap().len(), 3, "each number has its own");
    // Paused time moves only if something waits for it.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let waiting = carrier.ready(&inbox);
    places.pop();
    waiting.await;
    assert!(began.elapsed() < Duration::from_millis(100), "a place that is given back ends the wait");
    assert_eq!(carrier.take(&inbox, 100).unwrap().len(), 1);
}

#[tokio::test]
async fn a_returned_place_is_not_lost_for_the_rate() {
    let server = Server::start().await;
    let carrier = carrier(&server, 5, 100);
    let inbox = cloud_inbox(1);
    for _ in 0..20 {
        let places = carrier.take(&inbox, 1).unwrap();
        assert_eq!(places.len(), 1);
    }
    let quick = CarrierInbox { rate_per_second: Some(500), ..cloud_inbox(2) };
    assert_eq!(carrier.take(&quick, 1000).unwrap().len(), 100, "a number's own rate wins");
}

#[tokio::test]
async fn a_number_that_is_too_fast_pauses_and_others_go_on() {
    let server = Server::start().await;
    let (carrier, inbox) = (carrier(&server, 80, 8), cloud_inbox(1));
    let error = |code| Answer::json(429, json!({"error":{"message":"slow down","code":code}}));
    server.answer(error(130_429));
    let (to, content) = (phone("27820000001"), text("Hello"));
    let outgoing = OutgoingMessage { attempt: 2, ..OutgoingMessage::new(message(1), "leg", &to, &content, &()) };
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let failure = carrier.send(&inbox, place, &outgoing).await.unwrap_err();
    let SendFailure::SlowDown { after, .. } = failure else { panic!("{failure:?}") };
    assert_eq!(after, Some(Duration::from_secs(2)), "the second call pauses for two seconds");
    assert!(carrier.take(&inbox, 8).unwrap().is_empty());
    assert!(!carrier.take(&cloud_inbox(2), 8).unwrap().is_empty());
    server.answer(error(131_056));
    let place = carrier.take(&cloud_inbox(2), 1).unwrap().pop().unwrap();
    let limited = carrier.send(&cloud_inbox(2), place, &outgoing).await.unwrap_err();
    assert!(matches!(limited, SendFailure::RecipientLimited(_)));
    assert!(!carrier.take(&cloud_inbox(2), 8).unwrap().is_empty(), "one recipient does not stop the number");
}

#[tokio::test]
async fn the_forty_sixth_message_to_one_recipient_waits() {
    let server = Server::start().await;
    let (carrier, inbox) = (carrier(&server, 80, 8), cloud_inbox(1));
    for _ in 0..45 {
        assert_eq!(carrier.admit(&inbox, &phone("27820000001")), Ok(()));
    }
    assert!(carrier.admit(&inbox, &phone("27820000001")).is_err());
    assert_eq!(carrier.admit(&inbox, &phone("27820000002")), Ok(()));
    assert_eq!(carrier.admit(&cloud_inbox(2), &phone("27820000001")), Ok(()));
}

#[tokio::test]
async fn a_number_without_credentials_is_closed() {
    let server = Server::start().await;
    let closed = carrier(&server, 80, 8).take(&inbox(1, InboxKind::WhatsappCloud), 8).unwrap_err();
    assert!(closed.reason.contains("credentials"));
}
