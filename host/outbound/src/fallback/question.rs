//! What a fallback plugin is told, in the words of `wit/`.

use chrono::{DateTime, Utc};
use domain::{content::OutboundContent, send::FallbackRequest};
use plugin_host::sms_fallback::{RequestedFallback, Undeliverable};
use storage::fallbacks::DueFallback;

use base::{Error, Result};

/// The message that could not be delivered.
pub(super) fn undeliverable(waiting: &DueFallback, now: DateTime<Utc>) -> Result<Undeliverable> {
    let unreadable = |source| Error::Unreadable { what: "message of a fallback", source };
    let requested: Option<FallbackRequest> =
        waiting.fallback.clone().map(serde_json::from_value).transpose().map_err(unreadable)?;
    let content: OutboundContent = serde_json::from_value(waiting.content.clone()).map_err(unreadable)?;
    let (auto_text, template_name) = match content {
        OutboundContent::Template(template) => (Some(template.rendered_text), Some(template.name)),
        OutboundContent::Text { body } => (Some(body), None),
        OutboundContent::Media(media) => (media.caption, None),
        _ => (None, None),
    };
    Ok(Undeliverable {
        message_id: waiting.message_id.to_string(),
        recipient: waiting.to_phone.clone().unwrap_or_default(),
        sender: waiting.msisdn.clone(),
        error_code: waiting.error_code.clone(),
        error_text: waiting.error_text.clone(),
        requested: RequestedFallback {
            send_fallback: requested.is_some(),
            text: requested.as_ref().and_then(|fallback| fallback.text.clone()),
            unicode: requested.is_some_and(|fallback| fallback.unicode),
        },
        auto_text,
        // Whether that matters was judged when the failure came in; what arrives here is to be decided.
        seen_on_whatsapp: false,
        age_seconds: u32::try_from((now - waiting.failed_at).num_seconds().max(0)).unwrap_or(u32::MAX),
        template_name,
        metadata: Vec::new(),
    })
}
