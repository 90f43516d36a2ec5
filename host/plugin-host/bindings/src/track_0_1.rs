//! The types of track 0.1 that differ from the newest track: the actions of a chatbot.

use wasmtime::component::{ComponentType, Lift};

use crate::exports::patchbay::plugin::bot::{
    Action as Newest, HandOver, ReplyButtons, ReplyList, ReplyLocation, ReplyMedia, ReplyTemplate, ReplyText, Timer,
};

#[derive(Debug, Clone, ComponentType, Lift)]
#[component(variant)]
pub enum Action {
    #[component(name = "reply-text")]
    ReplyText(ReplyText),
    #[component(name = "reply-media")]
    ReplyMedia(ReplyMedia),
    #[component(name = "reply-buttons")]
    ReplyButtons(ReplyButtons),
    #[component(name = "reply-list")]
    ReplyList(ReplyList),
    #[component(name = "reply-location")]
    ReplyLocation(ReplyLocation),
    #[component(name = "reply-template")]
    ReplyTemplate(ReplyTemplate),
    #[component(name = "set-state")]
    SetState(String),
    #[component(name = "start-timer")]
    StartTimer(Timer),
    #[component(name = "hand-over")]
    HandOver(HandOver),
    #[component(name = "close")]
    Close,
    /// Put a tag on the contact. Later tracks call it `add-tag`.
    #[component(name = "tag")]
    Tag(String),
    #[component(name = "request-rating")]
    RequestRating,
    #[component(name = "custom")]
    Custom(String),
}

impl From<Action> for Newest {
    fn from(action: Action) -> Self {
        match action {
            Action::ReplyText(reply) => Self::ReplyText(reply),
            Action::ReplyMedia(reply) => Self::ReplyMedia(reply),
            Action::ReplyButtons(reply) => Self::ReplyButtons(reply),
            Action::ReplyList(reply) => Self::ReplyList(reply),
            Action::ReplyLocation(reply) => Self::ReplyLocation(reply),
            Action::ReplyTemplate(reply) => Self::ReplyTemplate(reply),
            Action::SetState(state) => Self::SetState(state),
            Action::StartTimer(timer) => Self::StartTimer(timer),
            Action::HandOver(to) => Self::HandOver(to),
            Action::Close => Self::Close,
            Action::Tag(tag) => Self::AddTag(tag),
            Action::RequestRating => Self::RequestRating,
            Action::Custom(text) => Self::Custom(text),
        }
    }
}
