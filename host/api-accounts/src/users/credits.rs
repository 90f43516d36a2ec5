//! WhatsApp credits (SPEC 4.7). WhatsApp is metered and never blocked: the answer counts the messages of the month.

use api_core::{
    auth::{AuthorizedCaller, OwnProfile, Permission},
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Datelike, SubsecRound, TimeDelta, Utc};
use domain::analytics::Period;
use domain::iso_time::iso_time;
use outbound::analytics;
use serde::Serialize;
use tenancy::accounts::users;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    path::{ME, user_id},
    refusals::api_error,
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(credits))
}

/// WhatsApp usage of the client.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WhatsAppCredits)]
pub(crate) struct CreditsBody {
    /// `METERED`: messages are counted, and never refused for lack of credits.
    #[schema(examples("METERED"))]
    mode: &'static str,
    /// Always null, because there is no balance.
    #[schema(value_type = Option<i64>)]
    balance: Option<i64>,
    /// Start of the count: the first moment of the month, UTC.
    #[schema(format = DateTime)]
    since: String,
    /// WhatsApp messages of the client that were accepted since then.
    submitted: i64,
    /// Number of these that were sent.
    sent: i64,
    /// Number of these that were delivered.
    delivered: i64,
    /// Number of these that failed.
    failed: i64,
}

/// Returns the WhatsApp usage of the client.
///
/// It is the same for every user of the client. Use `me`; an ADMIN may use any user's id.
#[utoipa::path(
    get,
    path = "/api/v1/users/{id}/whatsapp-credits",
    operation_id = "readWhatsAppCredits",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user, or `me`.")),
    security(("apiKey" = [OwnProfile::ROW.name])),
    responses((status = 200, description = "The usage of this month.", body = CreditsBody)),
)]
async fn credits(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnProfile>,
    Segments(id): Segments<String>,
) -> Result<Json<CreditsBody>, ApiError> {
    let caller = &allowed.caller;
    let user = if id == ME { caller.user } else { user_id(&id)? };
    if user != caller.user && !api_core::auth::Users::ROW.roles.contains(&caller.role) {
        let said = "only an ADMIN may read the credits of another user: use `me`";
        return Err(ApiError::new(ErrorKind::Forbidden, said));
    }
    users::find(&state.context.db, caller.client, user).await.map_err(api_error)?;
    credits_body(&state, caller.client).await.map(Json)
}

pub(crate) async fn credits_body(state: &ApiState, client: domain::ids::ClientId) -> Result<CreditsBody, ApiError> {
    let now = state.context.now();
    let since = month_of(now);
    // The present second is the last one.
    let period = Period { from: since, before: now.trunc_subsecs(0) + TimeDelta::seconds(1) };
    let counts = analytics::messages(&state.context.db, client, period, None).await?;
    Ok(CreditsBody {
        mode: "METERED",
        balance: None,
        since: iso_time(since),
        submitted: counts.submitted,
        sent: counts.sent,
        delivered: counts.delivered,
        failed: counts.failed,
    })
}

fn month_of(now: DateTime<Utc>) -> DateTime<Utc> {
    let midnight = now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
    midnight - TimeDelta::days(i64::from(now.day0()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_with_its_first_midnight() {
        let month = |moment: &str| month_of(moment.parse().unwrap()).to_rfc3339();
        assert_eq!(month("2026-11-22T13:00:01Z"), "2026-11-01T00:00:00+00:00");
        assert_eq!(month("2026-11-01T00:00:00Z"), "2026-11-01T00:00:00+00:00");
        assert_eq!(month("2026-10-31T23:59:59Z"), "2026-10-01T00:00:00+00:00");
    }
}
