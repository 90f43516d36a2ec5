//! A send in the query of a URL, for light use (SPEC 4.8): one text to the numbers in `to`.

use std::collections::HashMap;

use domain::{
    body::{Faults, FieldFault, slip},
    dates,
    sms_products::{
        boolean::BooleanText,
        cell,
        json::{JsonSmsBody, ReplyMethod, WireSettings, WireSmsRecipient},
    },
};
use utoipa::IntoParams;

use crate::form;

/// The parameters of a send in a query.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "the form of what `read` reads")]
pub(super) struct LightSend {
    /// Numbers, separated by commas.
    #[param(nullable = false)]
    to: Option<String>,
    /// The text.
    #[param(nullable = false)]
    message_text: Option<String>,
    /// The client's tracking id.
    #[param(nullable = false)]
    ctid: Option<String>,
    /// The client's own names of the recipients.
    #[param(nullable = false)]
    identifier: Option<String>,
    /// `true`: Unicode, 70 characters per segment.
    #[param(nullable = false)]
    unicode: Option<String>,
    /// Time of sending.
    #[param(nullable = false)]
    scheduled_sms_date: Option<String>,
    /// `true`: the text is deleted after sending.
    #[param(nullable = false)]
    dsm: Option<String>,
    /// Address for receipts.
    #[param(nullable = false, rename = "receiptCallBackURL")]
    receipt_call_back_url: Option<String>,
    /// Address for replies.
    #[param(nullable = false, rename = "replyCallBackURL")]
    reply_call_back_url: Option<String>,
    /// HTTP method for replies.
    #[param(value_type = Option<ReplyMethod>, nullable = false, inline)]
    reply_call_back_method: Option<String>,
}

const PARAMETERS: [&str; 10] = [
    "to",
    "messageText",
    "ctid",
    "identifier",
    "unicode",
    "scheduledSmsDate",
    "dsm",
    "receiptCallBackURL",
    "replyCallBackURL",
    "replyCallBackMethod",
];
/// Fields of a body that a query expresses in another way.
const ELSEWHERE: [(&str, &str); 2] = [("recipients", "`to`"), ("otpToken", "the header `otpToken`")];

/// Turns a query into the equal body. Unknown parameters are ignored, unless their name is nearly a known one.
pub(super) fn read(query: &str) -> Result<JsonSmsBody, Faults> {
    let fields = form::fields(query.as_bytes()).map_err(|why| FieldFault::new("query", why.to_string()))?;
    let (mut given, mut faults) = (HashMap::new(), Faults::default());
    for (name, value) in fields {
        if let Some(said) = slip(&name, &PARAMETERS, &ELSEWHERE) {
            faults.push(FieldFault::new(name.replace('\0', ""), said));
        } else if value.contains('\0') {
            faults.push(FieldFault::new(name.replace('\0', ""), "contains a NUL character"));
        } else if PARAMETERS.contains(&name.as_str()) && given.insert(name.clone(), value).is_some() {
            faults.push(FieldFault::new(name, "is given twice"));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut take = |name: &str| given.remove(name);
    let (to, identifier) = (take("to").unwrap_or_default(), take("identifier"));
    let recipient = |to: &str| WireSmsRecipient { to: Some(to.to_owned()), identifier: identifier.clone() };
    Ok(JsonSmsBody {
        messages: None,
        ctid: take("ctid"),
        recipients: Some(cell::entries(&to).map(recipient).collect()),
        message_text: take("messageText"),
        unicode: take("unicode").map(BooleanText::Text),
        settings: Some(WireSettings {
            scheduled_sms_date: take("scheduledSmsDate").map(|text| dates::restored(&text)),
            dsm: take("dsm").map(BooleanText::Text),
            receipt_call_back_url: take("receiptCallBackURL"),
            reply_call_back_url: take("replyCallBackURL"),
            reply_call_back_method: take("replyCallBackMethod"),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(query: &str) -> Vec<String> {
        read(query).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_query_has_the_same_meaning_as_a_body() {
        let body = read("to=27821234567,+0821234568&messageText=caf%C3%A9+1&ctid=a&dsm=true&source=X").unwrap();
        let to: Vec<_> = body.recipients.unwrap().into_iter().filter_map(|recipient| recipient.to).collect();
        assert_eq!(to, ["27821234567", "0821234568"]);
        assert_eq!((body.message_text.as_deref(), body.ctid.as_deref()), (Some("café 1"), Some("a")));
        assert_eq!(body.settings.unwrap().dsm.unwrap().read(), Some(true));
    }

    #[test]
    fn a_time_is_read_whether_its_plus_is_escaped_or_not() {
        for plus in ["+", "%2B"] {
            let body = read(&format!("scheduledSmsDate=2026-01-31T10:15:00{plus}02:00")).unwrap();
            assert_eq!(body.settings.unwrap().scheduled_sms_date.as_deref(), Some("2026-01-31T10:15:00+02:00"));
        }
    }

    #[test]
    fn invalid_text_is_refused_and_not_sent_with_other_characters() {
        assert!(faults("to=27821234567&messageText=caf%E9")[0].starts_with("`query` is not UTF-8"));
        assert_eq!(faults("messageText=a%00b"), ["`messageText` contains a NUL character"]);
    }

    #[test]
    fn a_repeated_or_misspelled_parameter_is_named() {
        assert_eq!(faults("messageText=a&messageText=b"), ["`messageText` is given twice"]);
        assert_eq!(faults("messagetext=a"), ["`messagetext` is not a field here; did you mean `messageText`?"]);
        assert_eq!(faults("recipients=1"), ["`recipients` is not a field here; did you mean `to`?"]);
    }
}
