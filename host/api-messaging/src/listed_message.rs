//! The facts of a message that all lists of messages have.

use api_core::closed_set::{ChannelName, DeliveryStateName};
use serde::Serialize;
use utoipa::ToSchema;

/// A message of a list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ListedMessage)]
pub(crate) struct ListedMessageBody {
    /// The system's tracking id. The story of the message has its events.
    pub(crate) gst_id: String,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ct_id: Option<String>,
    /// The present state.
    #[schema(value_type = DeliveryStateName)]
    pub(crate) status: String,
    /// The channel of the last leg.
    #[schema(value_type = ChannelName)]
    pub(crate) channel: String,
    /// The recipient's number. Absent if the message goes only to a user id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receiver: Option<String>,
    /// The recipient's user id, if the request had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recipient_user_id: Option<String>,
    /// The time when Patchbay accepted it.
    #[schema(format = DateTime)]
    pub(crate) created_time: String,
}
