use chrono::{DateTime, Utc};
use domain::content::OutboundContent;
use plugin_host::{
    Zone,
    sms_fallback::{RequestedFallback, Undeliverable},
};
use storage::{outbound::fallbacks::DueFallback, tenancy::clients::Client};

pub(super) fn undeliverable(waiting: &DueFallback, owner: &Client, now: DateTime<Utc>) -> Undeliverable {
    let requested = waiting.fallback.as_ref();
    let (auto_text, template_name) = match &waiting.content {
        OutboundContent::Template(template) => (Some(template.rendered_text.clone()), Some(template.name.clone())),
        OutboundContent::Text { body } => (Some(body.clone()), None),
        OutboundContent::Media(media) => (media.caption.clone(), None),
        _ => (None, None),
    };
    Undeliverable {
        message_id: waiting.message.to_string(),
        client_ref: owner.client_ref.clone(),
        recipient: waiting.recipient.phone().unwrap_or_default().to_owned(),
        sender: waiting.sender.clone().unwrap_or_default(),
        error_code: waiting.error_code.clone(),
        error_text: waiting.error_text.clone(),
        requested: RequestedFallback {
            send_fallback: requested.is_some(),
            text: requested.and_then(|fallback| fallback.text.clone()),
            unicode: requested.is_some_and(|fallback| fallback.unicode),
        },
        auto_text,
        // This was judged when the failure was reported, so a message that arrives here must be decided.
        seen_on_whatsapp: false,
        age_seconds: u32::try_from((now - waiting.failed_at).num_seconds().max(0)).unwrap_or(u32::MAX),
        local_time: Zone::parse(&owner.time_zone).unwrap_or(Zone::UTC).local_time(now),
        template_name,
        metadata: Vec::new(),
    }
}
