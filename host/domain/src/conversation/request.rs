//! The request that opens a conversation (SPEC 4.5).

use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    body::{self, Faults, FieldFault},
    phone::Msisdn,
    recipient::{Recipient, RecipientFault},
};

/// The customer of a conversation: `recipient` or, if it is absent, `customerUserId`.
// Unknown fields are ignored, as in sends.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewConversation, examples(json!({"sender": "27820001001", "recipient": "+27830000001"})))]
pub struct WireConversation {
    /// The business number, in international format.
    #[schema(required, nullable = false, max_length = 64, examples("27820001001"))]
    pub sender: Option<String>,
    /// The customer's phone number, in international format.
    pub recipient: Option<String>,
    /// The customer's business-scoped user id.
    pub customer_user_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRequest {
    pub sender: Msisdn,
    /// The customer: the phone number if there is one, with its BSUID.
    pub recipient: Recipient,
}

impl ConversationRequest {
    /// Reads a body. The phone number takes precedence and must be correct (SPEC 2.2).
    pub fn parse(body: &[u8]) -> Result<Self, Faults> {
        let wire: WireConversation = body::parse(body)?;
        let mut faults = Faults::default();
        let sender = match wire.sender.as_deref().filter(|text| !text.is_empty()) {
            None => Err(FieldFault::new("sender", "is required: the business number in international format")),
            Some(sender) => Msisdn::parse(sender).map_err(|wrong| FieldFault::new("sender", wrong.to_string())),
        };
        let recipient = Recipient::parse(wire.recipient.as_deref(), wire.customer_user_id.as_deref());
        let recipient = recipient.map_err(fault_of);
        if let (Ok(sender), Ok(recipient)) = (&sender, &recipient)
            && recipient.phone() == Some(sender.as_str())
        {
            faults.push(FieldFault::new("recipient", "is the sender"));
        }
        match (sender, recipient) {
            (Ok(sender), Ok(recipient)) if faults.is_empty() => Ok(Self { sender, recipient }),
            (sender, recipient) => {
                faults.extend([sender.err(), recipient.err()].into_iter().flatten());
                Err(faults)
            }
        }
    }

    pub fn unknown_sender() -> FieldFault {
        FieldFault::new("sender", "is not one of your WhatsApp numbers")
    }
}

fn fault_of(fault: RecipientFault) -> FieldFault {
    match fault {
        RecipientFault::BadPhone(wrong) => FieldFault::new("recipient", wrong.to_string()),
        RecipientFault::BadBsuid(wrong) => {
            FieldFault::new("customerUserId", format!("{wrong}; such an id is ignored, so `recipient` is required"))
        }
        RecipientFault::NoAddress => FieldFault::new(
            "recipient",
            "is required unless `customerUserId` is given: the customer of the conversation",
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: Value) -> Result<ConversationRequest, Vec<String>> {
        let fields = |faults: Faults| faults.into_listed().into_iter().map(|fault| fault.field).collect();
        ConversationRequest::parse(body.to_string().as_bytes()).map_err(fields)
    }

    #[test]
    fn a_phone_number_or_a_bsuid_is_needed_and_the_phone_number_wins() {
        let both =
            parse(json!({"sender": "27820001001", "recipient": "+27820000001", "customerUserId": "ZA.1"})).unwrap();
        assert_eq!((both.recipient.address().value(), both.recipient.bsuid()), ("27820000001", Some("ZA.1")));
        let bsuid = parse(json!({"sender": "27820001001", "customerUserId": "ZA.1"})).unwrap();
        assert_eq!((bsuid.recipient.phone(), bsuid.recipient.address().value()), (None, "ZA.1"));
        assert_eq!(parse(json!({"sender": "27820001001"})).unwrap_err(), ["recipient"]);
    }

    #[test]
    fn a_wrong_phone_number_is_refused_even_with_other_addresses() {
        let wrong = json!({"sender": "27820001001", "recipient": "082", "customerUserId": "ZA.1"});
        assert_eq!(parse(wrong).unwrap_err(), ["recipient"]);
    }

    #[test]
    fn a_malformed_bsuid_is_ignored_with_a_phone_number_and_refused_alone() {
        let with_user_id = json!({"sender": "27820001001", "recipient": "27820000001", "customerUserId": "nonsense"});
        assert_eq!(parse(with_user_id).unwrap().recipient.bsuid(), None);
        assert_eq!(
            parse(json!({"sender": "27820001001", "customerUserId": "nonsense"})).unwrap_err(),
            ["customerUserId"]
        );
    }

    #[test]
    fn every_fault_is_named_at_once() {
        assert_eq!(parse(json!({"recipient": "x"})).unwrap_err(), ["sender", "recipient"]);
        assert_eq!(parse(json!({"sender": "27820001001", "recipient": "27820001001"})).unwrap_err(), ["recipient"]);
        assert_eq!(parse(json!({"sender": 27_820_001_001_u64})).unwrap_err(), ["sender"]);
    }
}
