//! A message of a chat in JSON (SPEC 2.7).

use api_core::closed_set::{ChannelName, DeliveryStateName};
use chat::desk::MessageView;
use domain::iso_time::iso_time;
use domain::{channel::Channel, chat::Direction, lite::bare_id, referral::Referral};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::closed_sets::{ContentTypeName, DirectionName};

/// A message of a chat. Fields without a value are left out.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageResponse {
    /// Id of the message.
    id: Uuid,
    /// Id of the chat.
    participant_id: Uuid,
    /// Position in the chat.
    sequence_number: i64,
    /// From or to the customer.
    #[schema(value_type = DirectionName)]
    direction: String,
    /// The kind of content.
    #[schema(value_type = ContentTypeName)]
    content_type: String,
    /// The channel of the chat.
    #[schema(value_type = ChannelName)]
    channel: String,
    /// The text. For a file its caption, for a reaction the emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Time of writing.
    #[schema(format = DateTime)]
    created_time: String,
    /// `true`: a person wrote it (the customer or an agent), and not a chatbot.
    user_originated: bool,
    /// The author: `CUSTOMER`, `BOT`, or the agent's name.
    message_owner: String,
    /// `true`: the text of a team outside its hours. Its author is `BOT`, but no chatbot wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_hours: Option<bool>,
    /// The address that sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// The address that received it.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The client's tracking id.
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    /// The system's tracking id, for `/messages/tracking`.
    gst_id: String,
    /// Address of the attached file. It expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    /// Extension of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_extension: Option<String>,
    /// Latitude of a location.
    #[serde(skip_serializing_if = "Option::is_none")]
    latitude: Option<f64>,
    /// Longitude of a location.
    #[serde(skip_serializing_if = "Option::is_none")]
    longitude: Option<f64>,
    /// Payload of a tapped button.
    #[serde(skip_serializing_if = "Option::is_none")]
    button_payload: Option<String>,
    /// For a reaction: the id of the message on WhatsApp or Messenger.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction_to: Option<String>,
    /// The id of WhatsApp.
    #[serde(skip_serializing_if = "Option::is_none")]
    whats_app_message_id: Option<String>,
    /// The id of Messenger.
    #[serde(skip_serializing_if = "Option::is_none")]
    facebook_message_id: Option<String>,
    /// State of an outgoing message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DeliveryStateName>)]
    status: Option<String>,
    /// Code of the failure if an outgoing message has the status `FAILED` (cures:
    /// `/messaging-service/WhatsApp/failure-codes`). If a customer's message has no content, the provider's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// The failure as a text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
    /// For an outgoing voice note: `true` if the customer has listened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<bool>,
    /// Time when the customer listened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    played_time: Option<String>,
    /// The `tempId` of its sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    temp_id: Option<String>,
    /// The provider's id of the quoted message.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_external_message_id: Option<String>,
    /// Id of the quoted message, if it belongs to this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_message_id: Option<Uuid>,
    /// Text of the quoted message.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_text: Option<String>,
    /// `true`: its author edited it, and `text` is the newest version.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<bool>,
    /// Time of the last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    edited_time: Option<String>,
    /// `true`: its author deleted it, and it has no content.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    /// Time of the deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    deleted_time: Option<String>,
    /// The advertisement, post, product or link that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    referral: Option<ReferralResponse>,
}

/// The origin of a customer, in the terms of the provider. Fields without a value are left out.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferralResponse {
    /// The kind, such as `ad`, `post` or `product`; on Messenger `ADS` or `SHORTLINK`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_type: Option<String>,
    /// Meta's id of the advertisement or post.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// Address of the advertisement or post.
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
    /// Address of its image or video.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_url: Option<String>,
    /// Id of the click on a click-to-WhatsApp advertisement.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctwa_clid: Option<String>,
    /// The parameter of a link of the business.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// The catalogue of the product in question.
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
        let details = message.content.details();
        let shown_id = |id: &str| bare_id(id).to_owned();
        let provider_id =
            |channel: Channel| message.provider_id.as_deref().filter(|_| message.channel == channel).map(shown_id);
        let (whats_app_message_id, facebook_message_id) =
            (provider_id(Channel::Whatsapp), provider_id(Channel::Facebook));
        let referral = message.content.referral().map(ReferralResponse::from);
        let file_extension = message.extension().map(str::to_owned);
        let (quoted_message_id, quoted_text) = message.quoted.map(|(id, text)| (id.0, text)).unzip();
        let provider_error = details.error.map(|error| (error.code.to_string(), Some(error.text.clone())));
        let (error_code, error_code_string) =
            failure.map(|failure| (failure.code, failure.text)).or(provider_error).unzip();
        Self {
            id: message.id.0,
            participant_id: message.participant.0,
            sequence_number: message.sequence,
            direction: direction.as_str().to_owned(),
            content_type: message.content_type.as_str().to_owned(),
            channel: message.channel.as_str().to_owned(),
            text: message.body,
            created_time: iso_time(message.created_at),
            user_originated: direction == Direction::Incoming || message.agent.is_some(),
            message_owner: message.owner,
            after_hours: message.after_hours.then_some(true),
            sender,
            receiver,
            ct_id: message.ct_id,
            gst_id: message.gst_id,
            media_url: media_url.or_else(|| details.media_url.map(str::to_owned)),
            file_extension,
            latitude: details.place.map(|place| place.latitude),
            longitude: details.place.map(|place| place.longitude),
            button_payload: details.payload.map(str::to_owned),
            reaction_to: details.reaction_to.map(shown_id),
            whats_app_message_id,
            facebook_message_id,
            status: message.state.map(|state| state.as_str().to_owned()),
            error_code,
            error_code_string: error_code_string.flatten(),
            played,
            played_time: message.played_at.map(iso_time),
            temp_id: message.temp_id,
            quoted_external_message_id: message.quoted_provider_id.as_deref().map(shown_id),
            quoted_message_id,
            quoted_text: quoted_text.flatten(),
            edited: message.edited_at.map(|_| true),
            edited_time: message.edited_at.map(iso_time),
            deleted: message.deleted_at.map(|_| true),
            deleted_time: message.deleted_at.map(iso_time),
            referral,
        }
    }
}
