//! Closed sets in the bodies of the SMS gateways and of unreadable callbacks.

use api_core::closed_set;
use domain::{
    inbound::UnreadableKind,
    inbox::InboxKind,
    sms_products::{
        FinalReceipt,
        GatewayStatus::{self, Accepted, Delivered, Failed, NoCredits, QueuedAtMno, SendAgain, Sent, TrackedTooOften},
        NOT_AVAILABLE,
    },
};

closed_set! {
    /// `100`: accepted. `402`: the balance is too small. `502`: use the other gateway.
    pub(crate) SendStatusCode as "GatewaySendStatus" = [Accepted, NoCredits, SendAgain].map(GatewayStatus::code);
    /// `100`: done. `228`: too many queries.
    pub(crate) TrackingStatusCode as "GatewayTrackingStatus" = [Accepted, TrackedTooOften].map(GatewayStatus::code);
    /// `100`: waiting. `500`: sent. `501`: queued at the network. `600`: delivered. `620`: failed.
    pub(crate) MessageStatusCode as "GatewayMessageStatus" =
        [Accepted, Sent, QueuedAtMno, Delivered, Failed].map(GatewayStatus::code);
    /// The final state of an SMS. `NOTAVAIL`: it is overdue.
    pub(crate) BatchReceiptStatus as "BatchReceiptStatus" =
        FinalReceipt::ALL.map(FinalReceipt::as_str).into_iter().chain([NOT_AVAILABLE]);
    /// The providers whose callbacks can have unreadable items.
    pub(crate) ProviderName as "CallbackProvider" = [
        InboxKind::WhatsappCloud,
        InboxKind::WhatsappLite,
        InboxKind::Messenger,
        InboxKind::Telegram,
    ]
    .map(InboxKind::as_str);
    /// The part of a callback.
    pub(crate) UnreadableKindName as "FailedCallbackKind" = UnreadableKind::ALL.map(UnreadableKind::as_str);
}
