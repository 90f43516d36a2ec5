//! The body of a 202.

use chrono::DateTime;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::*;
use crate::ids::{BatchId, RequestId};

fn receipt() -> SendReceipt {
    SendReceipt {
        batch_id: BatchId::from(Uuid::from_u128(1)),
        request_id: RequestId::from(Uuid::from_u128(2)),
        accepted_at: DateTime::from_timestamp_millis(1_760_000_000_123).unwrap(),
        channel: crate::channel::Channel::Whatsapp,
    }
}

#[test]
fn it_has_every_field_of_the_specification() {
    let request = RawValue::from_string(r#"{"sender": "+27110000000" }"#.to_owned()).unwrap();
    let accepted = vec![
        NamedRecipient { number: "27830000001", ct_id: Some("order-7"), gst_id: "g1" },
        NamedRecipient { number: "27830000002", ct_id: None, gst_id: "g2" },
    ];
    let body = serde_json::to_string(&SendResponse::new(receipt(), &request, accepted, Vec::new())).unwrap();
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
            "acceptedRecipients": [
                {"number": "27830000001", "ctId": "order-7", "gstId": "g1"},
                {"number": "27830000002", "gstId": "g2"},
            ],
            "rejectedRecipients": [],
        })
    );
}

#[test]
fn one_rejected_recipient_makes_it_partial() {
    let request = RawValue::from_string("{}".to_owned()).unwrap();
    let rejected = RejectedRecipient { number: "082".to_owned(), reason: RejectionReason::OutsideWindow };
    let body = serde_json::to_value(SendResponse::new(receipt(), &request, Vec::new(), vec![&rejected])).unwrap();
    assert_eq!(
        (&body["status"], &body["acceptedCount"], &body["rejectedCount"]),
        (&json!("PARTIAL"), &json!(0), &json!(1))
    );
    assert_eq!(body["rejectedRecipients"][0]["number"], json!("082"));
    assert!(body["rejectedRecipients"][0]["reason"].as_str().unwrap().contains("24 hours"));
}
