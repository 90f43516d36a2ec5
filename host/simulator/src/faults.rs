//! Faults that can be switched on: `POST /simulator/faults`.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FaultSwitches {
    pub(crate) duplicate_callbacks: bool,
    pub(crate) reorder_callbacks: bool,
    pub(crate) batch_callbacks: bool,
    /// Milliseconds between an event and the first post of its callback.
    pub(crate) delay_millis: u64,
    /// No `delivered` status: a message goes from `sent` to `read`, as Meta may do (PROVIDERS 0.8).
    pub(crate) skip_delivered: bool,
    pub(crate) hold_answers_millis: u64,
    /// The `sent` callback is posted before the send is answered.
    pub(crate) status_before_answer: bool,
    pub(crate) media_urls: bool,
    pub(crate) messenger_without_mids: bool,
    /// Free-form messages outside the 24-hour window fail with 131047 (PROVIDERS A.13).
    pub(crate) enforce_window: bool,
    pub(crate) enforce_limits: Option<bool>,
    /// Status of new templates. Unset means `APPROVED`.
    pub(crate) new_template_status: Option<String>,
    pub(crate) smsc_throttle: u32,
    pub(crate) smsc_queue_full: u32,
    pub(crate) smsc_rate: Option<u32>,
    pub(crate) smsc_silent: bool,
    pub(crate) smsc_nonsense: u32,
    /// Milliseconds between a `submit_sm_resp` and its receipt. Unset means 50.
    pub(crate) smsc_receipt_delay_millis: Option<u64>,
    /// The receipt is sent before the `submit_sm_resp` (PROVIDERS C.3).
    pub(crate) smsc_receipt_before_response: bool,
    /// State in SMS receipts. Unset means `DELIVRD`, and `NONE` sends no receipt.
    pub(crate) smsc_receipt_state: Option<String>,
    /// `submit_sm_resp` has the message id in hex, the receipt in decimal.
    pub(crate) smsc_hex_ids: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FaultError {
    #[error("there is no fault named \"{0}\"; GET /simulator/faults lists them")]
    Unknown(String),
    #[error("the faults must be a JSON object")]
    NotAnObject,
    #[error("a fault has a wrong value: {0}")]
    Value(#[source] serde_json::Error),
}

impl FaultSwitches {
    pub(crate) fn patch(&self, patch: &serde_json::Value) -> Result<Self, FaultError> {
        let patch = patch.as_object().ok_or(FaultError::NotAnObject)?;
        let mut merged = serde_json::to_value(self).map_err(FaultError::Value)?;
        for (name, value) in patch {
            let slot = merged.get_mut(name).ok_or_else(|| FaultError::Unknown(name.clone()))?;
            *slot = value.clone();
        }
        serde_json::from_value(merged).map_err(FaultError::Value)
    }

    /// True if the rate of a business number is enforced (130429).
    pub(crate) fn limits_numbers(&self) -> bool {
        self.enforce_limits.unwrap_or(true)
    }

    /// True if the rate of a pair of number and phone is enforced (131056).
    pub(crate) fn limits_pairs(&self) -> bool {
        self.enforce_limits.unwrap_or(false)
    }
}
