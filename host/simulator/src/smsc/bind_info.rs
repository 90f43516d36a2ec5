use serde::Serialize;
use tokio_util::sync::CancellationToken;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BindInfo {
    pub(super) session: u64,
    pub(super) system_id: String,
    pub(super) bind: &'static str,
    pub(super) taken: u64,
    pub(super) refused: u64,
    #[serde(skip)]
    pub(super) lost: CancellationToken,
}
