//! Analytics of conversations (SPEC 2.11, 4.5).

use api_core::{
    auth::{AuthorizedCaller, ConversationReading, Permission},
    closed_set,
    error::ApiError,
    query::QueryParameters,
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts};
use domain::{
    analytics::{CountedType, MessageCounts, Period},
    body::Faults,
};
use outbound::analytics;
use utoipa::IntoParams;

/// Filters of the counts.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct AnalyticsFilterParameters {
    /// First second of the period, UTC, as `YYYY-MM-DD HH:mm:ss`.
    #[param(rename = "startDate", example = "2026-01-01 00:00:00")]
    start: String,
    /// Last second of the period, UTC, as `YYYY-MM-DD HH:mm:ss`. It belongs to the period.
    #[param(rename = "endDate", example = "2026-01-31 23:59:59")]
    end: String,
    /// Only messages of this type. Absent or empty: all types.
    #[param(value_type = Option<AnalyticsMessageType>, rename = "messageType", nullable = false, inline)]
    message_type: Option<String>,
}

closed_set! {
    /// `messageType` of analytics. `SESSION24HOUR`: messages of chatbots and agents in live chats.
    AnalyticsMessageType as "AnalyticsMessageType" = CountedType::ALL.map(CountedType::as_str);
}

/// Counts the WhatsApp messages of a period, and how many of them were sent, delivered, read, or failed.
///
/// A message belongs to the second of its submission. Both dates belong to the period.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppAnalytics/getConversationAnalyticsForCurrentLoginUser",
    operation_id = "getConversationAnalytics",
    tag = "Conversations",
    params(AnalyticsFilterParameters),
    security(("apiKey" = [ConversationReading::ROW.name])),
    responses((status = 200, description = "The counts.", body = MessageCounts)),
)]
pub(super) async fn counts(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<ConversationReading>,
    parts: Parts,
) -> Result<Json<MessageCounts>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let of = given.choice("messageType", CountedType::ALL, CountedType::as_str);
    let (period, of) = match (Period::parse(given.value("startDate"), given.value("endDate")), of) {
        (Ok(period), Ok(of)) => (period, of),
        (period, of) => {
            let mut faults = period.err().unwrap_or_else(Faults::default);
            faults.extend(of.err());
            return Err(ApiError::faults(faults));
        }
    };
    let counts = analytics::messages(&state.context.db, allowed.caller.client, period, of).await?;
    Ok(Json(counts))
}
