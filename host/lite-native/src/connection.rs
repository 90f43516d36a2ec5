//! One connection of a device, from its call to its end. The library reconnects by itself only if the protocol requires
//! it (after a pairing). Otherwise the connection ends here, and the holder of the session decides about the next one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use channels::whatsapp_lite::{DeviceEvent, DeviceFailure, QrCode, values::DeviceHolder};
use domain::lite::SessionNews;
use parking_lot::Mutex;
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use whatsapp_rust::{
    Client, InboundDurabilityHook, Jid, TokioRuntime,
    anyhow::Result as HookResult,
    store::persistence_manager::PersistenceManager,
    traits::Backend,
    transport::TokioWebSocketTransportFactory,
    types::{
        durability_hook::InboundMessage,
        events::{Event, EventHandler, Subscription},
        message::MessageInfo,
    },
    wacore::store::DevicePropsOverride,
};

use super::{
    event_queue::EventQueue,
    incoming_message, message_event,
    news::{ConnectionStage, EventMeaning},
    parts::DeviceParts,
    store::DeviceMemory,
};

/// Name of the device in the list on the phone.
const NAME_ON_THE_PHONE: &str = "Patchbay";
/// How often changes of the device itself are stored.
const SAVE: Duration = Duration::from_secs(10);
/// How long WhatsApp may take to answer the call.
const ANSWER: Duration = Duration::from_secs(60);
/// Longest time of a connection until messages can be sent: six codes are shown for 160 s, and then much is downloaded.
const READY: Duration = Duration::from_secs(300);
/// Longest time until a message is on disk; afterwards it comes again with the next connection.
const WRITTEN: Duration = Duration::from_secs(60);
const END: Duration = Duration::from_secs(20);

pub(super) struct DeviceConnection {
    client: Arc<Client>,
    listener: Arc<Listener>,
    watch: JoinHandle<()>,
    events: Subscription,
}

impl DeviceConnection {
    /// Connects to WhatsApp; the result comes as events.
    pub(super) async fn open(
        parts: &DeviceParts,
        holding: DeviceHolder,
        told: &Arc<EventQueue>,
    ) -> Result<Self, DeviceFailure> {
        let unusable = |error: &dyn std::fmt::Display| DeviceFailure::Unreachable(error.to_string());
        let memory: Arc<dyn Backend> = Arc::new(DeviceMemory::new(Arc::clone(&parts.settings.values), holding));
        let memory = PersistenceManager::new(memory).await.map_err(|error| unusable(&error))?;
        let built = Client::builder()
            .with_runtime(TokioRuntime)
            .with_persistence_manager(Arc::new(memory))
            .with_transport_factory(TokioWebSocketTransportFactory::new())
            .with_http_client(parts.web.clone())
            .with_inbound_durability_hook(Inbox { told: Arc::clone(told) })
            .with_skip_history_sync(true)
            .with_background_saver_interval(SAVE)
            .build()
            .await
            .map_err(|error| unusable(&error))?;
        let client = built.into_client();
        if client.pn().is_none() {
            client.set_device_props(DevicePropsOverride::new().with_os(NAME_ON_THE_PHONE)).await;
        }
        let listener = Arc::new(Listener::new(Arc::clone(told)));
        let events = client.subscribe_handler(Arc::<Listener>::clone(&listener));
        told.push(DeviceEvent::Session(SessionNews::Dialling));
        let watch = tokio::spawn(watch(Arc::clone(&client), Arc::clone(&listener)));
        Ok(Self { client, listener, watch, events })
    }

    pub(super) fn is_over(&self) -> bool {
        self.listener.end.is_cancelled() || self.watch.is_finished()
    }

    pub(super) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    pub(super) fn code(&self) -> Option<QrCode> {
        self.listener.code()
    }

    /// True if messages can be sent within this time.
    pub(super) async fn is_ready_within(&self, patience: Duration) -> bool {
        self.client.wait_for_connected(patience).await.is_ok()
    }

    /// Ends the pairing, and the connection with it.
    pub(super) async fn log_out(self) {
        let Self { client, listener, watch, events } = self;
        // Events that we cause ourselves are not reported.
        drop(events);
        let _ = timeout(END, client.logout()).await;
        end(&listener, watch).await;
    }

    /// Ends it; the pairing stays.
    pub(super) async fn close(self) {
        let Self { listener, watch, events, .. } = self;
        drop(events);
        end(&listener, watch).await;
    }
}

/// Lets the watch end the connection. If it takes longer, it ends by itself.
async fn end(listener: &Listener, watch: JoinHandle<()>) {
    listener.end.cancel();
    let _ = timeout(END, watch).await;
}

async fn watch(client: Arc<Client>, listener: Arc<Listener>) {
    let mut running = tokio::spawn({
        let client = Arc::clone(&client);
        async move { client.run().await }
    });
    let was_lost = tokio::select! {
        () = listener.end.cancelled() => false,
        _ = &mut running => true,
        () = not_ready(&client) => true,
    };
    if was_lost {
        listener.over(DeviceEvent::Session(SessionNews::Dropped));
    }
    client.disconnect().await;
    if !running.is_finished() && timeout(END, &mut running).await.is_err() {
        running.abort();
    }
}

async fn not_ready(client: &Client) {
    let ready = client.wait_for_socket(ANSWER).await.is_ok() && client.wait_for_connected(READY).await.is_ok();
    if ready {
        std::future::pending::<()>().await;
    }
}

struct Listener {
    told: Arc<EventQueue>,
    stage: Mutex<ConnectionStage>,
    code: Mutex<Option<(QrCode, Instant)>>,
    end: CancellationToken,
}

impl Listener {
    fn new(told: Arc<EventQueue>) -> Self {
        Self { told, stage: Mutex::default(), code: Mutex::default(), end: CancellationToken::new() }
    }

    fn over(&self, event: DeviceEvent) {
        self.told.push(event);
        self.end.cancel();
    }

    fn queue_event(&self, event: DeviceEvent) {
        let code = match &event {
            DeviceEvent::Qr(code) => Some((code.clone(), Instant::now())),
            _ => None,
        };
        match code {
            Some(code) => *self.code.lock() = Some(code),
            // Any later event of the session makes a code useless.
            None if matches!(event, DeviceEvent::Session(_)) => {
                *self.code.lock() = None;
            }
            None => {}
        }
        self.told.push(event);
    }

    fn code(&self) -> Option<QrCode> {
        let (code, since) = self.code.lock().clone()?;
        let gone = u32::try_from(since.elapsed().as_secs()).unwrap_or(u32::MAX);
        let seconds = code.seconds.checked_sub(gone).filter(|left| *left > 0)?;
        Some(QrCode { seconds, ..code })
    }

    /// Messages that the library does not hold back until they are on disk: those that a phone sent a second time.
    fn push_uncommitted(&self, message: &InboundMessage) {
        let phone = incoming_message::phone_of(&message.info);
        if let Some(event) = message_event::of(&message.info, &message.message, phone) {
            self.told.push(event);
        }
    }
}

impl EventHandler for Listener {
    fn handle_event(&self, event: Arc<Event>) {
        if let Event::Messages(batch) = &*event {
            if !batch.hook_committed {
                batch.iter().for_each(|message| self.push_uncommitted(message));
            }
            return;
        }
        if matches!(&*event, Event::PairPasskeyRequest(_)) {
            tracing::warn!("WhatsApp asks for a passkey to pair a Lite number: use a phone whose account has none");
            return;
        }
        let heard = self.stage.lock().observe(&event);
        match heard {
            EventMeaning::Told(events) => events.into_iter().for_each(|event| self.queue_event(event)),
            // The end of a connection is reported once.
            EventMeaning::Over(event) if !self.end.is_cancelled() => self.over(event),
            EventMeaning::Over(_) => {}
        }
    }
}

/// Stores messages of customers before WhatsApp gets their receipts.
struct Inbox {
    told: Arc<EventQueue>,
}

impl Inbox {
    /// The phone number of the author, also if WhatsApp names only a hidden id.
    async fn phone(client: &Client, info: &MessageInfo) -> Option<String> {
        if let Some(phone) = incoming_message::phone_of(info) {
            return Some(phone);
        }
        let hidden: &Jid = &info.source.sender;
        let known = client.get_lid_pn_entry(hidden).await.ok().flatten()?;
        Some(known.phone_number.to_string())
    }
}

#[async_trait]
impl InboundDurabilityHook for Inbox {
    async fn on_messages(&self, client: Arc<Client>, batch: &[InboundMessage]) -> HookResult<()> {
        let mut told = Vec::with_capacity(batch.len());
        for InboundMessage { message, info, .. } in batch {
            let phone = match incoming_message::is_from_a_customer(info) {
                true => Self::phone(&client, info).await,
                false => None,
            };
            told.extend(message_event::of(info, message, phone));
        }
        Ok(self.told.push_and_wait(told, WRITTEN).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use whatsapp_rust::types::events::{Connected, PairingQrCode, PairingQrCodesExhausted};

    use super::*;
    use channels::whatsapp_lite::DeviceNews;

    fn listener() -> (Arc<EventQueue>, Listener) {
        let told = Arc::new(EventQueue::new());
        (Arc::clone(&told), Listener::new(told))
    }

    fn hear(listener: &Listener, event: Event) {
        listener.handle_event(Arc::new(event));
    }

    fn code(seconds: u64) -> Event {
        let timeout = Duration::from_secs(seconds);
        Event::PairingQrCode(PairingQrCode::builder().code("2@AB".to_owned()).timeout(timeout).build())
    }

    #[tokio::test]
    async fn a_waiting_code_exists_until_it_is_scanned_or_expires() {
        let (_, listener) = listener();
        assert_eq!(listener.code(), None);
        hear(&listener, code(20));
        assert_eq!(listener.code().map(|code| code.text).as_deref(), Some("2@AB"));
        hear(&listener, Event::Connected(Connected::builder().build()));
        assert_eq!(listener.code(), None);
        hear(&listener, code(0));
        assert_eq!(listener.code(), None);
    }

    #[tokio::test]
    async fn the_end_of_a_connection_is_reported_once() {
        let (told, listener) = listener();
        let exhausted =
            || Event::PairingQrCodesExhausted(PairingQrCodesExhausted::builder().disconnected(true).build());
        hear(&listener, exhausted());
        hear(&listener, exhausted());
        let DeviceNews { events, .. } = told.after(0, Duration::ZERO).await;
        assert_eq!(events, slice::from_ref(&DeviceEvent::Session(SessionNews::QrTimeout)));
        assert!(listener.end.is_cancelled());
    }
}
