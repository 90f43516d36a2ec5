use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use channels::whatsapp_lite::{
    DeviceContent, DeviceFailure, DeviceMessage, DeviceNews, LiteDevice, LiteNumber, QrCode, REFUSED_BY_DEVICE,
    values::DeviceHolder,
};
use domain::{
    address::{Address, AddressKind, LID_SERVER},
    carriage::SendFailure,
    inbound::ProviderFailure,
};
use tokio::{sync::Mutex, time::timeout};
use whatsapp_rust::{Client, ClientError, IqError, Jid, SendError, SendOptions, wacore, waproto::whatsapp as wa};

use super::{connection::DeviceConnection, event_queue::EventQueue, outgoing_message, parts::DeviceParts, upload};

/// How long a call waits for events.
const WAIT: Duration = Duration::from_secs(2);
/// Longest time for a send, because many devices may have to be found first.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// Time until the next check of a device that is not connected.
const NOT_CONNECTED: Duration = Duration::from_secs(5);
/// Longest time for telling WhatsApp that the pairing is over.
const LOGOUT: Duration = Duration::from_secs(30);

/// Connected in one process at a time; in others its calls say that it is not connected.
pub(super) struct NativeDevice {
    parts: Arc<DeviceParts>,
    number: LiteNumber,
    told: Arc<EventQueue>,
    connection: Mutex<Option<DeviceConnection>>,
}

impl NativeDevice {
    pub(super) fn new(parts: Arc<DeviceParts>, number: LiteNumber) -> Self {
        Self { parts, number, told: Arc::new(EventQueue::new()), connection: Mutex::default() }
    }

    async fn client(&self) -> Option<Arc<Client>> {
        let connection = self.connection.lock().await;
        let connection = connection.as_ref().filter(|connection| !connection.is_over())?;
        connection.client().is_logged_in().then(|| Arc::clone(connection.client()))
    }

    async fn connected_client(&self) -> Result<Arc<Client>, DeviceFailure> {
        self.client().await.ok_or(DeviceFailure::NotConnected)
    }

    async fn compose(&self, client: &Client, message: &DeviceMessage<'_>) -> Result<wa::Message, SendFailure> {
        let customer = customer_jid(message.to);
        let content = match &message.content {
            DeviceContent::Text(words) => outgoing_message::text(words),
            DeviceContent::Location(place) => outgoing_message::location(place),
            DeviceContent::Reaction(reaction) => {
                // A reaction names its message and quotes none.
                return Ok(outgoing_message::reaction(&customer, reaction, wacore::time::now_millis()));
            }
            DeviceContent::Media { kind, url, caption, filename } => {
                let settings = &self.parts.settings;
                let file = upload::upload(settings, client, self.number.client, *kind, url).await?;
                outgoing_message::media(*kind, file, *caption, *filename)
            }
        };
        Ok(match message.quoted {
            Some(quoted) => {
                let writer = if quoted.ours { Jid::pn(self.number.msisdn.as_str()) } else { customer };
                outgoing_message::quoting(content, quoted.id, &writer)
            }
            None => content,
        })
    }

    /// Takes the connection away from all users, with its events.
    async fn take_connection(&self) -> Option<DeviceConnection> {
        let connection = self.connection.lock().await.take();
        self.told.give_up();
        connection
    }
}

/// The chat with a phone number, or with a customer whose number WhatsApp hides.
fn customer_jid(customer: &str) -> Jid {
    customer.strip_suffix(LID_SERVER).map_or_else(|| Jid::pn(customer), Jid::lid)
}

/// The phone number of an account by the names that WhatsApp gives it: it may have another spelling than the one asked
/// for. A hidden id is not needed for a known number.
fn account<'a>(names: impl Iterator<Item = &'a Jid>, asked: &'a str) -> Option<Address> {
    let numbers = names.filter(|jid| jid.is_pn()).map(|jid| jid.user.as_str());
    numbers.chain([asked]).find_map(|number| Address::of_kind(AddressKind::Phone, number))
}

fn not_sent(error: &SendError) -> SendFailure {
    let reason = error.to_string();
    match error {
        SendError::InvalidRequest(_) => {
            SendFailure::Rejected(ProviderFailure { code: REFUSED_BY_DEVICE, text: reason })
        }
        SendError::Iq(IqError::ServerError { code: 429, backoff, .. }) => SendFailure::SlowDown {
            failure: ProviderFailure { code: REFUSED_BY_DEVICE, text: reason },
            after: backoff.map(|seconds| Duration::from_secs(seconds.into())),
        },
        // Questions to WhatsApp before a message is written.
        SendError::Iq(_) | SendError::NotLoggedIn => SendFailure::NotSent { reason, after: Some(NOT_CONNECTED) },
        SendError::Client(ClientError::NotConnected | ClientError::NotLoggedIn) => {
            SendFailure::NotSent { reason, after: Some(NOT_CONNECTED) }
        }
        _ => SendFailure::Unknown { reason },
    }
}

fn unreachable(error: impl std::fmt::Display) -> DeviceFailure {
    DeviceFailure::Unreachable(error.to_string())
}

#[async_trait]
impl LiteDevice for NativeDevice {
    async fn start(&self, holder: &str, paired: bool) -> Result<(), DeviceFailure> {
        let mut connection = self.connection.lock().await;
        match connection.take() {
            Some(open) if !open.is_over() => {
                *connection = Some(open);
                return Ok(());
            }
            Some(over) => over.close().await,
            None => {}
        }
        self.told.give_up();
        if !paired {
            self.parts.settings.values.forget(&self.number).await.map_err(unreachable)?;
        }
        let holding = DeviceHolder { number: self.number.clone(), holder: holder.to_owned() };
        *connection = Some(DeviceConnection::open(&self.parts, holding, &self.told).await?);
        Ok(())
    }

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure> {
        Ok(self.connection.lock().await.as_ref().and_then(DeviceConnection::code))
    }

    async fn disconnect(&self) -> Result<(), DeviceFailure> {
        self.let_go().await;
        Ok(())
    }

    async fn logout(&self, holder: &str) -> Result<(), DeviceFailure> {
        self.start(holder, true).await?;
        if let Some(connection) = self.take_connection().await {
            let paired = connection.client().pn().is_some();
            if paired && connection.is_ready_within(LOGOUT).await {
                connection.log_out().await;
            } else {
                if paired {
                    tracing::warn!(client.id = %self.number.client, inbox.id = %self.number.inbox,
                        "WhatsApp could not be informed that a pairing is over; remove the device in the list of the phone");
                }
                connection.close().await;
            }
        }
        self.parts.settings.values.forget(&self.number).await.map_err(unreachable)
    }

    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure> {
        let Some(client) = self.client().await else {
            let reason = DeviceFailure::NotConnected.to_string();
            return Err(SendFailure::NotSent { reason, after: Some(NOT_CONNECTED) });
        };
        let content = self.compose(&client, message).await?;
        let options = SendOptions::default().with_message_id(message.id);
        let sent = client.send_message_with_options(customer_jid(message.to), content, options);
        match timeout(SEND_TIMEOUT, sent).await {
            Ok(Ok(sent)) => Ok(sent.message_id),
            Ok(Err(error)) => Err(not_sent(&error)),
            Err(_) => Err(SendFailure::Unknown { reason: "the device did not send it in time".to_owned() }),
        }
    }

    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure> {
        let client = self.connected_client().await?;
        let asked = [Jid::pn(phone)];
        let answers = client.contacts().is_on_whatsapp(&asked).await.map_err(unreachable)?;
        let answer = answers.into_iter().find(|answer| answer.contact_error.is_none());
        let answer = answer.ok_or_else(|| unreachable("WhatsApp says neither yes nor no"))?;
        if !answer.is_registered {
            return Ok(None);
        }
        let named = account([Some(&answer.jid), answer.pn_jid.as_ref()].into_iter().flatten(), phone);
        named.map(Some).ok_or_else(|| unreachable("WhatsApp names no account"))
    }

    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure> {
        let client = self.connected_client().await?;
        let phone = customer_jid(from);
        // A chat uses the hidden id of the customer if WhatsApp has given one.
        let known = client.get_lid_pn_entry(&phone).await.ok().flatten();
        let chat = known.map_or(phone, |known| Jid::lid(&*known.lid));
        client.mark_as_read(&chat, None, &[message_id]).await.map_err(unreachable)
    }

    async fn typing(&self, to: &str) -> Result<(), DeviceFailure> {
        let client = self.connected_client().await?;
        client.chatstate().send_composing(&customer_jid(to)).await.map_err(unreachable)
    }

    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure> {
        Ok(self.told.after(seen, WAIT).await)
    }

    async fn let_go(&self) {
        if let Some(connection) = self.take_connection().await {
            connection.close().await;
        }
    }
}

#[cfg(test)]
mod tests;
