use channels::{
    http::{GuardedClient, GuardedSettings},
    whatsapp_lite::LiteDevices,
};
use domain::{
    ids::{ClientId, InboxId},
    phone::Msisdn,
};
use uuid::Uuid;

use super::*;
use crate::{NativeDevices, parts::NativeSettings, store::memory_store::MemoryValues};

fn number(inbox: u128) -> LiteNumber {
    LiteNumber {
        client: ClientId(Uuid::from_u128(1)),
        inbox: InboxId(Uuid::from_u128(inbox)),
        msisdn: Msisdn::parse("27820001002").unwrap(),
    }
}

fn devices() -> NativeDevices {
    let settings = NativeSettings {
        values: Arc::new(MemoryValues::default()),
        http: GuardedClient::new(GuardedSettings::default()).unwrap(),
        allow_private: false,
        most_bytes: 1024,
    };
    NativeDevices::new(settings).unwrap()
}

#[tokio::test]
async fn a_number_has_one_device_in_a_process() {
    let devices = devices();
    let (one, again, other) = (devices.device(&number(1)), devices.device(&number(1)), devices.device(&number(2)));
    assert!(Arc::ptr_eq(&one, &again));
    assert!(!Arc::ptr_eq(&one, &other));
    assert!(devices.live_in_the_process());
}

#[tokio::test]
async fn a_device_that_is_not_started_fails_its_sends_with_the_reason() {
    let device = devices().device(&number(1));
    let message = DeviceMessage { id: "3EB0", to: "27820000001", content: DeviceContent::Text("Hi"), quoted: None };
    assert!(matches!(device.send(&message).await, Err(SendFailure::NotSent { .. })));
    assert_eq!(device.account_of("27820000001").await, Err(DeviceFailure::NotConnected));
    assert_eq!(device.mark_read("27820000001", "3A").await, Err(DeviceFailure::NotConnected));
    assert_eq!(device.typing("27820000001").await, Err(DeviceFailure::NotConnected));
    assert_eq!(device.pair_qr().await, Ok(None));
    assert_eq!(device.disconnect().await, Ok(()));
}

#[test]
fn an_account_has_the_spelling_that_whatsapp_names() {
    let phone = |digits: &str| Address::of_kind(AddressKind::Phone, digits);
    let (known, hidden) = (Jid::pn("551187654321"), Jid::lid("100"));
    let asked = "5511987654321";
    assert_eq!(account([&known].into_iter(), asked), phone("551187654321"));
    assert_eq!(account([&hidden, &known].into_iter(), asked), phone("551187654321"));
    assert_eq!(account([&hidden].into_iter(), asked), phone(asked));
}

#[test]
fn a_failed_send_is_tried_again_only_where_that_is_safe() {
    let server = |code| IqError::ServerError { code, text: String::new(), error_type: None, backoff: Some(7) };
    assert!(matches!(not_sent(&SendError::NotLoggedIn), SendFailure::NotSent { .. }));
    assert!(matches!(not_sent(&SendError::Client(ClientError::NotConnected)), SendFailure::NotSent { .. }));
    assert!(matches!(not_sent(&SendError::Iq(server(500))), SendFailure::NotSent { .. }));
    assert!(matches!(not_sent(&SendError::Iq(IqError::Timeout)), SendFailure::NotSent { .. }));
    assert!(matches!(not_sent(&SendError::InvalidRequest(String::new())), SendFailure::Rejected(_)));
    let slow = not_sent(&SendError::Iq(server(429)));
    assert!(matches!(slow, SendFailure::SlowDown { after: Some(after), .. } if after.as_secs() == 7));
    let unknown = SendError::Internal(whatsapp_rust::anyhow::anyhow!("broken"));
    assert!(matches!(not_sent(&unknown), SendFailure::Unknown { .. }));
}
