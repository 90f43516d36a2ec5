//! The XML of the answers, for the OpenAPI document. `docs/batch-sms.xsd` is the XML Schema.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;

use crate::closed_sets::BatchReceiptStatus;

/// An answer of the batch gateway: the element `response`. `/docs/batch-sms.xsd` is the XML Schema.
#[derive(ToSchema)]
#[schema(
    xml(name = "response", namespace = "urn:patchbay:batch-sms"),
    examples(json!({
        "result": { "status": { "code": 0 }, "completiontime": "2026-01-31T08:15:30.123Z" },
        "batchsend": {
            "batch": { "batchref": "sale", "batchid": "1" },
            "totalnumbers": 2,
            "correctnumbers": 2,
        },
    })),
)]
pub(super) struct BatchResponse {
    result: BatchResult,
    /// The answer to a send.
    #[schema(nullable = false)]
    batchsend: Option<BatchSend>,
    /// For a batch that was sent before (status code 1034): the first answer.
    #[schema(nullable = false)]
    previousxml: Option<PreviousBatchAnswer>,
    #[schema(nullable = false)]
    deliveryreceipts: Option<BatchReceipts>,
    #[schema(nullable = false)]
    replies: Option<BatchReplies>,
    #[schema(nullable = false)]
    servicequery: Option<BatchService>,
    /// A note on the use of the call.
    #[schema(nullable = false)]
    notice: Option<String>,
}

/// The result of a call.
#[derive(ToSchema)]
struct BatchResult {
    status: BatchStatus,
    /// Time of the answer.
    #[schema(format = DateTime)]
    completiontime: String,
}

/// The status. The text of the element explains the code.
#[derive(ToSchema)]
struct BatchStatus {
    /// `0`: success. `1`: some numbers are wrong. From 1000: an error.
    #[schema(xml(attribute), maximum = 3999, minimum = 0)]
    code: u16,
}

/// The name of a batch.
#[derive(ToSchema)]
struct BatchName {
    #[schema(max_length = 80)]
    batchref: String,
    #[schema(max_length = 20)]
    batchid: String,
}

/// A batch that was sent.
#[derive(ToSchema)]
struct BatchSend {
    batch: BatchName,
    /// Number of given numbers.
    totalnumbers: u32,
    /// Number of valid numbers.
    correctnumbers: u32,
}

/// An earlier answer.
#[derive(ToSchema)]
struct PreviousBatchAnswer {
    #[schema(no_recursion)]
    response: Box<BatchResponse>,
}

/// The receipts of a batch.
#[derive(ToSchema)]
struct BatchReceipts {
    batch: BatchName,
    #[schema(nullable = false)]
    receipt: Option<Vec<BatchReceipt>>,
}

/// The final state of a message.
#[derive(ToSchema)]
struct BatchReceipt {
    /// The number of the subscriber.
    cell: String,
    /// The client's name of the subscriber.
    #[schema(nullable = false)]
    identifier: Option<String>,
    #[schema(value_type = BatchReceiptStatus)]
    status: String,
    #[schema(format = DateTime)]
    time: String,
}

/// The replies to a batch.
#[derive(ToSchema)]
struct BatchReplies {
    batch: BatchName,
    #[schema(nullable = false)]
    reply: Option<Vec<BatchReply>>,
}

/// A reply of a subscriber.
#[derive(ToSchema)]
struct BatchReply {
    /// The number of the subscriber.
    cell: String,
    /// The client's name of the subscriber.
    #[schema(nullable = false)]
    identifier: Option<String>,
    /// The text.
    message: String,
    #[schema(format = DateTime)]
    time: String,
}

/// The answer to a query about the account.
#[derive(ToSchema)]
struct BatchService {
    version: String,
    /// The remaining credits.
    #[schema(nullable = false)]
    credits: Option<i64>,
    #[schema(nullable = false)]
    charge: Option<BatchCharge>,
}

/// The cost of a batch.
#[derive(ToSchema)]
struct BatchCharge {
    totalnumbers: u32,
    correctnumbers: u32,
    /// The cost.
    credits: u64,
}
