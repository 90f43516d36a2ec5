//! `GET /messaging-service/WhatsApp/messages/{gstId}`: the story of one message (CONTRACT 7).

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    closed_set::{ChannelName, DeliveryStateName},
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::iso_time::iso_time;
use domain::lite::bare_id;
use domain::sms_route::{RouterStep, SmsRoute};
use outbound::story::{self, Story, StoryCall, StoryEntry, StoryEvent, StoryLeg, StoryPart};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::closed_sets::MessageTypeName;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(one))
}

/// A message with all its events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStory)]
struct StoryBody {
    /// The system's tracking id.
    gst_id: String,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    /// The present state.
    #[schema(value_type = DeliveryStateName)]
    status: String,
    /// The channel of the last leg.
    #[schema(value_type = ChannelName)]
    channel: String,
    /// The business number or source address that sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// The recipient's number. Absent if the message goes only to a user id.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The recipient's user id, if the request had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient_user_id: Option<String>,
    /// The kind of message. `REPLY`: a message of a live chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<MessageTypeName>)]
    message_type: Option<String>,
    /// Name of its template.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_name: Option<String>,
    /// The billing category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The batch of the send.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
    /// The HTTP request of the send.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// Time of the next step, while the message is queued: its call, or the failure of a message in doubt that is not sent
    /// again.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    due_time: Option<String>,
    /// The events, in order.
    timeline: Vec<EntryBody>,
}

/// The kind of an event in the story of a message.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum StoryEventKind {
    #[default]
    Request,
    ProviderCall,
    Receipt,
    Decision,
    Route,
    Webhook,
    WebhookAttempt,
}

/// An event in the story of a message. Fields that do not apply to its `kind` are absent.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryEntry)]
struct EntryBody {
    /// The time when Patchbay learned of it.
    #[schema(format = DateTime)]
    time: String,
    /// The kind of event.
    kind: StoryEventKind,
    /// For calls and receipts: the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ChannelName>)]
    channel: Option<String>,
    /// For calls: position of the leg, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    leg: Option<i16>,
    /// For calls: the recipient's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The outcome. For calls: `ACCEPTED`, `REFUSED`, `RETRY` or `UNANSWERED`. For decisions: `PENDING`, `SENT` or
    /// `SKIPPED`. For routes: `AS_IS`, `CHANGED` or `REFUSED`. For webhooks: `PENDING`, `DELIVERED`, `DROPPED` or
    /// `EXHAUSTED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// For receipts: the new state. For webhooks: the state that the webhook reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DeliveryStateName>)]
    status: Option<String>,
    /// For receipts: the time from the provider.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_time: Option<String>,
    /// For calls that took the message: the provider's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_id: Option<String>,
    /// For calls: `true` if the provider may have the message twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    ambiguous: Option<bool>,
    /// For calls to an SMSC: the parts that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<PartBody>>,
    /// The code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// The failure as a text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
    /// For decisions: the plugin that decided. For webhooks: the shaper of the body, if it is not the built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<String>,
    /// For decisions and webhooks: the version of the plugin. Absent for a built-in plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i32>,
    /// For decisions and webhooks: the SHA-256 of the component.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// For decisions: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// For routes: the decision of routers about the SMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<RouteBody>,
    /// For webhooks and their attempts: the header `webhook-id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook_id: Option<Uuid>,
    /// For webhooks: the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// For attempts: the number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<i16>,
    /// For attempts: the HTTP status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_code: Option<i16>,
    /// For attempts: the duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_millis: Option<i32>,
    /// For the request: its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// For the request: the batch of the send.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
}

/// The decision of routers about an SMS. An absent field means that no router changed it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryRoute)]
struct RouteBody {
    /// The routers in the order of their calls: the client's, then the operator's.
    routers: Vec<RouterBody>,
    /// Name of the bind that carries the SMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    bind: Option<String>,
    /// The sender that the subscriber sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Priority for the SMSC, 0 to 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    /// How long the SMSC tries to deliver it.
    #[serde(skip_serializing_if = "Option::is_none")]
    validity_seconds: Option<u32>,
    /// `true` if a router changed the text.
    rewritten: bool,
}

/// A router that was asked about an SMS.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStoryRouter)]
struct RouterBody {
    /// Name of the plugin.
    plugin: String,
    /// Its version. Absent for built-in plugins and for the operator's.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// The SHA-256 of its component.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// `true` if it is the operator's router.
    operator: bool,
    /// The reason of its decision, or of its failure. After a failure the message goes out as without this router.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<SmsRoute> for RouteBody {
    fn from(route: SmsRoute) -> Self {
        let router = |by: RouterStep| RouterBody {
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
    /// Number of the part, from 1.
    part: i16,
    /// The SMSC's id of the part.
    provider_id: String,
    /// State of the part.
    status: String,
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
            due_time: story.due_at.map(iso_time),
            timeline: story.timeline.into_iter().map(EntryBody::from).collect(),
        }
    }
}

impl EntryBody {
    fn accepted_call(leg: StoryLeg, parts: Vec<StoryPart>) -> Self {
        let part = |part: StoryPart| PartBody { part: part.part, provider_id: part.smsc_id, status: part.state };
        Self {
            kind: StoryEventKind::ProviderCall,
            outcome: Some("ACCEPTED".to_owned()),
            leg: Some(leg.ordinal),
            channel: Some(leg.channel),
            receiver: Some(leg.address_value),
            provider_id: leg.provider_id.as_deref().map(|id| bare_id(id).to_owned()),
            ambiguous: leg.ambiguous.then_some(true),
            parts: (!parts.is_empty()).then(|| parts.into_iter().map(part).collect()),
            ..Self::default()
        }
    }

    fn not_taken(call: StoryCall, leg: Option<Box<StoryLeg>>) -> Self {
        let (channel, receiver) = leg.map(|leg| (leg.channel, leg.address_value)).unzip();
        Self {
            kind: StoryEventKind::ProviderCall,
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

impl From<StoryEntry> for EntryBody {
    fn from(entry: StoryEntry) -> Self {
        let body = Self { time: iso_time(entry.time), ..Self::default() };
        match entry.what {
            StoryEvent::Request { request, batch } => Self {
                kind: StoryEventKind::Request,
                request_id: request.map(|id| id.0),
                batch_id: batch.map(|id| id.0),
                ..body
            },
            StoryEvent::Taken { leg, parts } => Self { time: body.time, ..Self::accepted_call(*leg, parts) },
            StoryEvent::NotTaken { call, leg } => Self { time: body.time, ..Self::not_taken(call, leg) },
            StoryEvent::Receipt(receipt) => Self {
                kind: StoryEventKind::Receipt,
                channel: Some(receipt.channel),
                status: Some(receipt.state),
                provider_time: Some(iso_time(receipt.happened_at)),
                error_code: receipt.error_code,
                error_code_string: receipt.error_text,
                ..body
            },
            StoryEvent::Decision(decision) => Self {
                kind: StoryEventKind::Decision,
                outcome: Some(decision.state),
                plugin: decision.plugin,
                version: decision.version,
                sha256: decision.sha256,
                reason: decision.reason,
                ..body
            },
            StoryEvent::Routed { leg, route } => Self {
                kind: StoryEventKind::Route,
                leg: Some(leg),
                outcome: Some(route.outcome().to_owned()),
                reason: route.refused.clone(),
                route: Some(route.into()),
                ..body
            },
            StoryEvent::Webhook { webhook, state } => Self {
                kind: StoryEventKind::Webhook,
                webhook_id: Some(webhook.id),
                outcome: Some(webhook.state),
                status: Some(state),
                url: webhook.url,
                plugin: webhook.shaper,
                version: webhook.shaper_version,
                sha256: webhook.shaper_sha256,
                ..body
            },
            StoryEvent::Attempt(attempt) => Self {
                kind: StoryEventKind::WebhookAttempt,
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

/// Returns the story of a message.
///
/// It has the request, the provider calls, the reports of providers, the decisions of plugins, and the webhooks with
/// their attempts. A message is named by its `gstId`, which webhooks carry: ours, or the one that the send supplied. If
/// several messages have the same one, the newest is shown.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/messages/{gstId}",
    operation_id = "messageStory",
    tag = "Messages",
    params(("gstId" = String, Path, description = "The system's tracking id.")),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "The message and its events, in order.", body = StoryBody)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    Segments(gst_id): Segments<String>,
) -> Result<Json<StoryBody>, ApiError> {
    let story = story::read_story(&state.context.db, allowed.caller.client, &gst_id).await?;
    story.map(|story| Json(StoryBody::from(story))).ok_or_else(ApiError::not_found)
}
