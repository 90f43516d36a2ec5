//! The Cloud API as a carrier: a place is one call in flight and one message of the number's rate.

use std::{borrow::Cow, time::Duration};

use async_trait::async_trait;
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    content::{MediaKind, OutboundContent, OutboundMedia},
    file_name, gif,
    inbox::InboxKind,
};

use super::{
    CloudApi, CloudNumber, CloudSend,
    files::{MediaCache, MessageMedia},
};
use crate::{
    account::AccountLogin,
    carrier::{
        Carrier, CarrierInbox, CarrierPause, Credentials, OutgoingMessage, PresenceRefused, PresenceSignal, SendPlace,
        UnsupportedContent, inbox_pace::PAIR_INTERVAL, rate_gate,
    },
};

/// Time after which a number without credentials is tried again.
const WITHOUT_CREDENTIALS: Duration = Duration::from_secs(60);

/// Codes of Meta for a missing file: invalid parameters, and files that cannot be downloaded.
const WITHOUT_FILE: [i64; 4] = [100, 131_009, 131_052, 131_053];

#[derive(Debug, Clone, Copy)]
pub struct CloudLimits {
    /// Messages per second and number (`limits.cloud_rate_per_number`).
    pub rate_per_second: u32,
    pub in_flight: usize,
}

pub struct CloudCarrier {
    api: CloudApi,
    gates: rate_gate::RateGate,
    uploads: MediaCache,
}

impl CloudCarrier {
    pub fn new(api: CloudApi, limits: CloudLimits) -> Self {
        let gates = rate_gate::RateGate::new(limits.rate_per_second, limits.in_flight);
        Self { api, gates, uploads: MediaCache::default() }
    }

    async fn send_with(
        &self,
        number: &CloudNumber,
        outgoing: &OutgoingMessage<'_>,
        files: &MessageMedia,
    ) -> Result<Acceptance, SendFailure> {
        let address = |kind| outgoing.to.as_kind(kind).or_else(|| outgoing.other?.as_kind(kind));
        let send = CloudSend {
            phone: address(AddressKind::Phone),
            bsuid: address(AddressKind::Bsuid),
            content: outgoing.content,
            uploaded: &files.ids,
            quoted: outgoing.quoted,
            opaque: outgoing.opaque,
        };
        self.api.send(number, &send).await
    }

    /// Uploads the files that Meta cannot download, and sends. If Meta refuses files of earlier uploads, they are uploaded again.
    async fn upload_and_send(
        &self,
        number: &CloudNumber,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let files = self.uploads.of(&self.api, number, outgoing.content, outgoing.files).await?;
        let result = self.send_with(number, outgoing, &files).await;
        let is_about_files =
            matches!(&result, Err(SendFailure::Rejected(failure)) if WITHOUT_FILE.contains(&failure.code));
        if !(files.of_earlier && is_about_files) {
            return result;
        }
        self.uploads.forget(number, &files);
        let files = self.uploads.of(&self.api, number, outgoing.content, outgoing.files).await?;
        self.send_with(number, outgoing, &files).await
    }
}

fn number_of(inbox: &CarrierInbox) -> Option<&CloudNumber> {
    inbox.credentials.get()
}

#[async_trait]
impl Carrier for CloudCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::WhatsappCloud
    }

    fn credentials(&self, login: AccountLogin) -> Credentials {
        let AccountLogin { account_id: phone_number_id, access_token } = login;
        Credentials::of(CloudNumber { phone_number_id, access_token })
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.gates.window()
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        if number_of(inbox).is_none() {
            let reason = "this number has no Cloud credentials".to_owned();
            return Err(CarrierPause { reason, look_again: WITHOUT_CREDENTIALS });
        }
        Ok(self.gates.take(inbox, wanted))
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        self.gates.ready(inbox).await;
    }

    fn admit(&self, inbox: &CarrierInbox, to: &Address) -> Result<(), Duration> {
        self.gates.admit(inbox, to.value())
    }

    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        PAIR_INTERVAL
    }

    async fn show(&self, inbox: &CarrierInbox, presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        let number =
            number_of(inbox).ok_or_else(|| PresenceRefused::Failed("this number has no credentials".to_owned()))?;
        let wamid = presence.last_message.ok_or(PresenceRefused::NothingToRead)?;
        let shown = self.api.mark_read(number, wamid, presence.typing).await;
        shown.map_err(|error| PresenceRefused::Failed(error.to_string()))
    }

    /// An image that is a GIF goes as a document.
    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        Ok(match content {
            OutboundContent::Media(media) if media.kind == MediaKind::Image && gif::is_named_by(&media.url) => {
                let (kind, filename) = (MediaKind::Document, file_name::of_link(&media.url));
                Cow::Owned(OutboundContent::Media(OutboundMedia { kind, filename, ..media.clone() }))
            }
            content => Cow::Borrowed(content),
        })
    }

    fn settings_last(&self) -> Option<Duration> {
        Some(rate_gate::SETTINGS_LAST)
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let (Some(mut call), Some(number)) = (place.into_held::<rate_gate::RateCall>(), number_of(inbox)) else {
            let reason = "no place or no credentials for a call to the Cloud API".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        let carried = self.carry(outgoing.content)?;
        let outgoing = OutgoingMessage { content: &carried, ..*outgoing };
        call.begins();
        let mut result = self.upload_and_send(number, &outgoing).await;
        call.rest(&mut result, outgoing.attempt);
        result
    }
}
