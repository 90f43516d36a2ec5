use serde::{Deserialize, Serialize};

use crate::{
    ids::WebhookConfigId,
    webhook::{DisabledReason, WebhookType},
};

/// A webhook was turned off until its address is saved again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDisabled {
    pub config: WebhookConfigId,
    /// It is the client's default, not the override of the inbox where this was noticed.
    pub is_default: bool,
    pub webhook: WebhookType,
    pub url: String,
    pub reason: DisabledReason,
}
