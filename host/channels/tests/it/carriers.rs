//! The common rules of all carriers, shown with one that sends nothing: it is this file, and one line in the table.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use channels::carrier::{
    Carrier, CarrierInbox, CarrierPause, Carriers, Credentials, OutgoingMessage, ProviderState, SendPlace,
};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, NO_ANSWER, SendFailure},
    content::OutboundContent,
    ids::{ClientId, InboxId, MessageId},
    inbox::InboxKind,
};
use uuid::Uuid;

/// Keeps its messages, two at a time.
#[derive(Clone, Default)]
struct Notebook {
    written: Arc<Mutex<Vec<String>>>,
    free: Arc<AtomicUsize>,
}

struct Line(Arc<AtomicUsize>);

impl Drop for Line {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Carrier for Notebook {
    fn kind(&self) -> InboxKind {
        InboxKind::Web
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        2
    }

    fn take(&self, _inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        let one = || {
            let taken = self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |free| free.checked_sub(1));
            taken.is_ok().then(|| SendPlace::of(Line(Arc::clone(&self.free))))
        };
        Ok((0..wanted).map_while(|_| one()).collect())
    }

    async fn send(
        &self,
        _inbox: &CarrierInbox,
        _place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let OutboundContent::Text { body } = outgoing.content else { panic!("not a text") };
        self.written.lock().unwrap().push(format!("{}: {body}", outgoing.to.value()));
        Ok(Acceptance { provider_id: Some(outgoing.opaque.to_owned()), ..Acceptance::default() })
    }
}

/// An inbox of a kind, without credentials.
pub fn inbox(number: u128, kind: InboxKind) -> CarrierInbox {
    CarrierInbox {
        client: ClientId(Uuid::from_u128(1)),
        id: InboxId(Uuid::from_u128(number)),
        kind,
        address: "PATCHBAY".to_owned(),
        rate_per_second: None,
        credentials: Credentials::default(),
    }
}

/// A message id that ends in this byte.
pub fn message(last: u8) -> MessageId {
    MessageId(Uuid::from_u128((7 << 76) | u128::from(last)))
}

pub fn text(body: &str) -> OutboundContent {
    OutboundContent::Text { body: body.to_owned() }
}

pub fn phone(number: &str) -> Address {
    Address::of_kind(AddressKind::Phone, number).unwrap()
}

#[tokio::test]
async fn a_new_carrier_is_one_line_in_the_table() {
    let notebook = Notebook { free: Arc::new(AtomicUsize::new(2)), ..Notebook::default() };
    let carriers = Carriers::default().with(notebook.clone());
    assert!(carriers.of(InboxKind::Messenger).is_none());
    assert_eq!(carriers.kinds().collect::<Vec<_>>(), [InboxKind::Web]);

    let inbox = inbox(1, InboxKind::Web);
    let carrier = carriers.of(inbox.kind).unwrap();
    let mut places = carrier.take(&inbox, 9).unwrap();
    assert_eq!(places.len(), carrier.window(&inbox));
    let (to, content) = (Address::of_kind(AddressKind::Visitor, "v-1").unwrap(), text("Hello"));
    let outgoing = OutgoingMessage::new(message(1), "leg-1", &to, &content, &());
    assert!(carrier.admit(&inbox, &to).is_ok());
    assert_eq!(*carrier.carry(&content).unwrap(), content);
    let taken = carrier.send(&inbox, places.pop().unwrap(), &outgoing).await.unwrap();
    assert_eq!(taken.provider_id.as_deref(), Some("leg-1"));
    assert_eq!(*notebook.written.lock().unwrap(), ["v-1: Hello"]);
    assert_eq!(carrier.take(&inbox, 9).unwrap().len(), 1, "a place that was used comes back");
    drop(places);
    assert_eq!(carrier.take(&inbox, 9).unwrap().len(), 2, "and one that was not");

    assert_eq!(carrier.lookup(&inbox, &outgoing).await, ProviderState::NotPossible);
    assert_eq!(carrier.no_answer().code, NO_ANSWER);
}
