//! A message to a visitor is already in its chat, so it is accepted at once, and the visitor's sockets are woken.

use std::borrow::Cow;

use async_trait::async_trait;
use domain::{
    address::AddressKind,
    carriage::{Acceptance, SendFailure},
    content::OutboundContent,
    ids::MessageId,
    inbox::InboxKind,
};

use super::Doorbell;
use crate::carrier::{Carrier, CarrierInbox, CarrierPause, OutgoingMessage, SendPlace, UnsupportedContent};

/// Concurrent sends of one site.
const WINDOW: usize = 64;

pub struct WebCarrier {
    doorbell: Doorbell,
}

impl WebCarrier {
    pub fn new(doorbell: Doorbell) -> Self {
        Self { doorbell }
    }
}

pub fn message_id(message: MessageId) -> String {
    format!("web:{}", message.0)
}

#[async_trait]
impl Carrier for WebCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::Web
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        WINDOW
    }

    fn take(&self, _inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        Ok((0..wanted.min(WINDOW)).map(|_| SendPlace::of(())).collect())
    }

    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        match content {
            OutboundContent::Sms(sms) => Ok(Cow::Owned(OutboundContent::Text { body: sms.text.clone() })),
            other => Ok(Cow::Borrowed(other)),
        }
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        _place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let visitor = outgoing.to.as_kind(AddressKind::Visitor);
        let Some(visitor) = visitor.or_else(|| outgoing.other?.as_kind(AddressKind::Visitor)) else {
            return Err(UnsupportedContent { reason: "a site writes to its visitors only".to_owned() }.into());
        };
        self.doorbell.ring(inbox.client, inbox.id, visitor);
        Ok(Acceptance { provider_id: Some(message_id(outgoing.message)), ..Acceptance::default() })
    }
}

#[cfg(test)]
mod tests {
    use domain::{address::Address, ids::ClientId};
    use uuid::Uuid;

    use super::*;
    use crate::carrier::Credentials;

    fn inbox() -> CarrierInbox {
        CarrierInbox {
            client: ClientId(Uuid::from_u128(1)),
            id: Uuid::from_u128(2).into(),
            kind: InboxKind::Web,
            address: "site_1".to_owned(),
            rate_per_second: None,
            credentials: Credentials::default(),
        }
    }

    async fn send(to: &Address) -> (Result<Acceptance, SendFailure>, Doorbell) {
        let bell = Doorbell::default();
        let carrier = WebCarrier::new(bell.clone());
        let place = carrier.take(&inbox(), 1).unwrap().pop().unwrap();
        let content = OutboundContent::Text { body: "Hello".to_owned() };
        let outgoing = OutgoingMessage::new(MessageId(Uuid::from_u128(3)), "opaque", to, &content, &());
        (carrier.send(&inbox(), place, &outgoing).await, bell)
    }

    #[tokio::test]
    async fn a_message_is_taken_under_the_same_id_however_often_and_the_visitor_is_told() {
        let visitor = Address::of_kind(AddressKind::Visitor, "v-1").unwrap();
        let (first, bell) = send(&visitor).await;
        assert_eq!(first, send(&visitor).await.0);
        assert_eq!(first.unwrap().provider_id.as_deref(), Some("web:00000000-0000-0000-0000-000000000003"));
        assert!(bell.answer().contains(&(inbox().client, inbox().id, "v-1".to_owned())));
    }

    #[tokio::test]
    async fn a_recipient_that_is_not_a_visitor_is_not_reached() {
        let (refused, bell) = send(&Address::of_kind(AddressKind::Phone, "27820000001").unwrap()).await;
        assert!(matches!(refused, Err(SendFailure::Rejected(failure)) if failure.code == crate::carrier::CANNOT_CARRY));
        assert!(bell.answer().is_empty());
    }
}
