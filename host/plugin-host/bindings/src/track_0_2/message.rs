//! The customer and the message of track 0.2, which are also those of track 0.1.

use wasmtime::component::{ComponentType, Lower};

use crate::patchbay::plugin::types::{self, ChoiceSource, Location, MediaKind, QuotedMessage, Reaction};

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderCustomer {
    #[component(name = "phone")]
    pub phone: Option<String>,
    #[component(name = "bsuid")]
    pub bsuid: Option<String>,
    #[component(name = "username")]
    pub username: Option<String>,
    #[component(name = "name")]
    pub name: Option<String>,
}

impl From<&types::Customer> for OlderCustomer {
    fn from(customer: &types::Customer) -> Self {
        Self {
            phone: customer.phone.clone(),
            bsuid: customer.user_id.clone(),
            username: customer.username.clone(),
            name: customer.name.clone(),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderMedia {
    #[component(name = "url")]
    pub url: String,
    #[component(name = "mime")]
    pub mime: Option<String>,
    #[component(name = "extension")]
    pub extension: Option<String>,
    #[component(name = "caption")]
    pub caption: Option<String>,
    #[component(name = "kind")]
    pub kind: MediaKind,
}

impl From<&types::Media> for OlderMedia {
    fn from(media: &types::Media) -> Self {
        Self {
            url: media.url.clone(),
            mime: media.mime.clone(),
            extension: media.extension.clone(),
            caption: media.caption.clone(),
            kind: media.kind,
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderChoice {
    #[component(name = "text")]
    pub text: String,
    #[component(name = "payload")]
    pub payload: String,
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(variant)]
pub enum OlderContent {
    #[component(name = "text")]
    Text(String),
    #[component(name = "media")]
    Media(OlderMedia),
    #[component(name = "location")]
    Location(Location),
    #[component(name = "button")]
    Button(OlderChoice),
    #[component(name = "interactive")]
    Interactive(OlderChoice),
    #[component(name = "reaction")]
    Reaction(Reaction),
    #[component(name = "contact")]
    Contact(String),
    #[component(name = "carousel")]
    Carousel(OlderChoice),
    #[component(name = "unsupported")]
    Unsupported(String),
}

impl From<&types::Content> for OlderContent {
    fn from(content: &types::Content) -> Self {
        match content {
            types::Content::Text(text) => Self::Text(text.clone()),
            types::Content::Media(media) => Self::Media(OlderMedia::from(media)),
            types::Content::Location(place) => Self::Location(place.clone()),
            types::Content::Choice(choice) => {
                let older = OlderChoice { text: choice.text.clone(), payload: choice.payload.clone() };
                match choice.source {
                    ChoiceSource::Template | ChoiceSource::Other => Self::Button(older),
                    ChoiceSource::Interactive => Self::Interactive(older),
                    ChoiceSource::Carousel => Self::Carousel(older),
                }
            }
            types::Content::Reaction(reaction) => Self::Reaction(reaction.clone()),
            types::Content::Contact(contact) => Self::Contact(contact.clone()),
            types::Content::Other(name) => Self::Unsupported(name.clone()),
        }
    }
}

#[derive(Debug, Clone, ComponentType, Lower)]
#[component(record)]
pub struct OlderMessage {
    #[component(name = "id")]
    pub id: String,
    #[component(name = "content")]
    pub content: OlderContent,
    #[component(name = "quoted")]
    pub quoted: Option<QuotedMessage>,
}

impl From<&types::IncomingMessage> for OlderMessage {
    fn from(message: &types::IncomingMessage) -> Self {
        Self { id: message.id.clone(), content: OlderContent::from(&message.content), quoted: message.quoted.clone() }
    }
}
