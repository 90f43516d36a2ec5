//! Partner events have many fields, and each type sets few of them.

use crate::webhook_shaper::PartnerEvent;

/// An event of this type about a business number. Set further fields with struct update syntax.
pub fn partner_event(event_type: &str, whatsapp_number: &str, timestamp_ms: u64) -> PartnerEvent {
    PartnerEvent {
        event_type: event_type.to_owned(),
        whatsapp_number: Some(whatsapp_number.to_owned()),
        timestamp_ms,
        quality_rating: None,
        messaging_limit_tier: None,
        channel_status: None,
        template_name: None,
        template_status: None,
        rejected_reason: None,
        previous_quality_score: None,
        new_quality_score: None,
        template_language: None,
        template_element: None,
        wa_id: None,
        category: None,
        preference_value: None,
        old_number: None,
        new_number: None,
        metadata: vec![],
    }
}
