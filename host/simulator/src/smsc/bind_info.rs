//! A session as the control API shows it.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BindInfo {
    pub(super) session: u64,
    pub(super) system_id: String,
    /// `transceiver`, `transmitter` or `receiver`.
    pub(super) bind: &'static str,
    /// Number of accepted `submit_sm`.
    pub(super) taken: u64,
    /// Number of refused `submit_sm`.
    pub(super) refused: u64,
    #[serde(skip)]
    pub(super) lost: CancellationToken,
}
