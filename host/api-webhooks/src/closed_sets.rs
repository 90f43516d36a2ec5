//! Closed sets in the bodies of webhooks.

use api_core::closed_set;
use domain::webhook::{DisabledReason, WebhookType};

closed_set! {
    /// The webhooks of a configuration.
    pub(crate) WebhookTypeName as "WebhookType" = WebhookType::ALL.map(WebhookType::as_str);
    /// The reason why a webhook is off.
    pub(crate) DisabledReasonName as "WebhookDisabledReason" = DisabledReason::ALL.map(DisabledReason::as_str);
}
