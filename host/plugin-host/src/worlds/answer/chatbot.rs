//! The actions of a chatbot. The lengths are those of PROVIDERS A.2.

use std::collections::HashSet;

use domain::contact_attribute::AttributeName;

use super::{AnswerFault, Judgement, count, json, optional, text, url};
use crate::calling::limits::{CallLimits, ExceededLimit};
use crate::calling::written_file::written_file_index;
use crate::chatbot::{
    Action, AttributeChange, Location, Reaction, ReplyButtons, ReplyList, ReplyMedia, ReplyTemplate, ScheduledTemplate,
    Timer,
};
use crate::worlds::attribute_value::domain_value;

pub(crate) const TEXT: usize = 4_096;
pub(crate) const INTERACTIVE_TEXT: usize = 1_024;
pub(crate) const CAPTION: usize = 1_024;
const LINE: usize = 60;
pub(crate) const BUTTON_TITLE: usize = 20;
const BUTTON_ID: usize = 256;
const ROW_ID: usize = 200;
pub(crate) const ROW_TITLE: usize = 24;
const ROW_DESCRIPTION: usize = 72;
const PARAMETERS: usize = 64;
const NAME: usize = 512;
/// One emoji may be a sequence of several characters.
const EMOJI: usize = 16;
pub(crate) const STATE: usize = 16 << 10;
pub(crate) const SCHEDULE_SECONDS: std::ops::RangeInclusive<u32> = 1..=366 * 24 * 60 * 60;
pub(crate) const TIMER_SECONDS: std::ops::RangeInclusive<u32> = 1..=30 * 24 * 60 * 60;

/// The reason names the action, counted from 1.
pub(crate) fn judge(actions: &[Action], limits: &CallLimits) -> Result<(), AnswerFault> {
    if actions.len() > limits.actions {
        return Err(AnswerFault::Limit(ExceededLimit::Actions));
    }
    for (index, action) in actions.iter().enumerate() {
        let (name, judgement) = judge_one(action);
        judgement.map_err(|reason| AnswerFault::Rule(format!("action {} ({name}): {reason}", index + 1)))?;
    }
    let hands_over = actions.iter().filter(|action| matches!(action, Action::HandOver(_))).count();
    let closes = actions.iter().any(|action| matches!(action, Action::Close));
    if hands_over > 1 || (hands_over == 1 && closes) {
        return Err(AnswerFault::Rule("an answer hands over once at most, and not together with `close`".into()));
    }
    Ok(())
}

fn judge_one(action: &Action) -> (&'static str, Judgement) {
    match action {
        Action::ReplyText(reply) => ("reply-text", quoting(&reply.quote, text("text", &reply.text, TEXT))),
        Action::ReplyMedia(reply) => ("reply-media", quoting(&reply.quote, media(reply))),
        Action::ReplyButtons(reply) => ("reply-buttons", quoting(&reply.quote, buttons(reply))),
        Action::ReplyList(reply) => ("reply-list", quoting(&reply.quote, list(reply))),
        Action::ReplyLocation(reply) => ("reply-location", quoting(&reply.quote, location(&reply.location))),
        Action::ReplyTemplate(reply) => ("reply-template", template(reply)),
        Action::ScheduleTemplate(later) => ("schedule-template", scheduled(later)),
        Action::CancelTemplate(name) => ("cancel-template", text("name", name, 64)),
        Action::SetState(state) => ("set-state", optional("state", Some(state), STATE)),
        Action::StartTimer(start) => ("start-timer", timer(start)),
        Action::HandOver(to) => {
            ("hand-over", optional("team", to.team.as_deref(), 128).and(optional("note", to.note.as_deref(), 1_000)))
        }
        Action::Close => ("close", Ok(())),
        Action::CancelTimer(name) => ("cancel-timer", text("timer", name, 64)),
        Action::AddTag(tag) => ("add-tag", text("tag", tag, 64)),
        Action::RemoveTag(tag) => ("remove-tag", text("tag", tag, 64)),
        Action::SetAttribute(change) => ("set-attribute", attribute(change)),
        Action::Typing => ("typing", Ok(())),
        Action::MarkRead => ("mark-read", Ok(())),
        Action::React(reaction) => ("react", react(reaction)),
        Action::RequestRating => ("request-rating", Ok(())),
        Action::Custom(custom) => ("custom", json(custom, STATE)),
    }
}

/// Whether the client has defined the attribute is judged when the answer is carried out.
fn attribute(change: &AttributeChange) -> Judgement {
    let AttributeChange { name, value } = change;
    if AttributeName::parse(name).is_none() {
        let named: String = name.chars().take(64).collect();
        return Err(format!("the name `{named}` {}", AttributeName::RULE));
    }
    match value {
        Some(value) => domain_value(value).map(drop).map_err(|rule| format!("the value of `{name}` {rule}")),
        None => Ok(()),
    }
}

fn react(reaction: &Reaction) -> Judgement {
    text("message id", &reaction.message_id, 256)?;
    match &reaction.emoji {
        Some(emoji) => text("emoji", emoji, EMOJI),
        None => Ok(()),
    }
}

fn quoting(quote: &Option<String>, judgement: Judgement) -> Judgement {
    judgement?;
    match quote {
        Some(quote) => text("quoted message id", quote, 256),
        None => Ok(()),
    }
}

fn media(reply: &ReplyMedia) -> Judgement {
    if written_file_index(&reply.url).is_none() {
        url("url", &reply.url)?;
    }
    optional("caption", reply.caption.as_deref(), CAPTION)?;
    optional("filename", reply.filename.as_deref(), 240)
}

fn buttons(reply: &ReplyButtons) -> Judgement {
    text("text", &reply.text, INTERACTIVE_TEXT)?;
    optional("header", reply.header.as_deref(), LINE)?;
    optional("footer", reply.footer.as_deref(), LINE)?;
    count("buttons", reply.buttons.len(), 1..=3)?;
    for button in &reply.buttons {
        text("title of a button", &button.title, BUTTON_TITLE)?;
        text("id of a button", &button.id, BUTTON_ID)?;
    }
    different("buttons", reply.buttons.iter().map(|button| button.id.as_str()))
}

fn list(reply: &ReplyList) -> Judgement {
    text("text", &reply.text, TEXT)?;
    text("button label", &reply.button_label, BUTTON_TITLE)?;
    optional("header", reply.header.as_deref(), LINE)?;
    optional("footer", reply.footer.as_deref(), LINE)?;
    count("sections", reply.sections.len(), 1..=10)?;
    count("rows", reply.sections.iter().map(|section| section.rows.len()).sum(), 1..=10)?;
    for section in &reply.sections {
        match &section.title {
            Some(title) => text("title of a section", title, ROW_TITLE)?,
            None if reply.sections.len() > 1 => return Err("a section has no title, and there are several".into()),
            None => {}
        }
        count("rows in a section", section.rows.len(), 1..=10)?;
        for row in &section.rows {
            text("title of a row", &row.title, ROW_TITLE)?;
            text("id of a row", &row.id, ROW_ID)?;
            optional("description of a row", row.description.as_deref(), ROW_DESCRIPTION)?;
        }
    }
    different("rows", reply.sections.iter().flat_map(|section| &section.rows).map(|row| row.id.as_str()))
}

fn location(place: &Location) -> Judgement {
    if !(-90.0..=90.0).contains(&place.latitude) || !(-180.0..=180.0).contains(&place.longitude) {
        return Err("the latitude must be -90 to 90 and the longitude -180 to 180".into());
    }
    optional("name", place.name.as_deref(), 1_000)?;
    optional("address", place.address.as_deref(), 1_000)
}

fn template(reply: &ReplyTemplate) -> Judgement {
    text("name", &reply.name, NAME)?;
    text("id", &reply.id, NAME)?;
    count("parameters", reply.parameters.len(), 0..=PARAMETERS)?;
    count("button parameters", reply.button_parameters.len(), 0..=10)?;
    for parameter in reply.parameters.iter().chain(&reply.button_parameters) {
        text("value of a parameter", parameter, 1_024)?;
    }
    if let Some(header) = &reply.header {
        url("url of the header", &header.url)?;
        optional("filename of the header", header.filename.as_deref(), 240)?;
    }
    Ok(())
}

fn scheduled(later: &ScheduledTemplate) -> Judgement {
    text("name", &later.name, 64)?;
    template(&later.template)?;
    if SCHEDULE_SECONDS.contains(&later.after_seconds) {
        return Ok(());
    }
    Err(format!("a template is sent after {} to {} seconds", SCHEDULE_SECONDS.start(), SCHEDULE_SECONDS.end()))
}

fn timer(start: &Timer) -> Judgement {
    text("name", &start.name, 64)?;
    if TIMER_SECONDS.contains(&start.after_seconds) {
        return Ok(());
    }
    Err(format!("a timer runs for {} to {} seconds", TIMER_SECONDS.start(), TIMER_SECONDS.end()))
}

fn different<'a>(what: &str, mut ids: impl Iterator<Item = &'a str>) -> Judgement {
    let mut seen = HashSet::new();
    match ids.find(|id| !seen.insert(*id)) {
        Some(id) => Err(format!("two {what} have the same id `{id}`")),
        None => Ok(()),
    }
}
