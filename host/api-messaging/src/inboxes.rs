//! `GET /api/v1/inboxes`: the client's numbers, pages and bots, with their state at the provider.

use api_core::{
    auth::{AuthorizedCaller, Looking, Permission},
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    state::ApiState,
};
use axum::{extract::State, http::request::Parts};
use domain::{
    channel::Channel,
    event::{ChannelStatus, Quality},
    ids::InboxId,
    inbox_fault::{InboxCallFailure, InboxFaults, TokenRefusal},
    iso_time::iso_time,
    sandbox::KeyMode,
    tier,
};
use serde::Serialize;
use tenancy::inboxes::{self, InboxOverview, PROVIDER_CHANNELS, TierReport};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::closed_sets::{InboxChannelName, InboxKindName, NumberRatingName, NumberStatusName};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The filter of the list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameter")]
struct InboxFilterParameters {
    /// Only inboxes of this channel. If absent, all.
    #[param(value_type = Option<InboxChannelName>, nullable = false, inline)]
    channel: Option<String>,
}

/// A number, page or bot of the client.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Inbox, examples(json!({
    "id": "019a7e52-4a00-7c3e-9f1b-3d2a5c6b7e80", "kind": "WHATSAPP_CLOUD", "channel": "WHATSAPP",
    "address": "27820001001", "createdTime": "2026-11-01T08:00:00.000Z",
    "quality": {"rating": "GREEN", "status": "CONNECTED", "readTime": "2026-11-28T09:12:00.000Z"},
    "tier": {"name": "TIER_2K", "limit": 2000, "used": 118, "reportedTime": "2026-11-28T09:12:00.000Z"},
    "openWindows": 37,
})))]
struct InboxBody {
    /// Its id. For a number: the `whatsAppNumberId` of other endpoints.
    #[schema(value_type = Uuid)]
    id: InboxId,
    /// Its kind.
    #[schema(value_type = InboxKindName)]
    kind: &'static str,
    /// Its channel.
    #[schema(value_type = InboxChannelName)]
    channel: &'static str,
    /// The digits of a number without `+`, or the provider's id of a page or bot.
    #[schema(examples("27820001001"))]
    address: String,
    /// For a bot: its user name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("acme_bot"))]
    name: Option<String>,
    /// The time when it was connected.
    #[schema(format = DateTime)]
    created_time: String,
    /// The time since which the operator has disabled it: its messages wait. If absent, it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    disabled_time: Option<String>,
    /// The last refusal of its token, until the provider takes a message or the token is renewed, at most for a day.
    /// If absent, none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refused_token: Option<RefusedTokenBody>,
    /// The last call that failed for a reason that delays its messages, until the provider takes a message, at most for an
    /// hour after the next attempt. If absent, none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failed_call: Option<FailedCallBody>,
    /// For a number of WhatsApp Cloud: its quality. If absent, the provider has reported none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    quality: Option<NumberQualityBody>,
    /// For a number of WhatsApp Cloud: its messaging tier. If absent, the provider has reported none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tier: Option<TierBody>,
    /// For a number of WhatsApp Cloud: the number of customers who wrote in the last 24 hours and may get free text. At
    /// most 10,000 are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(37))]
    open_windows: Option<i64>,
    /// `true` in the sandbox of test keys. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
}

/// A refusal of a token by the provider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboxTokenRefusal)]
struct RefusedTokenBody {
    /// The provider's code.
    #[schema(examples("190"))]
    code: String,
    /// The time of the refusal.
    #[schema(format = DateTime)]
    refused_time: String,
}

/// A failed call that delays the messages of an inbox.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboxFailedCall)]
struct FailedCallBody {
    /// The reason.
    #[schema(examples("the provider refused for now, code 131000"))]
    reason: String,
    /// The time of the next attempt. If absent, none is planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    next_attempt_time: Option<String>,
}

/// The quality of a number at the provider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NumberQuality)]
struct NumberQualityBody {
    /// How well customers receive its messages. If absent, not rated yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NumberRatingName>, nullable = false)]
    rating: Option<&'static str>,
    /// Whether it can be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NumberStatusName>, nullable = false)]
    status: Option<&'static str>,
    /// The time when Patchbay last read it from the provider: hourly, and after each report of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    read_time: Option<String>,
}

/// How many different customers a number may send templates to in 24 hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessagingTier)]
struct TierBody {
    /// The tier in the provider's words.
    #[schema(examples("TIER_2K"))]
    name: String,
    /// The number of customers. If absent, Patchbay applies no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(2000))]
    limit: Option<u32>,
    /// The customers of the last 24 hours that count. Absent if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(118))]
    used: Option<i64>,
    /// The time when the provider last reported the tier.
    #[schema(format = DateTime)]
    reported_time: String,
}

impl InboxBody {
    fn new(inbox: InboxOverview, mode: KeyMode) -> Self {
        let quality = NumberQualityBody::of(&inbox);
        let InboxFaults { refusal, failed_call } = inbox.faults;
        Self {
            quality,
            id: inbox.id,
            kind: inbox.kind.as_str(),
            channel: inbox.kind.channel().as_str(),
            address: inbox.address,
            name: inbox.name,
            created_time: iso_time(inbox.created_at),
            disabled_time: inbox.disabled_at.map(iso_time),
            refused_token: refusal.map(Into::into),
            failed_call: failed_call.map(Into::into),
            tier: inbox.tier.map(Into::into),
            open_windows: inbox.open_windows,
            test: mode.is_test(),
        }
    }
}

impl From<TokenRefusal> for RefusedTokenBody {
    fn from(refusal: TokenRefusal) -> Self {
        Self { code: refusal.code, refused_time: iso_time(refusal.at) }
    }
}

impl From<InboxCallFailure> for FailedCallBody {
    fn from(failure: InboxCallFailure) -> Self {
        Self { reason: failure.reason, next_attempt_time: failure.until.map(iso_time) }
    }
}

impl NumberQualityBody {
    fn of(inbox: &InboxOverview) -> Option<Self> {
        let rating = inbox.quality_rating.as_deref().and_then(Quality::of_number).map(Quality::as_str);
        let status = inbox.channel_status.as_deref().map(|name| ChannelStatus::of_provider(name).as_str());
        let read_time = inbox.read_at.map(iso_time);
        (rating.is_some() || status.is_some() || read_time.is_some()).then_some(Self { rating, status, read_time })
    }
}

impl From<TierReport> for TierBody {
    fn from(report: TierReport) -> Self {
        let limit = tier::limit_of(&report.name);
        Self { used: limit.map(|_| report.used), limit, reported_time: iso_time(report.told_at), name: report.name }
    }
}

/// Lists the client's numbers, pages and bots.
///
/// They are sorted by channel and address. Numbers of WhatsApp Cloud have their quality, messaging tier and open windows.
/// The faults of an inbox are those of all processes, and are shown as soon as the outcome of the call is stored.
#[utoipa::path(
    get,
    path = "/api/v1/inboxes",
    operation_id = "listInboxes",
    tag = "Numbers",
    params(ListQuery, InboxFilterParameters),
    security(("apiKey" = [Looking::ROW.name])),
    responses((status = 200, description = "A page of inboxes.", body = Page<InboxBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<InboxBody>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let channel = given.choice("channel", PROVIDER_CHANNELS, Channel::as_str).map_err(ApiError::faults)?;
    let page = inboxes::list_inboxes(&state.context, allowed.caller.client, channel, query.page).await?;
    let mode = allowed.caller.mode;
    Ok(Page::new(query.page, page, |inbox| InboxBody::new(inbox, mode)))
}
