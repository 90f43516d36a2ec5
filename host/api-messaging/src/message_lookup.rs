//! `GET /messaging-service/WhatsApp/messages`: messages by the client's tracking id and by recipient.

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    state::ApiState,
};
use axum::{extract::State, http::request::Parts};
use domain::iso_time::iso_time;
use domain::{body::FieldFault, clock::minted_at, numbering, phone};
use outbound::lookup::{self, FoundMessage, MessageFilter};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::listed_message::ListedMessageBody;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The messages to find. At least one parameter is needed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct MessageFilterParameters {
    /// The client's tracking id.
    #[param(nullable = false)]
    ct_id: Option<String>,
    /// The recipient's phone number in E.164, with or without `+`, or user id.
    #[param(nullable = false)]
    recipient: Option<String>,
}

/// A message that was found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FoundMessage)]
struct FoundBody {
    #[serde(flatten)]
    message: ListedMessageBody,
    /// The batch of the send. Absent for a message of a live chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
}

impl From<FoundMessage> for FoundBody {
    fn from(found: FoundMessage) -> Self {
        let message = ListedMessageBody {
            created_time: iso_time(minted_at(found.id.0)),
            gst_id: found.gst_id,
            ct_id: found.ct_id,
            status: found.state,
            channel: found.channel,
            receiver: found.receiver,
            recipient_user_id: found.recipient_user_id,
        };
        Self { message, batch_id: found.batch_id }
    }
}

/// Finds messages by `ctId`, by recipient, or by both, newest first.
///
/// If there are more than 10,000, `totalElements` is a lower bound.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/messages",
    operation_id = "findMessages",
    tag = "Messages",
    params(ListQuery, MessageFilterParameters),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "A page of messages.", body = Page<FoundBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<FoundBody>, ApiError> {
    let lookup = lookup_of(&QueryParameters::of(&parts.uri)?).map_err(ApiError::faults)?;
    let page = lookup::find(&state.context.db, allowed.caller.client, &lookup, query.page).await?;
    Ok(Page::new(query.page, page, FoundBody::from))
}

fn lookup_of(given: &QueryParameters) -> Result<MessageFilter, FieldFault> {
    let addresses = given.value("recipient").map_or_else(Vec::new, spellings);
    match given.value("ctId") {
        Some(ct_id) => Ok(MessageFilter::CtId { ct_id: ct_id.to_owned(), addresses }),
        None if addresses.is_empty() => Err(FieldFault::new("ctId", "is required if there is no `recipient`")),
        None => Ok(MessageFilter::Recipient { addresses }),
    }
}

/// The addresses that a recipient may be stored as.
fn spellings(recipient: &str) -> Vec<String> {
    let as_written = recipient.trim().to_owned();
    let digits = phone::as_searched(recipient);
    // A user id may consist of a calling code, a dot and digits, so it can look like a number.
    digits.iter().flat_map(|digits| numbering::spellings(digits)).chain([as_written]).collect()
}
