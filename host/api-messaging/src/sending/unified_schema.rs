//! The JSON of the unified endpoint, for the OpenAPI document: `channel` decides the payload.
#![expect(dead_code, reason = "described, never made")]

use api_core::closed_set;
use domain::channel::Channel;
use utoipa::ToSchema;

use super::{schema::Send, sms_schema::SmsSend};

closed_set! {
    /// WhatsApp.
    WhatsappChannel as "WhatsappChannel" = [Channel::Whatsapp.as_str()];
    /// Text messages.
    SmsChannel as "SmsChannel" = [Channel::Sms.as_str()];
}

/// A send through the unified endpoint.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(
    discriminator(property_name = "channel", mapping(
        ("WHATSAPP" = "#/components/schemas/UnifiedWhatsappSend"),
        ("SMS" = "#/components/schemas/UnifiedSmsSend"),
    )),
    examples(
        json!({
            "channel": "WHATSAPP",
            "payload": {
                "sender": "27820001001",
                "messageType": "NOTIFICATION",
                "templateName": "order_ready",
                "templateId": "594425479261596",
                "messages": [{
                    "recipients": [{"to": "+27830000001", "ctId": "order-42"}],
                    "components": [{"type": "body", "parameters": ["Thandi", "#42"]}],
                }],
                "fallback": {"sendFallback": true},
            },
        }),
        json!({
            "channel": "WHATSAPP",
            "payload": {
                "sender": "27820001001",
                "messageType": "CHAT",
                "messages": [{"recipients": [{"to": "27830000001"}], "messageText": "Your order is on its way."}],
            },
        }),
        json!({
            "channel": "SMS",
            "payload": {
                "messages": [{"recipients": [{"to": "27830000001"}], "messageText": "Your order is on its way."}],
            },
        }),
    ),
)]
pub(super) enum UnifiedSend {
    Whatsapp(UnifiedWhatsappSend),
    Sms(UnifiedSmsSend),
}

/// A WhatsApp message through the unified endpoint.
#[derive(ToSchema)]
pub(super) struct UnifiedWhatsappSend {
    #[schema(value_type = WhatsappChannel, inline)]
    channel: String,
    /// The message.
    payload: Send,
}

/// An SMS through the unified endpoint.
#[derive(ToSchema)]
pub(super) struct UnifiedSmsSend {
    #[schema(value_type = SmsChannel, inline)]
    channel: String,
    /// The message.
    payload: SmsSend,
}
