//! The types of track 0.2 that differ from the newest track. Those of questions are also those of track 0.1.

mod message;
mod webhook;

pub use message::{OlderChoice, OlderContent, OlderCustomer, OlderMedia, OlderMessage};
use wasmtime::component::{ComponentType, Lift, Lower};
pub use webhook::{OlderChatbotEvent, OlderIncomingMessage, OlderStatus, OlderWebhookEvent};

use crate::exports::patchbay::plugin::{
    bot::{
        self, CustomEvent, HandOver, HttpFinished, HttpOutcome, Rating, ReplyButtons, ReplyList, ReplyLocation,
        ReplyMedia, ReplyTemplate, ReplyText, Timer,
    },
    fallback::{self, RequestedFallback},
    routing,
};
use crate::patchbay::plugin::{
    http,
    types::{self, LocalTime, TemplateReference, Weekday},
};

/// Name of the `custom` event that stands for `http-finished`, if a version before track 0.3 gets it.
const HTTP_FINISHED: &str = "http-finished";
/// Name of the metadata with a channel that the enum lacks.
const CHANNEL: &str = "channel";
/// Name of the metadata with the last team of a chatbot's session.
const TEAM: &str = "team";

type Metadata = Vec<(String, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub enum OlderChannel {
    #[component(name = "whatsapp")]
    Whatsapp,
    #[component(name = "web")]
    Web,
    #[component(name = "facebook")]
    Facebook,
}

/// The nearest case of the older enum, and the metadata with the name of a channel without a case.
fn channel(newest: types::Channel, metadata: &Metadata) -> (OlderChannel, Metadata) {
    let (case, name) = match newest {
        types::Channel::Whatsapp | types::Channel::Other => (OlderChannel::Whatsapp, None),
        types::Channel::Web => (OlderChannel::Web, None),
        types::Channel::Messenger => (OlderChannel::Facebook, None),
        types::Channel::Sms => (OlderChannel::Whatsapp, Some("SMS")),
        types::Channel::Telegram => (OlderChannel::Facebook, Some("TELEGRAM")),
    };
    let name = name.map(|name| (CHANNEL.to_owned(), name.to_owned()));
    (case, metadata.iter().cloned().chain(name).collect())
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(variant)]
pub enum EventKind {
    #[component(name = "message")]
    Message(OlderMessage),
    #[component(name = "timer")]
    Timer(String),
    #[component(name = "conversation-started")]
    ConversationStarted,
    #[component(name = "agent-released")]
    AgentReleased,
    #[component(name = "rating")]
    Rating(Rating),
    #[component(name = "custom")]
    Custom(CustomEvent),
}

impl From<&bot::EventKind> for EventKind {
    fn from(kind: &bot::EventKind) -> Self {
        match kind {
            bot::EventKind::Message(message) => Self::Message(OlderMessage::from(message)),
            bot::EventKind::Timer(name) => Self::Timer(name.clone()),
            bot::EventKind::ConversationStarted => Self::ConversationStarted,
            bot::EventKind::AgentReleased => Self::AgentReleased,
            bot::EventKind::Rating(rating) => Self::Rating(rating.clone()),
            bot::EventKind::HttpFinished(finished) => Self::Custom(custom(finished)),
            bot::EventKind::Custom(custom) => Self::Custom(custom.clone()),
        }
    }
}

/// A version before track 0.3 sees the end of a request only after a rollback.
fn custom(finished: &HttpFinished) -> CustomEvent {
    let status = match &finished.outcome {
        HttpOutcome::Response(http::Response { status, .. }) => *status,
        HttpOutcome::Failed(_) => 0,
    };
    let payload = format!(r#"{{"job":"{}","status":{status}}}"#, finished.job.escape_default());
    CustomEvent { name: HTTP_FINISHED.to_owned(), payload }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderEvent {
    #[component(name = "id")]
    pub id: String,
    #[component(name = "sequence")]
    pub sequence: u64,
    #[component(name = "timestamp-ms")]
    pub timestamp_ms: u64,
    #[component(name = "kind")]
    pub kind: EventKind,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&bot::Event> for OlderEvent {
    fn from(event: &bot::Event) -> Self {
        Self {
            id: event.id.clone(),
            sequence: event.sequence,
            timestamp_ms: event.timestamp_ms,
            kind: EventKind::from(&event.kind),
            metadata: event.metadata.clone(),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct Session {
    #[component(name = "participant-id")]
    pub participant_id: String,
    #[component(name = "client-ref")]
    pub client_ref: String,
    #[component(name = "business-number")]
    pub business_number: String,
    #[component(name = "customer")]
    pub customer: OlderCustomer,
    #[component(name = "channel")]
    pub channel: OlderChannel,
    #[component(name = "state")]
    pub state: String,
    #[component(name = "now-ms")]
    pub now_ms: u64,
    #[component(name = "local-time")]
    pub local_time: LocalTime,
    #[component(name = "reopened")]
    pub reopened: bool,
    #[component(name = "previous-template")]
    pub previous_template: Option<TemplateReference>,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&bot::Session> for Session {
    fn from(session: &bot::Session) -> Self {
        let (channel, mut metadata) = channel(session.channel, &session.metadata);
        metadata.extend(session.last_team.iter().map(|team| (TEAM.to_owned(), team.clone())));
        Self {
            participant_id: session.participant_id.clone(),
            client_ref: session.client_ref.clone(),
            business_number: session.business_number.clone(),
            customer: OlderCustomer::from(&session.customer),
            channel,
            state: session.state.clone(),
            now_ms: session.now_ms,
            local_time: session.local_time,
            reopened: session.reopened,
            previous_template: session.previous_template.clone(),
            metadata,
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lift)]
#[component(variant)]
pub enum SecondTrackAction {
    #[component(name = "reply-text")]
    ReplyText(ReplyText),
    #[component(name = "reply-media")]
    ReplyMedia(ReplyMedia),
    #[component(name = "reply-buttons")]
    ReplyButtons(ReplyButtons),
    #[component(name = "reply-list")]
    ReplyList(ReplyList),
    #[component(name = "reply-location")]
    ReplyLocation(ReplyLocation),
    #[component(name = "reply-template")]
    ReplyTemplate(ReplyTemplate),
    #[component(name = "set-state")]
    SetState(String),
    #[component(name = "start-timer")]
    StartTimer(Timer),
    #[component(name = "cancel-timer")]
    CancelTimer(String),
    #[component(name = "hand-over")]
    HandOver(HandOver),
    #[component(name = "close")]
    Close,
    #[component(name = "add-tag")]
    AddTag(String),
    #[component(name = "request-rating")]
    RequestRating,
    #[component(name = "custom")]
    Custom(String),
}

impl From<SecondTrackAction> for bot::Action {
    fn from(action: SecondTrackAction) -> Self {
        match action {
            SecondTrackAction::ReplyText(reply) => Self::ReplyText(reply),
            SecondTrackAction::ReplyMedia(reply) => Self::ReplyMedia(reply),
            SecondTrackAction::ReplyButtons(reply) => Self::ReplyButtons(reply),
            SecondTrackAction::ReplyList(reply) => Self::ReplyList(reply),
            SecondTrackAction::ReplyLocation(reply) => Self::ReplyLocation(reply),
            SecondTrackAction::ReplyTemplate(reply) => Self::ReplyTemplate(reply),
            SecondTrackAction::SetState(state) => Self::SetState(state),
            SecondTrackAction::StartTimer(timer) => Self::StartTimer(timer),
            SecondTrackAction::CancelTimer(name) => Self::CancelTimer(name),
            SecondTrackAction::HandOver(to) => Self::HandOver(to),
            SecondTrackAction::Close => Self::Close,
            SecondTrackAction::AddTag(tag) => Self::AddTag(tag),
            SecondTrackAction::RequestRating => Self::RequestRating,
            SecondTrackAction::Custom(text) => Self::Custom(text),
        }
    }
}

/// The local time of a router. The newest track has one type of local time for all worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ComponentType, Lower)]
#[component(record)]
pub struct WallTime {
    #[component(name = "utc-offset-minutes")]
    pub utc_offset_minutes: i16,
    /// 1 is Monday, 7 is Sunday.
    #[component(name = "weekday")]
    pub weekday: u8,
    #[component(name = "hour")]
    pub hour: u8,
    #[component(name = "minute")]
    pub minute: u8,
}

impl From<LocalTime> for WallTime {
    fn from(local: LocalTime) -> Self {
        let weekday = match local.weekday {
            Weekday::Monday => 1,
            Weekday::Tuesday => 2,
            Weekday::Wednesday => 3,
            Weekday::Thursday => 4,
            Weekday::Friday => 5,
            Weekday::Saturday => 6,
            Weekday::Sunday => 7,
        };
        let LocalTime { utc_offset_minutes, hour, minute, .. } = local;
        Self { utc_offset_minutes, weekday, hour, minute }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct Inbound {
    #[component(name = "id")]
    pub id: String,
    #[component(name = "participant-id")]
    pub participant_id: String,
    #[component(name = "client-ref")]
    pub client_ref: String,
    #[component(name = "business-number")]
    pub business_number: String,
    #[component(name = "customer")]
    pub customer: OlderCustomer,
    #[component(name = "channel")]
    pub channel: OlderChannel,
    #[component(name = "message")]
    pub message: OlderMessage,
    #[component(name = "reopened")]
    pub reopened: bool,
    #[component(name = "previous-template")]
    pub previous_template: Option<TemplateReference>,
    #[component(name = "default-bot")]
    pub default_bot: Option<String>,
    #[component(name = "last-agent")]
    pub last_agent: Option<String>,
    #[component(name = "last-team")]
    pub last_team: Option<String>,
    #[component(name = "tags")]
    pub tags: Vec<String>,
    #[component(name = "now-ms")]
    pub now_ms: u64,
    #[component(name = "local-time")]
    pub local_time: WallTime,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&routing::Inbound> for Inbound {
    fn from(inbound: &routing::Inbound) -> Self {
        let (channel, metadata) = channel(inbound.channel, &inbound.metadata);
        Self {
            id: inbound.id.clone(),
            participant_id: inbound.participant_id.clone(),
            client_ref: inbound.client_ref.clone(),
            business_number: inbound.business_number.clone(),
            customer: OlderCustomer::from(&inbound.customer),
            channel,
            message: OlderMessage::from(&inbound.message),
            reopened: inbound.reopened,
            previous_template: inbound.previous_template.clone(),
            default_bot: inbound.default_bot.clone(),
            last_agent: inbound.last_agent.clone(),
            last_team: inbound.last_team.clone(),
            tags: inbound.tags.clone(),
            now_ms: inbound.now_ms,
            local_time: WallTime::from(inbound.local_time),
            metadata,
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lift)]
#[component(variant)]
pub enum OlderDecision {
    #[component(name = "send")]
    Send(fallback::Sms),
    #[component(name = "skip")]
    Skip(String),
}

impl From<OlderDecision> for fallback::Decision {
    fn from(decision: OlderDecision) -> Self {
        match decision {
            OlderDecision::Send(sms) => Self::Send(sms),
            OlderDecision::Skip(reason) => Self::Skip(reason),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct Undeliverable {
    #[component(name = "message-id")]
    pub message_id: String,
    #[component(name = "recipient")]
    pub recipient: String,
    #[component(name = "sender")]
    pub sender: String,
    #[component(name = "error-code")]
    pub error_code: String,
    #[component(name = "error-text")]
    pub error_text: String,
    #[component(name = "requested")]
    pub requested: RequestedFallback,
    #[component(name = "auto-text")]
    pub auto_text: Option<String>,
    #[component(name = "seen-on-whatsapp")]
    pub seen_on_whatsapp: bool,
    #[component(name = "age-seconds")]
    pub age_seconds: u32,
    #[component(name = "template-name")]
    pub template_name: Option<String>,
    #[component(name = "metadata")]
    pub metadata: Metadata,
}

impl From<&fallback::Undeliverable> for Undeliverable {
    fn from(undeliverable: &fallback::Undeliverable) -> Self {
        Self {
            message_id: undeliverable.message_id.clone(),
            recipient: undeliverable.recipient.clone(),
            sender: undeliverable.sender.clone(),
            error_code: undeliverable.error_code.clone(),
            error_text: undeliverable.error_text.clone(),
            requested: undeliverable.requested.clone(),
            auto_text: undeliverable.auto_text.clone(),
            seen_on_whatsapp: undeliverable.seen_on_whatsapp,
            age_seconds: undeliverable.age_seconds,
            template_name: undeliverable.template_name.clone(),
            metadata: undeliverable.metadata.clone(),
        }
    }
}
