//! A number in the list of a server.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NumberRow {
    pub(super) whats_app_number: ListedNumber,
}

#[derive(Deserialize)]
pub(super) struct ListedNumber {
    pub(super) id: String,
    pub(super) number: String,
}
