//! The SMS of a leg, and the source that it goes out from.

use channels::carrier::CarrierInbox;
use domain::content::{LegContent, OutboundContent, SmsContent};
use storage::outbound::work::DueLeg;

pub(super) fn sms_of(leg: &DueLeg) -> Option<&SmsContent> {
    match (leg.own_content.as_ref(), leg.content.as_ref()) {
        (Some(LegContent::Sms(sms)), _) | (None, OutboundContent::Sms(sms)) => Some(sms),
        _ => None,
    }
}

pub(super) fn source_of<'a>(inbox: &'a CarrierInbox, leg: &'a DueLeg) -> &'a str {
    sms_of(leg).and_then(|sms| sms.source.as_deref()).unwrap_or(&inbox.address)
}

pub(super) fn sent_from<'a>(inbox: &'a CarrierInbox, leg: &'a DueLeg) -> &'a str {
    routed_source(leg).unwrap_or_else(|| source_of(inbox, leg))
}

pub(super) fn routed_source(leg: &DueLeg) -> Option<&str> {
    leg.route.as_ref()?.source.as_deref()
}
