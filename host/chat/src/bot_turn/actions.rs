//! Turns the actions of a chatbot into effects: builds contents, fills templates and finds quoted messages. The plugin
//! host has already checked lengths and counts.

use std::{borrow::Cow, collections::HashSet};

use domain::{
    contact_attribute::AttributeChange,
    content::{self, MediaKind, OutboundContent, OutboundMedia},
    custom_action::{self, ComposedTemplate, CustomAction},
    file_name,
    ids::{ChatMessageId, ClientId, MediaId},
    send::read_link,
};
use plugin_host::chatbot::{Action, ListSection, ReplyButtons, ReplyList, ReplyMedia};
use storage::chat::chat_messages;

use super::{
    attachments::AttachedFile, attributes, file_faults, presence::BotPresence, reactions, templates,
    turn_context::TurnContext,
};
use crate::conversation::ratings;
use base::{Context, Result};

/// Characters of a wrong quoted id that are repeated to the plugin's author. Real ids are shorter.
const QUOTE_LENGTH: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ChatbotEffect {
    Reply(Box<ChatbotReply>),
    SetState(String),
    StartTimer { name: String, seconds: u32 },
    CancelTimer(String),
    ScheduleTemplate { name: String, seconds: u32, template: ComposedTemplate },
    CancelTemplate(String),
    HandOver { team: Option<String>, note: Option<String> },
    Close,
    Tag(String),
    Untag(String),
    SetAttribute(AttributeChange),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChatbotReply {
    pub(super) content: OutboundContent,
    /// The quoted message: our id and the provider's.
    pub(super) quoted: Option<(ChatMessageId, String)>,
    pub(super) asks_rating: bool,
    /// The file, if the chatbot wrote it.
    pub(super) media: Option<MediaId>,
}

pub(super) struct EffectPlan {
    pub(super) effects: Vec<ChatbotEffect>,
    /// Remarks for the author: the parts that were left out, with reasons.
    pub(super) remarks: Vec<String>,
    /// The strongest signal of the answer: typing is also a read mark.
    pub(super) presence: Option<BotPresence>,
}

pub(super) async fn effects(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    actions: Vec<Action>,
    files: &[AttachedFile],
) -> Result<std::result::Result<EffectPlan, String>> {
    let mut effects = Vec::with_capacity(actions.len());
    let mut remarks = Vec::new();
    let mut presence = None;
    for action in actions {
        let effect = match reply_content(&action) {
            Some((content, quote)) => {
                if let Some(reason) = file_faults::find(ctx, client, scene, &content, files).await? {
                    return Ok(Err(reason));
                }
                let quoted = match quote {
                    Some(quote) => find_quote(ctx, client, scene, quote).await?.map_err(|why| remarks.push(why)).ok(),
                    None => None,
                };
                let media = written_file(&action, files);
                ChatbotEffect::Reply(Box::new(ChatbotReply { content, quoted, asks_rating: false, media }))
            }
            None => match action {
                Action::ReplyTemplate(wanted) => {
                    let composed = match templates::compose(&wanted) {
                        Ok(composed) => composed,
                        Err(reason) => return Ok(Err(reason)),
                    };
                    match templates::reply(ctx, client, scene, &composed).await? {
                        Ok(content) => say(content),
                        Err(reason) => return Ok(Err(reason)),
                    }
                }
                Action::ScheduleTemplate(wanted) => {
                    match templates::schedule(ctx, client, scene, &wanted, planned(&effects)).await? {
                        Ok(template) => {
                            let (name, seconds) = (wanted.name, wanted.after_seconds);
                            ChatbotEffect::ScheduleTemplate { name, seconds, template }
                        }
                        Err(reason) => return Ok(Err(reason)),
                    }
                }
                Action::CancelTemplate(name) => ChatbotEffect::CancelTemplate(name),
                Action::RequestRating => ask_rating(ctx, client, scene).await?,
                Action::SetState(state) => ChatbotEffect::SetState(state),
                Action::StartTimer(timer) => {
                    ChatbotEffect::StartTimer { name: timer.name, seconds: timer.after_seconds }
                }
                Action::HandOver(to) => ChatbotEffect::HandOver { team: to.team, note: to.note },
                Action::Close => ChatbotEffect::Close,
                Action::CancelTimer(name) => ChatbotEffect::CancelTimer(name),
                Action::AddTag(tag) => ChatbotEffect::Tag(tag),
                Action::RemoveTag(tag) => ChatbotEffect::Untag(tag),
                Action::SetAttribute(wanted) => match attributes::plan(ctx, client, &wanted).await? {
                    Ok(change) => ChatbotEffect::SetAttribute(change),
                    Err(reason) => return Ok(Err(reason)),
                },
                Action::Typing => {
                    presence = Some(BotPresence::Typing);
                    continue;
                }
                Action::MarkRead => {
                    presence.get_or_insert(BotPresence::Read);
                    continue;
                }
                Action::React(reaction) => match reactions::plan(ctx, client, scene, &reaction).await? {
                    Ok(content) => say(content),
                    Err(why) => {
                        remarks.push(why);
                        continue;
                    }
                },
                Action::Custom(text) => match custom_action::read(&text) {
                    Some(Ok(CustomAction::ReplyTemplate(wanted))) => {
                        match templates::reply(ctx, client, scene, &wanted).await? {
                            Ok(content) => say(content),
                            Err(reason) => return Ok(Err(reason)),
                        }
                    }
                    Some(Err(reason)) => return Ok(Err(reason)),
                    None => {
                        remarks.push(unknown(scene));
                        continue;
                    }
                },
                _ => {
                    remarks.push(unknown(scene));
                    continue;
                }
            },
        };
        effects.push(effect);
    }
    Ok(Ok(EffectPlan { effects, remarks, presence }))
}

async fn ask_rating(ctx: &Context, client: ClientId, scene: &TurnContext) -> Result<ChatbotEffect> {
    let content = ratings::question_in(&mut *ctx.db.acquire().await?, client, &scene.participant, None).await?;
    Ok(ChatbotEffect::Reply(Box::new(ChatbotReply { content, quoted: None, asks_rating: true, media: None })))
}

fn say(content: OutboundContent) -> ChatbotEffect {
    ChatbotEffect::Reply(Box::new(ChatbotReply { content, quoted: None, asks_rating: false, media: None }))
}

/// The names of the templates that earlier actions schedule.
fn planned(effects: &[ChatbotEffect]) -> HashSet<String> {
    let names = effects.iter().filter_map(|effect| match effect {
        ChatbotEffect::ScheduleTemplate { name, .. } => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// The content of a reply that needs no lookup, and the id it quotes.
fn reply_content(action: &Action) -> Option<(OutboundContent, Option<&str>)> {
    Some(match action {
        Action::ReplyText(reply) => (OutboundContent::Text { body: reply.text.clone() }, reply.quote.as_deref()),
        Action::ReplyMedia(reply) => (OutboundContent::Media(media(reply)), reply.quote.as_deref()),
        Action::ReplyButtons(reply) => (OutboundContent::Buttons(buttons(reply)), reply.quote.as_deref()),
        Action::ReplyList(reply) => (OutboundContent::List(list(reply)), reply.quote.as_deref()),
        Action::ReplyLocation(reply) => {
            let place = content::Location {
                latitude: reply.location.latitude,
                longitude: reply.location.longitude,
                name: reply.location.name.clone(),
                address: reply.location.address.clone(),
            };
            (OutboundContent::Location(place), reply.quote.as_deref())
        }
        _ => return None,
    })
}

fn written_file(action: &Action, files: &[AttachedFile]) -> Option<MediaId> {
    let Action::ReplyMedia(reply) = action else { return None };
    files.iter().find(|file| file.address == reply.url).map(|file| file.id)
}

fn media(reply: &ReplyMedia) -> OutboundMedia {
    let kind = templates::media_kind(reply.kind);
    // The plugin host has already checked the link.
    let url = read_link(&reply.url).map_or_else(|_| reply.url.clone(), Cow::into_owned);
    let name = reply.filename.as_deref().and_then(file_name::clean).or_else(|| file_name::of_link_end(&url));
    OutboundMedia {
        kind,
        caption: reply.caption.clone().filter(|caption| !caption.is_empty()),
        filename: (kind == MediaKind::Document).then(|| file_name::of_type(name.as_deref(), "")),
        url,
    }
}

fn buttons(reply: &ReplyButtons) -> content::ReplyButtons {
    let button = |button: &plugin_host::chatbot::Button| content::ReplyButton {
        id: button.id.clone(),
        title: button.title.clone(),
    };
    content::ReplyButtons {
        header: line(reply.header.as_ref()),
        body: reply.text.clone(),
        footer: line(reply.footer.as_ref()),
        buttons: reply.buttons.iter().map(button).collect(),
    }
}

fn list(reply: &ReplyList) -> content::ReplyList {
    let section = |section: &ListSection| content::ListSection {
        title: section.title.clone().unwrap_or_default(),
        rows: section
            .rows
            .iter()
            .map(|row| content::ListRow {
                id: row.id.clone(),
                title: row.title.clone(),
                description: line(row.description.as_ref()),
            })
            .collect(),
    };
    content::ReplyList {
        header: line(reply.header.as_ref()),
        body: reply.text.clone(),
        footer: line(reply.footer.as_ref()),
        button: reply.button_label.clone(),
        sections: reply.sections.iter().map(section).collect(),
    }
}

/// `None` for a blank line, because providers refuse empty headers and footers.
fn line(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).cloned()
}

/// Finds the quoted message in this chat by our id. The inner error is the reason why the reply has no quote.
async fn find_quote(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    quote: &str,
) -> Result<std::result::Result<(ChatMessageId, String), String>> {
    let named: String = quote.chars().take(QUOTE_LENGTH).collect();
    let unknown = || {
        format!(
            "a reply quotes the message `{named}`, which is none of this conversation: it was sent without the quote;              quote the `id` of a message that an event brought"
        )
    };
    let Ok(id) = quote.parse::<ChatMessageId>() else { return Ok(Err(unknown())) };
    let mut db = ctx.db.acquire().await?;
    let found = chat_messages::find(&mut db, client, id).await?;
    let Some(message) = found.filter(|message| message.participant == scene.participant.id) else {
        return Ok(Err(unknown()));
    };
    Ok(message.provider_id.map(|provider_id| (id, provider_id)).ok_or_else(|| {
        format!(
            "a reply quotes the message `{named}`, which the provider does not have yet: it was sent without the quote"
        )
    }))
}

fn unknown(scene: &TurnContext) -> String {
    let said = "an action that this version does not know was left out";
    tracing::info!(participant.id = %scene.participant.id, plugin = scene.plugin(), "{said}");
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use plugin_host::chatbot::{Button, ListRow, Location, MediaKind as PluginMediaKind, ReplyLocation, ReplyText};

    use super::*;

    #[test]
    fn a_text_becomes_a_text_and_keeps_its_quote() {
        let action = Action::ReplyText(ReplyText { text: "Hello".to_owned(), quote: Some("m1".to_owned()) });
        let (content, quote) = reply_content(&action).unwrap();
        assert_eq!(content, OutboundContent::Text { body: "Hello".to_owned() });
        assert_eq!(quote, Some("m1"));
    }

    #[test]
    fn a_file_without_a_type_of_its_own_is_sent_as_a_document() {
        let action = Action::ReplyMedia(ReplyMedia {
            url: "https://example.org/a.bin".to_owned(),
            kind: PluginMediaKind::File,
            caption: Some(String::new()),
            filename: Some("a.bin".to_owned()),
            quote: None,
        });
        let Some((OutboundContent::Media(file), None)) = reply_content(&action) else { panic!("not a file") };
        assert_eq!((file.kind, file.caption), (MediaKind::Document, None));
    }

    #[test]
    fn empty_headers_and_footers_are_left_out() {
        let action = Action::ReplyButtons(ReplyButtons {
            text: "Choose".to_owned(),
            buttons: vec![Button { id: "a".to_owned(), title: "A".to_owned() }],
            header: Some(" ".to_owned()),
            footer: Some("Thanks".to_owned()),
            quote: None,
        });
        let Some((OutboundContent::Buttons(message), None)) = reply_content(&action) else { panic!("no buttons") };
        assert_eq!((message.header, message.footer.as_deref()), (None, Some("Thanks")));
        assert_eq!(message.buttons, [content::ReplyButton { id: "a".to_owned(), title: "A".to_owned() }]);
    }

    #[test]
    fn a_list_keeps_its_sections_and_rows_in_order() {
        let row = |id: &str| ListRow { id: id.to_owned(), title: id.to_uppercase(), description: None };
        let action = Action::ReplyList(ReplyList {
            text: "Choose".to_owned(),
            button_label: "Open".to_owned(),
            sections: vec![ListSection { title: None, rows: vec![row("b"), row("a")] }],
            header: None,
            footer: None,
            quote: None,
        });
        let Some((OutboundContent::List(message), None)) = reply_content(&action) else { panic!("no list") };
        let ids: Vec<&str> = message.sections[0].rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!((message.button.as_str(), ids), ("Open", vec!["b", "a"]));
    }

    #[test]
    fn a_location_keeps_its_coordinates() {
        let location = Location { latitude: -33.9, longitude: 18.4, name: Some("Office".to_owned()), address: None };
        let action = Action::ReplyLocation(ReplyLocation { location, quote: None });
        let Some((OutboundContent::Location(place), None)) = reply_content(&action) else { panic!("no place") };
        assert_eq!((place.latitude, place.longitude, place.name.as_deref()), (-33.9, 18.4, Some("Office")));
    }
}
