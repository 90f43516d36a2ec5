//! The question to routers about one leg.

use channels::{carrier::CarrierInbox, smpp::part_count};
use domain::{
    content::{LegContent, OutboundContent},
    recipient::order_key,
    sms_products::SmsProduct,
    sms_route::SmsRoute,
};
use plugin_host::sms_router::{Direction, Sms};
use storage::{outbound::work::DueLeg, sms::routes::RouteFacts};
use uuid::Uuid;

use super::leg_source::{sms_of, source_of};
use crate::routing::{Bounds, SmsQuestion};

fn text_of(leg: &DueLeg) -> String {
    let content = match &leg.own_content {
        Some(LegContent::Sms(sms)) => return sms.text.clone(),
        Some(LegContent::Message(content)) => content,
        None => leg.content.as_ref(),
    };
    match content {
        OutboundContent::Sms(sms) => sms.text.clone(),
        OutboundContent::Text { body } => body.clone(),
        _ => String::new(),
    }
}

pub(super) fn question(
    inbox: &CarrierInbox,
    leg: &DueLeg,
    known: Option<&RouteFacts>,
    binds: &[String],
) -> SmsQuestion {
    let sms = sms_of(leg);
    let (bounds, text) = (Bounds::of(sms), text_of(leg));
    let segments = match &leg.own_content {
        Some(LegContent::Message(content)) => part_count(content, bounds.unicode),
        Some(LegContent::Sms(_)) => None,
        None => part_count(&leg.content, bounds.unicode),
    };
    let segments = segments.and_then(|count| u32::try_from(count).ok()).or_else(|| bounds.segments(&text));
    let product = known.and_then(|known| known.product.as_deref()).map(str::to_lowercase);
    let other = match (&leg.own_content, leg.chat_message) {
        (_, Some(_)) => "chat",
        (Some(LegContent::Sms(_)), None) => "fallback",
        _ => "api",
    };
    // In a batch with a reply model, SMS that can be answered are urgent. In the other products, one-time PINs are.
    let is_batch = known.and_then(|known| known.product.as_deref()) == Some(SmsProduct::Batch.as_str());
    let traffic = match sms {
        Some(sms) if sms.urgent && !is_batch => "otp",
        Some(sms) if sms.urgent => "reply",
        _ if leg.chat_message.is_some() => "reply",
        _ => "ordinary",
    };
    let recipient = leg.recipient.address();
    SmsQuestion {
        id: leg.message.0,
        subject: Uuid::from_u64_pair(0, order_key(leg.inbox, recipient).cast_unsigned()),
        forgets: known.is_some_and(|known| known.forgets),
        bounds,
        sms: Sms {
            id: leg.message.to_string(),
            direction: Direction::Outgoing,
            client_ref: known.map(|known| known.client_ref.clone()).unwrap_or_default(),
            destination: recipient.value().to_owned(),
            source: source_of(inbox, leg).to_owned(),
            product: product.unwrap_or_else(|| other.to_owned()),
            traffic: traffic.to_owned(),
            segments: segments.unwrap_or(1),
            text,
            bind: None,
            binds: binds.to_vec(),
            metadata: Vec::new(),
        },
        route: SmsRoute::default(),
    }
}
