//! The body of a 202.

use chrono::DateTime;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::*;
use crate::ids::{BatchId, RequestId};

fn receipt(accepted_count: usize) -> SendReceipt {
    SendReceipt {
        batch_id: BatchId::from(Uuid::from_u128(1)),
        request_id: RequestId::from(Uuid::from_u128(2)),
        accepted_at: DateTime::from_timestamp_millis(1_760_000_000_123).unwrap(),
        accepted_count,
        channel: crate::channel::Channel::Whatsapp,
    }
}

#[test]
fn it_has_every_field_of_the_specification() {
    let request = RawValue::from_string(r#"{"sender": "+27110000000" }"#.to_owned()).unwrap();
    let body = serde_json::to_string(&SendResponse::new(receipt(2), &request, [])).unwrap();
    assert!(body.contains(r#""reqObject":{"sender": "+27110000000" }"#), "the echo is byte for byte: {body}");
    assert_eq!(
        serde_json::from_str::<Value>(&body).unwrap(),
        json!({
            "response": "Accepted for processing",
            "batchId": "00000000-0000-0000-0000-000000000001",
            "reqObject": {"sender": "+27110000000"},
            "status": "ACCEPTED",
            "message": "2 recipient(s) accepted",
            "requestId": "00000000-0000-0000-0000-000000000002",
            "channel": "WHATSAPP",
            "timestamp": "2025-10-09T08:53:20.123Z",
            "acceptedCount": 2,
            "rejectedCount": 0,
            "rejectedRecipients": [],
        })
    );
}

#[test]
fn one_rejected_recipient_makes_it_partial() {
    let request = RawValue::from_string("{}".to_owned()).unwrap();
    let rejected = RejectedRecipient { number: "082".to_owned(), reason: RejectionReason::OutsideWindow };
    let body = serde_json::to_value(SendResponse::new(receipt(0), &request, [&rejected])).unwrap();
    assert_eq!(
        (&body["status"], &body["acceptedCount"], &body["rejectedCount"]),
        (&json!("PARTIAL"), &json!(0), &json!(1))
    );
    assert_eq!(body["rejectedRecipients"][0]["number"], json!("082"));
    assert!(body["rejectedRecipients"][0]["reason"].as_str().unwrap().contains("24 hours"));
}
