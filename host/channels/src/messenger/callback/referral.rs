//! The advertisement or link that led a customer to the page: with a message, with a tap, or alone.

use domain::referral::Referral;
use serde_json::Value;

use crate::whatsapp_cloud::callback::referral::text_field;

pub(super) fn of_event(event: &Value) -> Option<Box<Referral>> {
    let places = ["/message/referral", "/postback/referral", "/referral"];
    let referral = places.into_iter().find_map(|place| event.pointer(place))?;
    let nothing = Value::Null;
    let ad = referral.get("ads_context_data").unwrap_or(&nothing);
    let product = referral.get("product").unwrap_or(&nothing);
    let (media_type, media_url) = match (text_field(ad, "video_url"), text_field(ad, "photo_url")) {
        (Some(video), _) => (Some("video".to_owned()), Some(video)),
        (None, Some(photo)) => (Some("image".to_owned()), Some(photo)),
        (None, None) => (None, None),
    };
    let known = Referral {
        source_type: text_field(referral, "source"),
        source_id: text_field(referral, "ad_id").or_else(|| text_field(ad, "post_id")),
        source_url: text_field(referral, "referer_uri"),
        headline: text_field(ad, "ad_title"),
        body: None,
        media_type,
        media_url,
        ctwa_clid: text_field(referral, "ctwa_clid"),
        reference: text_field(referral, "ref"),
        catalog_id: None,
        product_id: text_field(product, "id").or_else(|| text_field(ad, "product_id")),
    };
    known.if_any()
}
