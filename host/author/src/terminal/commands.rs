use std::{io, path::Path, sync::Arc};

use chrono::TimeDelta;
use domain::{content::MediaKind as FileKind, file_type::FileType};
use plugin_host::{
    Scope,
    chatbot::{Choice, ChoiceSource, Content, EventKind, Media, MediaKind, Rating, RatingScore},
};

use super::show::{show, silence_text};
use crate::local_run::{attributes, bot_message::BotChoice, chat::LocalChat, effects::HostEffect, time};

const HELP: &str = "\
text            the customer writes it
1, 2, ..        tap a button or entry of the latest message that had any
/tap ID         the same, by title or id
/file PATH      the customer sends this file
/rate SCORE     rate: poor, average or excellent
/clock 30m      move the clock; timers fire on the way
/release        an agent gives the conversation back to the bot
/state          the bot's state, tags, attributes and timers
/timers         the timers that run
/kv             what the plugin has stored
/restart        a new conversation, with nothing stored
/quit           leave";

pub(super) enum LineOutcome {
    GoOn,
    Moved(TimeDelta),
    Restart,
    Quit,
}

pub(super) async fn carry_out(
    chat: &mut LocalChat<'_>,
    line: &str,
    out: &mut (dyn io::Write + Send),
) -> io::Result<LineOutcome> {
    let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
    match word {
        "" => {}
        "/quit" | "/exit" => return Ok(LineOutcome::Quit),
        "/restart" => return Ok(LineOutcome::Restart),
        "/help" => writeln!(out, "{HELP}")?,
        "/state" => state(chat, out)?,
        "/timers" if chat.timers().is_empty() => writeln!(out, "  (no timer runs)")?,
        "/timers" => timers(chat, out)?,
        "/kv" => print_values(chat, out)?,
        "/release" => show(out, &chat.release().await)?,
        "/clock" => return clock(chat, rest, out).await,
        "/file" => match tokio::fs::read(rest).await {
            Ok(bytes) => send(chat, Content::Media(media(rest, &bytes)), Some(bytes.into()), out).await?,
            Err(reason) => writeln!(out, "  (`{rest}` cannot be read: {reason})")?,
        },
        "/rate" => rate(chat, rest, out).await?,
        "/tap" => match find_choice(chat, rest) {
            Some(choice) => send(chat, Content::Choice(choice), None, out).await?,
            None => writeln!(out, "  (there is no `{rest}` to tap)")?,
        },
        command if command.starts_with('/') => writeln!(out, "  (`{command}` is not a command; /help lists them)")?,
        _ => {
            let number = line.parse().ok().and_then(|number: usize| number.checked_sub(1));
            let tapped = number.and_then(|index| chat.offered_choices().get(index));
            let content = match tapped {
                Some(offered) => Content::Choice(choice(offered)),
                None => Content::Text(line.to_owned()),
            };
            send(chat, content, None, out).await?;
        }
    }
    Ok(LineOutcome::GoOn)
}

/// A file as a message of the customer.
fn media(path: &str, bytes: &[u8]) -> Media {
    let file_type = FileType::of(bytes);
    let part = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).map(str::to_owned);
    Media {
        url: path.to_owned(),
        mime: file_type.map(|file_type| file_type.mime().to_owned()),
        filename: part(Path::new(path).file_name()),
        size: u64::try_from(bytes.len()).ok(),
        extension: part(Path::new(path).extension()),
        caption: None,
        kind: match file_type.map(FileType::kind) {
            Some(FileKind::Image) => MediaKind::Image,
            Some(FileKind::Video) => MediaKind::Video,
            Some(FileKind::Audio) => MediaKind::Audio,
            Some(FileKind::Voice) => MediaKind::Voice,
            Some(FileKind::Sticker) => MediaKind::Sticker,
            Some(FileKind::Document) | None => MediaKind::Document,
        },
    }
}

fn find_choice(chat: &LocalChat<'_>, wanted: &str) -> Option<Choice> {
    let number = wanted.parse().ok().and_then(|number: usize| number.checked_sub(1));
    let by_name = chat.offered_choices().iter().find(|choice| choice.title == wanted || choice.id == wanted);
    let offered = by_name.or_else(|| chat.offered_choices().get(number?))?;
    Some(choice(offered))
}

fn choice(offered: &BotChoice) -> Choice {
    Choice { source: ChoiceSource::Interactive, text: offered.title.clone(), payload: offered.id.clone() }
}

async fn send(
    chat: &mut LocalChat<'_>,
    content: Content,
    file: Option<Arc<[u8]>>,
    out: &mut (dyn io::Write + Send),
) -> io::Result<()> {
    let turns = chat.receive_message(content, None, file).await;
    show(out, &turns)?;
    let heard = turns.iter().any(|turn| {
        turn.failure.is_some()
            || turn.effects.iter().any(|effect| matches!(effect, HostEffect::Said(_) | HostEffect::RatingAsked))
    });
    if !heard {
        writeln!(out, "{}", silence_text(chat.stage()))?;
    }
    Ok(())
}

async fn clock(chat: &mut LocalChat<'_>, rest: &str, out: &mut (dyn io::Write + Send)) -> io::Result<LineOutcome> {
    let Some(by) = time::span(rest) else {
        writeln!(out, "  (`/clock {rest}`: write /clock 30m, 1h30m or 2d)")?;
        return Ok(LineOutcome::GoOn);
    };
    let to = chat.now() + by;
    show(out, &chat.advance(to).await)?;
    writeln!(out, "  (it is {})", chat.now().format("%Y-%m-%d %H:%M:%S UTC"))?;
    Ok(LineOutcome::Moved(by))
}

async fn rate(chat: &mut LocalChat<'_>, rest: &str, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
    let score = match rest {
        "poor" => RatingScore::Poor,
        "average" => RatingScore::Average,
        "excellent" => RatingScore::Excellent,
        _ => return writeln!(out, "  (`/rate {rest}`: write /rate poor, average or excellent)"),
    };
    let turns = chat.happens(EventKind::Rating(Rating { score, comment: None })).await;
    show(out, &turns)
}

fn state(chat: &LocalChat<'_>, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
    writeln!(out, "  state:  {}", if chat.state().is_empty() { "(empty)" } else { chat.state() })?;
    if !chat.tags().is_empty() {
        writeln!(out, "  tags:   {}", chat.tags().join(", "))?;
    }
    for attribute in chat.attributes() {
        writeln!(out, "  attribute:  {} = {}", attribute.name, attributes::shown(&attribute.value))?;
    }
    timers(chat, out)
}

fn timers(chat: &LocalChat<'_>, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
    for (name, left) in chat.timers() {
        writeln!(out, "  timer:  {name} in {}", time::format_span(left))?;
    }
    Ok(())
}

fn print_values(chat: &LocalChat<'_>, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
    let values = chat.values().list();
    if values.is_empty() {
        return writeln!(out, "  (nothing is stored)");
    }
    for (scope, key, value) in values {
        let of = if scope == Scope::Client { "client" } else { "participant" };
        writeln!(out, "  {of}  {key} = {}", String::from_utf8_lossy(&value))?;
    }
    Ok(())
}
