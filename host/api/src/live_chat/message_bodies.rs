//! A message of a chat in JSON (SPEC 2.7).

use chat::desk::MessageView;
use domain::{channel::Channel, chat::Direction, referral::Referral};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::time;

/// A message of a chat. Fields without a value are left out.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageResponse {
    /// Of the message.
    id: Uuid,
    /// The chat.
    participant_id: Uuid,
    /// Its place in the chat.
    sequence_number: i64,
    /// `INCOMING` or `OUTGOING`.
    direction: String,
    /// `TEXT`, `IMAGE`, `DOCUMENT`, `VIDEO`, `AUDIO`, `VOICE`, `FILE`, `LOCATION`, `BUTTON`, `CAROUSEL`, `RATING` or `MEDIA`.
    content_type: String,
    /// `WHATSAPP`, `WEB`, `FACEBOOK` or `SMS`.
    channel: String,
    /// What people read; of a file what stands below it, of a reaction the emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// When it was written.
    #[schema(format = DateTime)]
    created_time: String,
    /// A person wrote it: the customer or an agent, and not a chatbot.
    user_originated: bool,
    /// Who wrote it: `CUSTOMER`, `BOT`, or the agent's name.
    message_owner: String,
    /// What it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// What it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    /// The system's tracking id, which `/messages/tracking` takes.
    gst_id: String,
    /// Where the file that came with it is, for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    /// Extension of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_extension: Option<String>,
    /// Of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    latitude: Option<f64>,
    /// Of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    longitude: Option<f64>,
    /// Of a tapped button: what it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    button_payload: Option<String>,
    /// Of a reaction: WhatsApp's or Messenger's id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction_to: Option<String>,
    /// WhatsApp's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_message_id: Option<String>,
    /// Messenger's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    facebook_message_id: Option<String>,
    /// How far it has come, of an outgoing one: `QUEUED`, `ACCEPTED`, `SENT`, `DELIVERED`, `READ`, `PLAYED` or `FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Of one that `FAILED`: why. `/messaging-service/WhatsApp/failure-codes` says what can be done. Of one that a customer sent: why
    /// its provider does not hand it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
    /// Of a voice note that was sent: the customer has listened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<bool>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    played_time: Option<String>,
    /// The name that its sender gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    temp_id: Option<String>,
    /// The provider's id of the message that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_external_message_id: Option<String>,
    /// That message, when it is of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_message_id: Option<Uuid>,
    /// What people read of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_text: Option<String>,
    /// Its author edited it: `text` is what it says now.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<bool>,
    /// When that was, the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    edited_time: Option<String>,
    /// Its author deleted it: it says nothing any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    deleted_time: Option<String>,
    /// The advertisement, post, product or link that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    referral: Option<ReferralResponse>,
}

/// Where a customer came from, in the words of the provider. Fields without a value are left out.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferralResponse {
    /// Such as `ad`, `post` or `product`; on Messenger such as `ADS` or `SHORTLINK`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_type: Option<String>,
    /// Meta's id of the advertisement or post.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// Where the advertisement or post is.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Its headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// `image` or `video`.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// Where its picture or film is.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    /// The click of a click-to-WhatsApp advertisement.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctwa_clid: Option<String>,
    /// The parameter of a link of the business.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// The catalogue of the product that the customer asks about.
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog_id: Option<String>,
    /// The retailer's id of that product.
    #[serde(skip_serializing_if = "Option::is_none")]
    product_id: Option<String>,
}

impl From<&Referral> for ReferralResponse {
    fn from(known: &Referral) -> Self {
        let Referral {
            source_type,
            source_id,
            source_url,
            headline,
            body,
            media_type,
            media_url,
            ctwa_clid,
            reference,
            catalog_id,
            product_id,
        } = known.clone();
        Self {
            source_type,
            source_id,
            source_url,
            headline,
            body,
            media_type,
            media_url,
            ctwa_clid,
            reference,
            catalog_id,
            product_id,
        }
    }
}

impl From<MessageView> for MessageResponse {
    fn from(view: MessageView) -> Self {
        let MessageView { message, media_url, customer, business, failure } = view;
        let direction = message.content.direction();
        let (sender, receiver) = match direction {
            Direction::Incoming => (customer, business),
            Direction::Outgoing => (business, customer),
        };
        let played = message.played();
        let said = message.content.beside_text();
        let provider_id = |channel: Channel| message.provider_id.clone().filter(|_| message.channel == channel);
        let (whats_app_message_id, facebook_message_id) =
            (provider_id(Channel::Whatsapp), provider_id(Channel::Facebook));
        let referral = message.content.referral().map(ReferralResponse::from);
        let file_extension = message.extension().map(str::to_owned);
        let (quoted_message_id, quoted_text) = message.quoted.map(|(id, text)| (id.0, text)).unzip();
        let refused = said.error.map(|error| (error.code.to_string(), Some(error.text.clone())));
        let (error_code, error_code_string) = failure.map(|failure| (failure.code, failure.text)).or(refused).unzip();
        Self {
            id: message.id.0,
            participant_id: message.participant.0,
            sequence_number: message.sequence,
            direction: direction.as_str().to_owned(),
            content_type: message.content_type.as_str().to_owned(),
            channel: message.channel.as_str().to_owned(),
            text: message.body,
            created_time: time(message.created_at),
            user_originated: direction == Direction::Incoming || message.agent.is_some(),
            message_owner: message.owner,
            sender,
            receiver,
            ct_id: message.ct_id,
            gst_id: message.gst_id,
            media_url: media_url.or_else(|| said.media_url.map(str::to_owned)),
            file_extension,
            latitude: said.place.map(|place| place.latitude),
            longitude: said.place.map(|place| place.longitude),
            button_payload: said.payload.map(str::to_owned),
            reaction_to: said.reaction_to.map(str::to_owned),
            whats_app_message_id,
            facebook_message_id,
            status: message.state.map(|state| state.as_str().to_owned()),
            error_code,
            error_code_string: error_code_string.flatten(),
            played,
            played_time: message.played_at.map(time),
            temp_id: message.temp_id,
            quoted_external_message_id: message.quoted_provider_id,
            quoted_message_id,
            quoted_text: quoted_text.flatten(),
            edited: message.edited_at.map(|_| true),
            edited_time: message.edited_at.map(time),
            deleted: message.deleted_at.map(|_| true),
            deleted_time: message.deleted_at.map(time),
            referral,
        }
    }
}
