//! The events of the partner webhook (SPEC 6.4), with those of plugins: suspensions and withdrawn canaries.

use chrono::{DateTime, Utc};
use domain::{
    address::AddressKind,
    event::{
        CustomerNumberChanged, Event, InboxQualityChanged, PluginSwapped, PluginVersion, PreferenceChanged, Swap,
        TemplateChange, TemplateChanged, WebhookDisabled,
    },
};
use plugin_host::webhook_shaper::{PartnerEvent, partner_event};

use plugin_host::unix_millis;

pub(super) fn partner(event: &Event, business: &str, at: DateTime<Utc>) -> Option<PartnerEvent> {
    let named = |event_type: &str| partner_event(event_type, business, unix_millis(at));
    Some(match event {
        Event::TemplateChanged(changed) => template(changed, named),
        Event::CustomerNumberChanged(changed) => number(changed, named("USER_CHANGED_NUMBER")),
        Event::InboxQualityChanged(changed) => quality(changed, named("PHONE_QUALITY_CHANGED")),
        Event::PreferenceChanged(changed) => preference(changed, named("USER_PREFERENCE")),
        Event::PluginSuspended(suspended) => {
            plugin_event(&suspended.plugin, &suspended.reason, named("PLUGIN_SUSPENDED"))
        }
        Event::PluginSwapped(PluginSwapped { plugin, swap: Swap::TakenBack { reason }, .. }) => {
            plugin_event(plugin, reason, named("PLUGIN_CANARY_FAILED"))
        }
        Event::WebhookDisabled(off) => disabled_event(off, named("WEBHOOK_DISABLED")),
        _ => return None,
    })
}

fn template(changed: &TemplateChanged, named: impl FnOnce(&str) -> PartnerEvent) -> PartnerEvent {
    let template_name = Some(changed.name.clone());
    match &changed.change {
        TemplateChange::Status { status, reason } => PartnerEvent {
            template_name,
            template_status: Some(status.as_str().to_owned()),
            rejected_reason: reason.clone(),
            ..named("TEMPLATE_STATUS_CHANGED")
        },
        TemplateChange::Quality { before, now } => PartnerEvent {
            template_name,
            previous_quality_score: Some(before.as_str().to_owned()),
            new_quality_score: Some(now.as_str().to_owned()),
            ..named("TEMPLATE_QUALITY_CHANGED")
        },
        TemplateChange::Components { element } => PartnerEvent {
            template_name,
            template_language: changed.language.clone(),
            template_element: Some(element.as_str().to_owned()),
            ..named("TEMPLATE_COMPONENTS_CHANGED")
        },
    }
}

fn number(changed: &CustomerNumberChanged, named: PartnerEvent) -> PartnerEvent {
    PartnerEvent {
        old_number: Some(changed.before.value().to_owned()),
        new_number: Some(changed.now.value().to_owned()),
        ..named
    }
}

fn quality(changed: &InboxQualityChanged, named: PartnerEvent) -> PartnerEvent {
    PartnerEvent {
        quality_rating: changed.quality.map(|quality| quality.as_str().to_owned()),
        messaging_limit_tier: changed.limit.as_deref().and_then(tier).map(str::to_owned),
        channel_status: changed.status.map(|status| status.as_str().to_owned()),
        ..named
    }
}

/// Maps the tiers of the provider to the four of the product; an unknown one is left out (PROVIDERS 0.3).
fn tier(limit: &str) -> Option<&'static str> {
    match limit {
        "TIER_50" | "TIER_250" | "TIER_1K" | "TIER_2K" => Some("TIER_1K"),
        "TIER_10K" => Some("TIER_10K"),
        "TIER_100K" => Some("TIER_100K"),
        "TIER_UNLIMITED" => Some("TIER_UNLIMITED"),
        _ => None,
    }
}

fn preference(changed: &PreferenceChanged, named: PartnerEvent) -> PartnerEvent {
    let phone = changed.address.as_ref().and_then(|address| address.as_kind(AddressKind::Phone));
    PartnerEvent {
        wa_id: phone.map(str::to_owned),
        category: Some(changed.category.clone()),
        preference_value: Some(if changed.stop { "stop" } else { "resume" }.to_owned()),
        ..named
    }
}

fn plugin_event(plugin: &PluginVersion, reason: &str, named: PartnerEvent) -> PartnerEvent {
    let mut metadata = vec![("plugin".to_owned(), plugin.name.clone()), ("reason".to_owned(), reason.to_owned())];
    metadata.extend(plugin.version.map(|version| ("pluginVersion".to_owned(), version.to_string())));
    PartnerEvent { metadata, ..named }
}

fn disabled_event(off: &WebhookDisabled, named: PartnerEvent) -> PartnerEvent {
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let metadata = vec![
        fact("webhookId", &off.config.to_string()),
        fact("webhookType", off.webhook.as_str()),
        fact("url", &off.url),
        fact("reason", off.reason.as_str()),
    ];
    // The default configuration is for all numbers without an override.
    let whatsapp_number = named.whatsapp_number.clone().filter(|_| !off.is_default);
    PartnerEvent { metadata, whatsapp_number, ..named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_of_the_provider_is_one_of_the_documented_four_or_left_out() {
        for (limit, shown) in [
            ("TIER_50", Some("TIER_1K")),
            ("TIER_250", Some("TIER_1K")),
            ("TIER_1K", Some("TIER_1K")),
            ("TIER_2K", Some("TIER_1K")),
            ("TIER_10K", Some("TIER_10K")),
            ("TIER_100K", Some("TIER_100K")),
            ("TIER_UNLIMITED", Some("TIER_UNLIMITED")),
            ("TIER_NOT_SET", None),
            ("TIER_5M", None),
        ] {
            assert_eq!(tier(limit), shown, "{limit}");
        }
    }
}
