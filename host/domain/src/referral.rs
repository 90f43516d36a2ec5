//! The origin of a customer: the advertisement, post, product or link that led to a message (PROVIDERS A.8, B).

use serde::{Deserialize, Serialize};

/// A provider's description of the advertisement, post, product or link, in its own texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Referral {
    /// For example `ad`, `post` or `product`. On Messenger it is the `source`, such as `ADS` or `SHORTLINK`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
    /// Meta's id of the advertisement or post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// `image` or `video`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_url: Option<String>,
    /// Id of the click on a click-to-WhatsApp advertisement. Meta's Conversions API takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ctwa_clid: Option<String>,
    /// The parameter of a link of the business, such as `m.me/page?ref=...`.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Catalogue of the product that the customer asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_id: Option<String>,
}

impl Referral {
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("sourceType", &self.source_type),
            ("sourceId", &self.source_id),
            ("sourceUrl", &self.source_url),
            ("headline", &self.headline),
            ("body", &self.body),
            ("mediaType", &self.media_type),
            ("mediaUrl", &self.media_url),
            ("ctwaClid", &self.ctwa_clid),
            ("ref", &self.reference),
            ("catalogId", &self.catalog_id),
            ("productId", &self.product_id),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// The known values as `metadata` of plugins: `referral.sourceId` and so on.
    pub fn metadata(&self) -> impl Iterator<Item = (String, String)> {
        self.facts().map(|(name, value)| (format!("referral.{name}"), value.to_owned()))
    }

    /// `None` if no value is known.
    pub fn if_any(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_fields_have_their_json_names_and_the_rest_is_omitted() {
        let referral = Referral {
            source_id: Some("120".to_owned()),
            ctwa_clid: Some("Aff".to_owned()),
            reference: Some("spring".to_owned()),
            ..Referral::default()
        };
        let json = serde_json::to_value(&referral).unwrap();
        let mut named: Vec<String> = json.as_object().unwrap().keys().cloned().collect();
        named.sort_unstable();
        assert_eq!(named, ["ctwaClid", "ref", "sourceId"]);
        assert!(referral.facts().all(|(name, value)| json[name] == value));
        let metadata: Vec<(String, String)> = referral.metadata().collect();
        assert_eq!(metadata[0], ("referral.sourceId".to_owned(), "120".to_owned()));
        assert_eq!(metadata.len(), 3);
    }

    #[test]
    fn an_empty_referral_is_none() {
        assert_eq!(Referral::default().if_any(), None);
        let some = Referral { body: Some("Sale".to_owned()), ..Referral::default() };
        assert_eq!(some.clone().if_any().map(|referral| *referral), Some(some));
    }
}
