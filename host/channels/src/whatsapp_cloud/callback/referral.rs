//! The advertisement, post or product that led to a message (PROVIDERS A.8).

use domain::referral::Referral;
use serde_json::Value;

use super::fields::text;

/// Most characters of one value: addresses of advertisements have some hundred.
const MOST: usize = 2_048;

/// The origin of a message's customer: `referral`, and `context.referred_product`.
pub(super) fn referral_of(message: &Value) -> Option<Box<Referral>> {
    let nothing = Value::Null;
    let referral = message.get("referral").unwrap_or(&nothing);
    let product = message.pointer("/context/referred_product").unwrap_or(&nothing);
    let media = ["image", "video"].into_iter().find_map(|kind| {
        let direct = text(referral, &format!("{kind}_url"));
        direct.or_else(|| text(referral.get(kind)?, "url"))
    });
    let media = media.or_else(|| text(referral, "thumbnail_url"));
    let known = Referral {
        source_type: text_field(referral, "source_type"),
        source_id: text_field(referral, "source_id"),
        source_url: text_field(referral, "source_url"),
        headline: text_field(referral, "headline"),
        body: text_field(referral, "body"),
        media_type: text_field(referral, "media_type"),
        media_url: media.map(cut),
        ctwa_clid: text_field(referral, "ctwa_clid"),
        reference: text_field(referral, "ref"),
        catalog_id: text_field(product, "catalog_id"),
        product_id: text_field(product, "product_retailer_id"),
    };
    known.if_any()
}

pub(crate) fn text_field(part: &Value, name: &str) -> Option<String> {
    text(part, name).map(cut)
}

fn cut(text: &str) -> String {
    text.chars().take(MOST).collect()
}
