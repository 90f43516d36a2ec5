#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;

/// One recipient: `to` or, if it is absent, `customerUserId`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendRecipient {
    /// Phone number in international format, with or without `+`.
    #[schema(examples("+27830000001"))]
    pub(super) to: Option<String>,
    /// The id that WhatsApp gives the customer (BSUID): country code, a dot, digits.
    #[schema(examples("ZA.1234567890"))]
    pub(super) customer_user_id: Option<String>,
    /// The client's own id of the message. Webhooks carry it.
    #[schema(max_length = 255)]
    pub(super) ct_id: Option<String>,
    /// A system tracking id that the client supplies.
    #[schema(max_length = 255)]
    pub(super) gst_id: Option<String>,
}
