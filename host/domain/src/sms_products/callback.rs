//! Callbacks of the JSON gateway (SPEC 6.6): their content and their receiver.

use chrono::{DateTime, Utc};

use crate::iso_time::iso_time;
use sha2::{Digest, Sha256};
use url::{Url, form_urlencoded};
use uuid::Uuid;

use super::GatewayStatus;
use crate::ids::{MessageId, SmsRequestId};

/// The receiver of a URL: scheme, host and port. Callbacks to one receiver share a lane.
pub fn lane_of(url: &str) -> Uuid {
    let origin = Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let digest = Sha256::digest(origin.as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, of_digest)| *byte = of_digest);
    Uuid::from_bytes(bytes)
}

#[derive(Debug, Clone, Copy)]
pub struct MessageIds<'a> {
    pub ct_id: Option<&'a str>,
    pub request: SmsRequestId,
    pub message: MessageId,
    pub identifier: Option<&'a str>,
}

fn form(fields: &[(&str, Option<&str>)]) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        form.append_pair(name, value.unwrap_or_default());
    }
    form.finish()
}

pub fn receipt(about: MessageIds<'_>, to: &str, status: GatewayStatus, at: DateTime<Utc>) -> String {
    form(&[
        ("ctid", about.ct_id),
        ("gstid", Some(&about.request.to_string())),
        ("stid", Some(&about.message.to_string())),
        ("to", Some(to)),
        ("identifier", about.identifier),
        ("statusCode", Some(status.code())),
        ("statusDescription", Some(status.description())),
        ("time", Some(&iso_time(at))),
    ])
}

pub fn reply(about: MessageIds<'_>, from: &str, to: &str, text: &str, at: DateTime<Utc>) -> String {
    form(&[
        ("ctid", about.ct_id),
        ("gstid", Some(&about.request.to_string())),
        ("stid", Some(&about.message.to_string())),
        ("from", Some(from)),
        ("to", Some(to)),
        ("identifier", about.identifier),
        ("messageText", Some(text)),
        ("time", Some(&iso_time(at))),
    ])
}

pub fn with_query(url: &str, form: &str) -> String {
    let Ok(mut whole) = Url::parse(url) else { return url.to_owned() };
    let query = match whole.query().filter(|query| !query.is_empty()) {
        Some(query) => format!("{query}&{form}"),
        None => form.to_owned(),
    };
    whole.set_query(Some(&query));
    whole.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_its_host_and_port() {
        assert_eq!(lane_of("https://a.example/x?y"), lane_of("https://a.example:443/z"));
        assert_ne!(lane_of("https://a.example/x"), lane_of("https://b.example/x"));
        assert_ne!(lane_of("https://a.example/x"), lane_of("https://a.example:8443/x"));
    }

    #[test]
    fn our_parameters_follow_the_clients_own_query() {
        assert_eq!(with_query("https://a.example/r?key=1", "to=27"), "https://a.example/r?key=1&to=27");
        assert_eq!(with_query("https://a.example/r", "to=27"), "https://a.example/r?to=27");
    }

    #[test]
    fn a_reply_with_any_text_is_reported() {
        let about = MessageIds {
            ct_id: None,
            request: SmsRequestId(Uuid::nil()),
            message: MessageId(Uuid::max()),
            identifier: Some("é&="),
        };
        let form = reply(about, "27821234567", "27110000001", "a&b=c\n🦀", DateTime::UNIX_EPOCH);
        assert_eq!(
            form,
            "ctid=&gstid=00000000-0000-0000-0000-000000000000&stid=ffffffff-ffff-ffff-ffff-ffffffffffff&from=27821234567&to=27110000001&identifier=%C3%A9%26%3D&messageText=a%26b%3Dc%0A%F0%9F%A6%80\
             &time=1970-01-01T00%3A00%3A00.000Z"
        );
    }
}
