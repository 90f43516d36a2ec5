//! Rows of the SMS gateways.

use serde_json::json;

use super::{Call, OWN, Others, Row, SENDERS, plain, row, with};

fn form(path: &str, form: &str) -> Call {
    Call {
        path: path.to_owned(),
        content_type: Some("application/x-www-form-urlencoded"),
        body: form.as_bytes().to_vec(),
    }
}

/// In the order of their calls. No client here has credits, so nothing is sent.
pub const ROWS: &[Row] = &[
    row(
        "POST",
        "/sms/json",
        SENDERS,
        |_| with("/sms/json", &json!({ "recipients": [{ "to": "27820000001" }], "messageText": "hello" })),
        OWN,
    ),
    row("GET", "/sms/json", SENDERS, |_| plain("/sms/json?to=27820000001&messageText=hello"), OWN),
    row(
        "POST",
        "/sms/trackingMessageStatus",
        SENDERS,
        |ids| with("/sms/trackingMessageStatus", &json!({ "stid": ids.message, "gstid": ids.other })),
        Others::Unknown(200),
    ),
    row("POST", "/sms/getUnsubscribelist", SENDERS, |_| plain("/sms/getUnsubscribelist"), OWN),
    row("DELETE", "/sms/unsubscribelist/{number}", SENDERS, |_| plain("/sms/unsubscribelist/27820000001"), OWN),
    row("POST", "/sms/getBalance", SENDERS, |_| with("/sms/getBalance", &json!({})), OWN),
    row("POST", "/smsbatch/sms", SENDERS, |_| form("/smsbatch/sms", "message=a&cell=27820000001&senderid=S"), OWN),
    row("GET", "/smsbatch/sms", SENDERS, |_| plain("/smsbatch/sms?message=a&cell=27820000001&senderid=S"), OWN),
    row(
        "POST",
        "/smsbatch/deliveryreceiptscheck",
        SENDERS,
        |_| form("/smsbatch/deliveryreceiptscheck", "batchref=a&batchid=b"),
        OWN,
    ),
    row(
        "GET",
        "/smsbatch/deliveryreceiptscheck",
        SENDERS,
        |_| plain("/smsbatch/deliveryreceiptscheck?batchref=a&batchid=b"),
        OWN,
    ),
    row("POST", "/smsbatch/replysmscheck", SENDERS, |_| form("/smsbatch/replysmscheck", "batchref=a&batchid=b"), OWN),
    row("GET", "/smsbatch/replysmscheck", SENDERS, |_| plain("/smsbatch/replysmscheck?batchref=a&batchid=b"), OWN),
    row("POST", "/smsbatch/servicequery", SENDERS, |_| form("/smsbatch/servicequery", "creditcheck=true"), OWN),
    row("GET", "/smsbatch/servicequery", SENDERS, |_| plain("/smsbatch/servicequery?creditcheck=true"), OWN),
];
