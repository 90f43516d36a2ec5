//! Closed sets in the bodies of webhooks.

use api_core::closed_set;
use domain::{
    inbound::UnreadableKind,
    inbox::InboxKind,
    webhook::{DisabledReason, WebhookType},
};

closed_set! {
    /// The webhooks of a configuration.
    pub(crate) WebhookTypeName as "WebhookType" = WebhookType::ALL.map(WebhookType::as_str);
    /// The reason why a webhook is off.
    pub(crate) DisabledReasonName as "WebhookDisabledReason" = DisabledReason::ALL.map(DisabledReason::as_str);
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
