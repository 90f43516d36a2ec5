//! Judges a send without sending it.

use api_core::{
    auth::{AuthorizedCaller, Permission, Sending},
    error::ApiError,
    query::QueryParameters,
};
use axum::{Json, extract::State, http::Uri};
use domain::send::RejectedRecipient;
use outbound::accept::{SendCall, SendCheck, SendEndpoint};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    call::{Call, refused},
    schema, unified_schema,
};
use crate::state::SendState;

/// More than any tier counts.
const MOST_COUNTED: u32 = i32::MAX.unsigned_abs();

pub(super) fn routes() -> OpenApiRouter<SendState> {
    OpenApiRouter::new().routes(routes!(check))
}

/// The earlier requests of the same send.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameter")]
struct EarlierRequests {
    /// For a send of several requests: the sum of `countedRecipients` in the answers about the earlier ones. The tier of
    /// the sender is then judged as if those were sent before. The requests must not have a recipient in common.
    #[param(nullable = false, minimum = 0, maximum = 2_147_483_647, default = 0)]
    counted_before: Option<u32>,
}

/// The answer that a send would get now.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SendCheck, examples(json!({
    "acceptedCount": 1,
    "rejectedCount": 1,
    "countedRecipients": 1,
    "rejectedRecipients": [{"number": "083", "reason": "a phone number must not start with 0"}],
})))]
struct CheckBody {
    /// Number of recipients that would be accepted.
    accepted_count: usize,
    /// Number of recipients that would be rejected.
    rejected_count: usize,
    /// Number of accepted recipients that the messaging tier of the sender would count from now on. 0 if it has no limit.
    counted_recipients: usize,
    /// The recipients that would be rejected, each with the reason.
    #[schema(value_type = Vec<schema::RejectedRecipient>)]
    rejected_recipients: Vec<RejectedRecipient>,
}

impl From<SendCheck> for CheckBody {
    fn from(check: SendCheck) -> Self {
        Self {
            accepted_count: check.accepted,
            rejected_count: check.rejected.len(),
            counted_recipients: check.counted,
            rejected_recipients: check.rejected,
        }
    }
}

/// Judges a send and sends nothing.
///
/// The faults and the rejected recipients are those that the same send would have now: the template and its parameters,
/// the 24-hour window, the blocklist, marketing stops and the tier. Nothing is stored, so a later send may find another
/// state. The recipients count in the rate of the client like those of a send. For a send of several requests, give
/// `countedBefore`. Without it each request is judged against the present use of the tier alone.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/messages/check",
    operation_id = "checkSend",
    tag = "Sending",
    params(EarlierRequests),
    request_body = unified_schema::UnifiedSend,
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 200, description = "The request has no fault. Recipients may be rejected.", body = CheckBody)),
)]
async fn check(
    State(state): State<SendState>,
    allowed: AuthorizedCaller<Sending>,
    uri: Uri,
    Call { senders, request_id, body, .. }: Call,
) -> Result<Json<CheckBody>, ApiError> {
    let given = QueryParameters::of(&uri)?;
    let counted_before = given.number("countedBefore", &(0..=MOST_COUNTED)).map_err(ApiError::faults)?.unwrap_or(0);
    allowed.held.recipients_left()?;
    // Sends of a client share transactions, so they take no turns. A check has statements of its own.
    allowed.held.wait_for_turn().await?;
    let (client, mode) = (allowed.caller.client, allowed.caller.mode);
    let endpoint = SendEndpoint::Unified;
    let call = SendCall { client, mode, endpoint, senders, body, idempotency_key: None, request_id };
    let check = CheckBody::from(state.service.check(call, counted_before).await.map_err(refused)?);
    let recipients = check.accepted_count.saturating_add(check.rejected_count);
    allowed.held.charge_recipients(u32::try_from(recipients).unwrap_or(u32::MAX));
    Ok(Json(check))
}
