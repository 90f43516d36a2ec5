//! What can be made to go wrong in the outside world: `POST /simulator/faults`.

use serde::{Deserialize, Serialize};

/// Switches that are in force until changed or reset. A request names only those it changes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Faults {
    /// Every callback is posted twice, byte for byte.
    pub(crate) duplicate_callbacks: bool,
    /// Callbacks of one phone are collected for a moment and posted last first.
    pub(crate) reorder_callbacks: bool,
    /// Callbacks are collected for a moment and posted many to a body.
    pub(crate) batch_callbacks: bool,
    /// Milliseconds between an event and the first post of its callback.
    pub(crate) delay_millis: u64,
    /// No `delivered` status: a message goes from `sent` to `read`, as Meta may do (PROVIDERS 0.8).
    pub(crate) skip_delivered: bool,
    /// Milliseconds a send waits for its answer; the message goes out at once.
    pub(crate) hold_answers_millis: u64,
    /// The `sent` callback is posted before the send is answered.
    pub(crate) status_before_answer: bool,
    /// Callback media objects carry a `url`, as Meta began to do in November 2025 (PROVIDERS A.6).
    pub(crate) media_urls: bool,
    /// Delivery reports of Messenger name a moment only, and no messages (PROVIDERS B).
    pub(crate) messenger_without_mids: bool,
    /// Free-form messages outside the 24-hour window fail with 131047 (PROVIDERS A.13).
    pub(crate) enforce_window: bool,
    /// `true` enforces the rate of a number and of a pair, `false` neither; unset only that of a number.
    pub(crate) enforce_limits: Option<bool>,
    /// Status given to templates that are created; unset means `APPROVED`.
    pub(crate) new_template_status: Option<String>,
    /// So many of the next `submit_sm` are answered ESME_RTHROTTLED.
    pub(crate) smsc_throttle: u32,
    /// So many of the next `submit_sm` are answered ESME_RMSGQFUL.
    pub(crate) smsc_queue_full: u32,
    /// `submit_sm` that a session may make in a second; more are answered ESME_RTHROTTLED.
    pub(crate) smsc_rate: Option<u32>,
    /// `submit_sm` are taken and never answered.
    pub(crate) smsc_silent: bool,
    /// So many of the next `submit_sm` are answered with octets that are no SMPP, and are not taken.
    pub(crate) smsc_nonsense: u32,
    /// Milliseconds between a `submit_sm_resp` and its receipt; 50 when unset.
    pub(crate) smsc_receipt_delay_millis: Option<u64>,
    /// The receipt is sent before the `submit_sm_resp` (PROVIDERS C.3).
    pub(crate) smsc_receipt_before_response: bool,
    /// State of SMS receipts: `DELIVRD` when unset; `NONE` sends no receipt.
    pub(crate) smsc_receipt_state: Option<String>,
    /// `submit_sm_resp` answers the message id in hex, the receipt carries it in decimal.
    pub(crate) smsc_hex_ids: bool,
}

/// A request named a switch that does not exist or gave it a wrong value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FaultError {
    #[error("there is no fault named \"{0}\"; GET /simulator/faults lists them")]
    Unknown(String),
    #[error("the faults must be a JSON object")]
    NotAnObject,
    #[error("a fault has a wrong value: {0}")]
    Value(#[source] serde_json::Error),
}

impl Faults {
    /// These faults with the switches named in `patch` changed.
    pub(crate) fn patched(&self, patch: &serde_json::Value) -> Result<Self, FaultError> {
        let patch = patch.as_object().ok_or(FaultError::NotAnObject)?;
        let mut merged = serde_json::to_value(self).map_err(FaultError::Value)?;
        for (name, value) in patch {
            let slot = merged.get_mut(name).ok_or_else(|| FaultError::Unknown(name.clone()))?;
            *slot = value.clone();
        }
        serde_json::from_value(merged).map_err(FaultError::Value)
    }

    /// Whether the rate of a business number is enforced (130429).
    pub(crate) fn limits_numbers(&self) -> bool {
        self.enforce_limits.unwrap_or(true)
    }

    /// Whether the rate of a (number, phone) pair is enforced (131056).
    pub(crate) fn limits_pairs(&self) -> bool {
        self.enforce_limits.unwrap_or(false)
    }
}
