//! `GET /messaging-service/WhatsApp/messages/{gstId}`: the whole story of one message (CONTRACT 7).

use axum::{Json, extract::State};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::sms_route::{RoutedBy, SmsRoute};
use outbound::story::{self, Entry, Story, StoryCall, StoryLeg, StoryPart, What};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    auth::{Allowed, Following, Permission},
    error::ApiError,
    path::Segments,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(one))
}

/// A message and all that happened to it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStory)]
struct StoryBody {
    /// The system's tracking id.
    gst_id: String,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    /// Where it stands: `QUEUED`, `ACCEPTED`, `SENT`, `DELIVERED`, `READ`, `PLAYED` or `FAILED`.
    #[schema(examples("DELIVERED"))]
    status: String,
    /// What it went over last.
    #[schema(examples("WHATSAPP"))]
    channel: String,
    /// The business number or source address that it was sent from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// The number that it goes to; absent where it goes to a user id alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The user id that it goes to, or that was given beside the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient_user_id: Option<String>,
    /// `NOTIFICATION`, `CHAT`, `SMS`, or `REPLY` for a message of a live chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_type: Option<String>,
    /// Name of its template.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_name: Option<String>,
    /// What it is billed as.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The send that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
    /// The HTTP request that it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// When it is called for next, while it is queued.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    due_time: Option<String>,
    /// What happened, in order.
    timeline: Vec<EntryBody>,
}

/// Something that happened to a message; what does not apply to its `kind` is absent.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryEntry)]
struct EntryBody {
    /// When we learned of it.
    #[schema(format = DateTime)]
    time: String,
    /// `REQUEST`, `PROVIDER_CALL`, `RECEIPT`, `DECISION`, `ROUTE`, `WEBHOOK` or `WEBHOOK_ATTEMPT`.
    #[schema(examples("RECEIPT"))]
    kind: &'static str,
    /// Of calls and receipts: what the message travels over.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    /// Of calls: which attempt to deliver it, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    leg: Option<i16>,
    /// Of calls: where it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// Of calls: `ACCEPTED`, `REFUSED`, `RETRY` or `UNANSWERED`. Of decisions: `PENDING`, `SENT` or `SKIPPED`. Of
    /// routes: `AS_IS`, `CHANGED` or `REFUSED`. Of webhooks: `PENDING`, `DELIVERED`, `DROPPED` or `EXHAUSTED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// Of receipts: the state reached. Of webhooks: the state that it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Of receipts: when, by the provider.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_time: Option<String>,
    /// Of calls that took it: the provider's id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_id: Option<String>,
    /// Of calls: the provider may have got it twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    ambiguous: Option<bool>,
    /// Of calls to an SMSC: the parts that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<PartBody>>,
    /// Why it failed: the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// Why it failed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
    /// Of decisions: the plugin that decided. Of webhooks: the shaper that made the body, where it is not the one that ships.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<String>,
    /// Of decisions and webhooks: its version; absent for one that ships with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i32>,
    /// Of decisions and webhooks: the hash of its component.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// Of decisions: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Of routes: what routers decided about the SMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<RouteBody>,
    /// Of webhooks and their attempts: the header `webhook-id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook_id: Option<Uuid>,
    /// Of webhooks: where it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Of attempts: which, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<i16>,
    /// Of attempts: the status that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_code: Option<i16>,
    /// Of attempts: how long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_millis: Option<i32>,
    /// Of the request: its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// Of the request: the send that the message was part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
}

/// What routers decided about an SMS; what is absent is as without a router.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryRoute)]
struct RouteBody {
    /// Who was asked, in order: the client's router, then the operator's.
    routers: Vec<RouterBody>,
    /// Name of the bind that it goes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    bind: Option<String>,
    /// What the subscriber sees as the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Priority for the SMSC, 0 to 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    /// How long the SMSC tries.
    #[serde(skip_serializing_if = "Option::is_none")]
    validity_seconds: Option<u32>,
    /// It says something else than it did.
    rewritten: bool,
}

/// A router that was asked about an SMS.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryRouter)]
struct RouterBody {
    /// Name of the plugin.
    plugin: String,
    /// Its version; absent for one that ships with the program, and for the operator's.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// The hash of its component.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// It is the operator's.
    operator: bool,
    /// Why it decided so, or why it could not: then the message goes as without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<SmsRoute> for RouteBody {
    fn from(route: SmsRoute) -> Self {
        let router = |by: RoutedBy| RouterBody {
            plugin: by.plugin,
            version: by.version,
            sha256: by.sha256,
            operator: by.operator,
            reason: by.said,
        };
        Self {
            routers: route.by.into_iter().map(router).collect(),
            bind: route.bind,
            source: route.source,
            priority: route.priority,
            validity_seconds: route.validity_seconds,
            rewritten: route.text.is_some(),
        }
    }
}

/// A part of an SMS.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryPart)]
struct PartBody {
    /// Which, from 1.
    part: i16,
    /// The SMSC's id of it.
    provider_id: String,
    /// How far it has come.
    status: String,
}

fn shown(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl From<Story> for StoryBody {
    fn from(story: Story) -> Self {
        let message = story.message;
        Self {
            gst_id: message.gst_id,
            ct_id: message.ct_id,
            status: story.status,
            channel: story.channel,
            sender: message.sender,
            receiver: message.receiver,
            recipient_user_id: message.recipient_user_id,
            message_type: message.message_type,
            template_name: message.template_name,
            category: message.category,
            batch_id: message.batch_id,
            request_id: message.request_id,
            due_time: story.due_at.map(shown),
            timeline: story.timeline.into_iter().map(EntryBody::from).collect(),
        }
    }
}

impl EntryBody {
    /// A provider took a leg.
    fn taken(leg: StoryLeg, parts: Vec<StoryPart>) -> Self {
        let part = |part: StoryPart| PartBody { part: part.part, provider_id: part.smsc_id, status: part.state };
        Self {
            kind: "PROVIDER_CALL",
            outcome: Some("ACCEPTED".to_owned()),
            leg: Some(leg.ordinal),
            channel: Some(leg.channel),
            receiver: Some(leg.address_value),
            provider_id: leg.provider_id,
            ambiguous: leg.ambiguous.then_some(true),
            parts: (!parts.is_empty()).then(|| parts.into_iter().map(part).collect()),
            ..Self::default()
        }
    }

    /// A provider was called for a leg and did not take it.
    fn not_taken(call: StoryCall, leg: Option<Box<StoryLeg>>) -> Self {
        let (channel, receiver) = leg.map(|leg| (leg.channel, leg.address_value)).unzip();
        Self {
            kind: "PROVIDER_CALL",
            outcome: Some(call.outcome),
            leg: Some(call.ordinal),
            channel,
            receiver,
            error_code: call.error_code,
            error_code_string: Some(call.error_text),
            ..Self::default()
        }
    }
}

impl From<Entry> for EntryBody {
    fn from(entry: Entry) -> Self {
        let body = Self { time: shown(entry.time), ..Self::default() };
        match entry.what {
            What::Request { request, batch } => {
                Self { kind: "REQUEST", request_id: request.map(|id| id.0), batch_id: batch.map(|id| id.0), ..body }
            }
            What::Taken { leg, parts } => Self { time: body.time, ..Self::taken(*leg, parts) },
            What::NotTaken { call, leg } => Self { time: body.time, ..Self::not_taken(call, leg) },
            What::Receipt(receipt) => Self {
                kind: "RECEIPT",
                channel: Some(receipt.channel),
                status: Some(receipt.state),
                provider_time: Some(shown(receipt.happened_at)),
                error_code: receipt.error_code,
                error_code_string: receipt.error_text,
                ..body
            },
            What::Decision(decision) => Self {
                kind: "DECISION",
                outcome: Some(decision.state),
                plugin: decision.plugin,
                version: decision.version,
                sha256: decision.sha256,
                reason: decision.reason,
                ..body
            },
            What::Routed { leg, route } => Self {
                kind: "ROUTE",
                leg: Some(leg),
                outcome: Some(route.outcome().to_owned()),
                reason: route.refused.clone(),
                route: Some(route.into()),
                ..body
            },
            What::Webhook { webhook, state } => Self {
                kind: "WEBHOOK",
                webhook_id: Some(webhook.id),
                outcome: Some(webhook.state),
                status: Some(state),
                url: webhook.url,
                plugin: webhook.shaper,
                version: webhook.shaper_version,
                sha256: webhook.shaper_sha256,
                ..body
            },
            What::Attempt(attempt) => Self {
                kind: "WEBHOOK_ATTEMPT",
                webhook_id: Some(attempt.delivery_id),
                attempt: Some(attempt.attempt),
                status_code: attempt.status_code,
                error_code_string: attempt.error,
                duration_millis: Some(attempt.duration_millis),
                ..body
            },
        }
    }
}

/// The whole story of a message.
///
/// From the request over the calls of providers, what they reported and what plugins decided, to the webhooks that told of it,
/// each with its attempts. A message is named by its `gstId`: the one that webhooks carry, whether it is ours or one that the
/// send brought along (of several messages with the same one, the newest).
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/messages/{gstId}",
    operation_id = "messageStory",
    tag = "Messages",
    params(("gstId" = String, Path, description = "The system's tracking id.")),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "What happened to it, in order.", body = StoryBody)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: Allowed<Following>,
    Segments(gst_id): Segments<String>,
) -> Result<Json<StoryBody>, ApiError> {
    let story = story::tell(&state.context.db, allowed.caller.client, &gst_id).await?;
    story.map(|story| Json(StoryBody::from(story))).ok_or_else(ApiError::not_found)
}
