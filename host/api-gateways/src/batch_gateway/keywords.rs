//! The keywords of the calls, for the OpenAPI document: the form of `domain::sms_products::batch::Keywords`.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;

/// The keywords of a batch.
#[derive(ToSchema)]
#[schema(examples(json!({
    "batchref": "sale", "batchid": "1", "message": "Your order is ready.", "cell": "27830000001,27830000002|Thandi",
    "senderid": "PATCHBAY", "rdr": "true",
})))]
pub(super) struct SmsBatchSend {
    /// Name of the batch, at most 80 characters.
    #[schema(nullable = false, max_length = 80)]
    batchref: Option<String>,
    /// Unique within the `batchref`. If it is sent again, the answer is 1034 and nothing is sent.
    #[schema(nullable = false, max_length = 20)]
    batchid: Option<String>,
    /// The text.
    message: String,
    /// Numbers of 10 to 11 digits, separated by commas, each optionally with `|` and an identifier. About 200 numbers.
    cell: String,
    /// The source address. If it is absent, `priority` and one of the two models of replies are needed.
    #[schema(nullable = false)]
    senderid: Option<String>,
    /// `true`: receipts are kept for `deliveryreceiptscheck`.
    #[schema(nullable = false)]
    rdr: Option<String>,
    /// `true` with `repliesperuserid` or `manageownreplies`.
    #[schema(nullable = false)]
    priority: Option<String>,
    /// `true`: replies are kept for `replysmscheck`.
    #[schema(nullable = false)]
    repliesperuserid: Option<String>,
    /// `true`: replies are kept under a `virtualname`.
    #[schema(nullable = false)]
    manageownreplies: Option<String>,
    /// The name for `manageownreplies`.
    #[schema(nullable = false)]
    virtualname: Option<String>,
    /// `true`: parts of 153 characters that phones join. Otherwise separate messages of 156 characters with their
    /// number in the text.
    #[schema(nullable = false)]
    concat: Option<String>,
    /// `true`: Unicode, 70 characters, or 67 in each of several parts.
    #[schema(nullable = false)]
    unicode: Option<String>,
    /// Most parts, 1 to 9. A longer text is cut.
    #[schema(nullable = false)]
    maxparts: Option<String>,
    /// Time of sending, `YYYY-MM-DD hh:mm:ss` in the client's time zone.
    #[schema(nullable = false)]
    futuredatetime: Option<String>,
}

/// The name of a batch.
#[derive(ToSchema)]
#[schema(examples(json!({ "batchref": "sale", "batchid": "1" })))]
pub(super) struct SmsBatchQuery {
    /// The `batchref` of the send.
    batchref: String,
    /// The `batchid` of the send.
    batchid: String,
}

/// A query about the account.
#[derive(ToSchema)]
#[schema(examples(json!({ "version": "1.0", "creditcheck": "true", "charge": "true", "cell": "27830000001" })))]
pub(super) struct SmsServiceQuery {
    /// Part of the protocol.
    #[schema(nullable = false)]
    version: Option<String>,
    /// `true`: returns the remaining credits.
    #[schema(nullable = false)]
    creditcheck: Option<String>,
    /// `true`: returns the cost of `message`, or of one SMS, to the numbers of `cell`.
    #[schema(nullable = false)]
    charge: Option<String>,
    /// The numbers.
    #[schema(nullable = false)]
    cell: Option<String>,
    /// The text.
    #[schema(nullable = false)]
    message: Option<String>,
}
