//! The questions of a trial call of a new component, before it replaces the old one.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;

use crate::chatbot::{Channel, Content, Customer, Event, EventKind, IncomingMessage, LocalTime, Session, Weekday};
use crate::router::Inbound;
use crate::sms_fallback::{RequestedFallback, Undeliverable};
use crate::sms_router::{Direction, Sms};
use crate::webhook_shaper::{SessionStatusEvent, WebhookEvent};
use crate::{CallSeed, HttpLimits, PluginCall, PluginRef};

/// The configuration of a trial call.
pub(crate) const CONFIG: &str = "{}";
const NOW_SECONDS: u32 = 1_760_428_800;

pub(crate) fn call(plugin: &PluginRef) -> PluginCall<'_> {
    PluginCall {
        client: ClientId(Default::default()),
        plugin,
        now: now(),
        seed: CallSeed::from_number(1),
        config: CONFIG,
        turn: "sample",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(i64::from(NOW_SECONDS), 0).unwrap_or_default()
}

pub(crate) fn hello() -> (Event, Session) {
    let now_ms = u64::from(NOW_SECONDS) * 1_000;
    let message = IncomingMessage { id: "sample".into(), content: Content::Text("Hello".into()), quoted: None };
    let event = Event {
        id: "sample".into(),
        sequence: 1,
        timestamp_ms: now_ms,
        kind: EventKind::Message(message),
        metadata: vec![],
    };
    let customer = Customer {
        phone: Some("27820000001".into()),
        user_id: Some("ZA.100".into()),
        username: None,
        name: Some("Sample".into()),
    };
    let local_time = LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour: 10, minute: 0 };
    let session = Session {
        participant_id: "sample".into(),
        client_ref: "sample".into(),
        business_number: "27110000000".into(),
        customer,
        channel: Channel::Whatsapp,
        state: String::new(),
        now_ms,
        local_time,
        reopened: false,
        previous_template: None,
        window_ends_ms: Some(now_ms + 86_400_000),
        last_team: None,
        attributes: vec![],
        metadata: vec![],
    };
    (event, session)
}

pub(crate) fn inbound() -> Inbound {
    let (_, session) = hello();
    Inbound {
        id: "sample".into(),
        participant_id: session.participant_id,
        client_ref: session.client_ref,
        business_number: session.business_number,
        customer: session.customer,
        channel: session.channel,
        message: IncomingMessage { id: "sample".into(), content: Content::Text("Hello".into()), quoted: None },
        reopened: false,
        previous_template: None,
        default_bot: None,
        last_agent: None,
        last_team: None,
        tags: vec![],
        now_ms: session.now_ms,
        local_time: session.local_time,
        metadata: vec![],
    }
}

pub(crate) fn sms() -> Sms {
    Sms {
        id: "sample".into(),
        direction: Direction::Outgoing,
        client_ref: "sample".into(),
        destination: "27820000001".into(),
        source: "27110000000".into(),
        product: "json".into(),
        traffic: "ordinary".into(),
        text: "Hello".into(),
        segments: 1,
        bind: None,
        binds: vec!["main".into()],
        metadata: vec![],
    }
}

pub(crate) fn undeliverable() -> Undeliverable {
    Undeliverable {
        message_id: "sample".into(),
        client_ref: "sample".into(),
        recipient: "27820000001".into(),
        sender: "27110000000".into(),
        error_code: "131026".into(),
        error_text: "Message undeliverable".into(),
        requested: RequestedFallback { send_fallback: true, text: None, unicode: false },
        auto_text: Some("Hello".into()),
        seen_on_whatsapp: false,
        age_seconds: 3,
        local_time: hello().1.local_time,
        template_name: Some("sample".into()),
        metadata: vec![],
    }
}

/// The smallest webhook event. A shaper for other events may refuse it.
pub(crate) fn webhook_event() -> WebhookEvent {
    WebhookEvent::SessionStatus(SessionStatusEvent {
        whatsapp_number: "27110000000".into(),
        status: "Connected".into(),
        status_type: "success".into(),
        timestamp_ms: u64::from(NOW_SECONDS) * 1_000,
        metadata: vec![],
    })
}
