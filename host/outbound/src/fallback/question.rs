use chrono::{DateTime, Utc};
use domain::{clock::minted_at, content::OutboundContent, ids::MessageId};
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
        seen_on_whatsapp: waiting.seen_on_whatsapp,
        age_seconds: age_seconds(waiting.message, now),
        local_time: Zone::parse(&owner.time_zone).unwrap_or(Zone::UTC).local_time(now),
        template_name,
        metadata: Vec::new(),
    }
}

/// Counts from the request, because a message may wait for hours before it fails, and an old one-time PIN is of no use.
fn age_seconds(message: MessageId, now: DateTime<Utc>) -> u32 {
    u32::try_from((now - minted_at(message.0)).num_seconds().max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use domain::clock::first_id_at;

    use super::*;

    #[test]
    fn the_age_of_a_message_is_the_time_since_its_request_and_never_negative() {
        let accepted = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let age_after = |passed: TimeDelta| age_seconds(MessageId(first_id_at(accepted)), accepted + passed);
        assert_eq!(age_after(TimeDelta::hours(2)), 7_200);
        assert_eq!(age_after(TimeDelta::milliseconds(999)), 0);
        assert_eq!(age_after(TimeDelta::seconds(-1)), 0, "the clock was set back");
        assert_eq!(age_after(TimeDelta::days(365 * 200)), u32::MAX);
    }
}
