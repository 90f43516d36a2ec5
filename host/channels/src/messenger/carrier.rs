//! A place is one message of the page's rate and its calls: one, or two with a file of ours that Meta cannot download.

use std::{borrow::Cow, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    address::AddressKind,
    carriage::{Acceptance, SendFailure},
    clock::Clock,
    content::OutboundContent,
    inbound::ProviderFailure,
    inbox::InboxKind,
    lite,
    messenger::{OUTSIDE_WINDOW, WindowPermission, permission, place_text, quick_replies},
};

use super::{
    MessengerApi, MessengerPage, SenderAction,
    message_body::{self, MessageBody, attachment, body},
};
use crate::{
    account::AccountLogin,
    carrier::{
        Carrier, CarrierInbox, CarrierPause, Credentials, OutgoingMessage, PresenceRefused, PresenceSignal, SendPlace,
        UnsupportedContent,
        rate_gate::{RateCall, RateGate, SETTINGS_LAST},
    },
};

/// Time after which a page without credentials is tried again.
const WITHOUT_CREDENTIALS: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy)]
pub struct MessengerLimits {
    /// Messages per second and page (`limits.messenger_rate_per_page`).
    pub rate_per_second: u32,
    pub in_flight: usize,
}

pub struct MessengerCarrier {
    api: MessengerApi,
    clock: Arc<dyn Clock>,
    gates: RateGate,
}

impl MessengerCarrier {
    pub fn new(api: MessengerApi, clock: Arc<dyn Clock>, limits: MessengerLimits) -> Self {
        Self { api, clock, gates: RateGate::new(limits.rate_per_second, limits.in_flight) }
    }
}

fn page_of(inbox: &CarrierInbox) -> Option<&MessengerPage> {
    inbox.credentials.get()
}

#[async_trait]
impl Carrier for MessengerCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::Messenger
    }

    fn credentials(&self, login: AccountLogin) -> Credentials {
        let AccountLogin { account_id: page_id, access_token } = login;
        Credentials::of(MessengerPage { page_id, access_token })
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.gates.window()
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        if page_of(inbox).is_none() {
            let reason = "this page has no access token".to_owned();
            return Err(CarrierPause { reason, look_again: WITHOUT_CREDENTIALS });
        }
        Ok(self.gates.take(inbox, wanted))
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        self.gates.ready(inbox).await;
    }

    fn needs_standing(&self) -> bool {
        true
    }

    async fn show(&self, inbox: &CarrierInbox, presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        let page = page_of(inbox).ok_or_else(|| PresenceRefused::Failed("this page has no access token".to_owned()))?;
        let psid = presence.to.as_kind(AddressKind::Psid).ok_or(PresenceRefused::NoSuchThing)?;
        let action = if presence.typing { SenderAction::TypingOn } else { SenderAction::MarkSeen };
        self.api.act(page, psid, action).await.map_err(|error| PresenceRefused::Failed(error.to_string()))
    }

    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        let text = |text: Option<String>| {
            let body = text.ok_or_else(|| UnsupportedContent { reason: "the message has no text".to_owned() })?;
            Ok(Cow::Owned(OutboundContent::Text { body }))
        };
        match content {
            OutboundContent::Text { .. } | OutboundContent::Media(_) | OutboundContent::Reaction(_) => {
                Ok(Cow::Borrowed(content))
            }
            OutboundContent::Location(place) => text(Some(place_text(place))),
            OutboundContent::Buttons(_) | OutboundContent::Template(_) if quick_replies(content).is_some() => {
                text(lite::words_of(content))
            }
            OutboundContent::Buttons(_)
            | OutboundContent::Template(_)
            | OutboundContent::List(_)
            | OutboundContent::Sms(_) => text(lite::text_of(content)),
        }
    }

    fn settings_last(&self) -> Option<Duration> {
        Some(SETTINGS_LAST)
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let (Some(mut call), Some(page)) = (place.into_held::<RateCall>(), page_of(inbox)) else {
            let reason = "no place or no access token for a message over Messenger".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        let Some(psid) = outgoing.to.as_kind(AddressKind::Psid) else {
            return Err(UnsupportedContent { reason: "a page writes to its own customers only".to_owned() }.into());
        };
        let allowed = permission(outgoing.human, outgoing.wrote_at, self.clock.now());
        if allowed == WindowPermission::No {
            return Err(SendFailure::Rejected(ProviderFailure { code: OUTSIDE_WINDOW, text: outside(outgoing.human) }));
        }
        if let OutboundContent::Reaction(reaction) = outgoing.content {
            call.begins();
            let mut result = self.api.react(page, &message_body::reaction(psid, reaction)).await;
            call.rest(&mut result, outgoing.attempt);
            return result;
        }
        let carried = self.carry(outgoing.content)?;
        let ours = match &*carried {
            OutboundContent::Media(media) => outgoing.files.open(&media.url).await?.map(|file| (media, file)),
            _ => None,
        };
        let body = |uploaded: Option<&str>| {
            let says = MessageBody { content: outgoing.content, carried: &carried, uploaded };
            body(psid, allowed, says, outgoing.quoted, outgoing.opaque)
        };
        let mut result = match ours {
            None => {
                let body = body(None)?;
                call.begins();
                self.api.send(page, &body).await
            }
            Some((media, file)) => {
                call.begins();
                match self.api.upload(page, attachment(media.kind), file, media.filename.as_deref()).await {
                    Ok(id) => self.api.send(page, &body(Some(&id))?).await,
                    Err(failure) => Err(failure),
                }
            }
        };
        call.rest(&mut result, outgoing.attempt);
        result
    }
}

fn outside(human: bool) -> String {
    let most = if human { "people may answer for 7 days" } else { "a chatbot may answer for 24 hours" };
    format!("outside the window of Messenger: after a customer wrote, {most}")
}
