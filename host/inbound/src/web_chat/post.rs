//! Stores messages, taps and form answers of a visitor, through the same code as other channels and in one transaction.
//! After the answer they are on disk. A message with the same key is stored once.

use std::collections::BTreeMap;

use base::{Context, Error};
use chat::receive::{self, UPLOADED};
use domain::{
    address::{Address, AddressKind},
    body::FieldFault,
    chat::ChatContent,
    content::{Location, OutboundContent},
    file_type::FileType,
    ids::{ChatMessageId, ClientId, MediaId},
    inbound::{InboundContent, InboundMedia, InboundMessage},
    web_chat::{FormAnswer, PostKey, read_text, shown_as},
};
use storage::{
    PgConnection,
    chat::chat_messages,
    inbound::media::{self, MediaState},
    web::{
        sites::Site,
        threads::{self, Thread},
        visitors::{self, NewVisitor, Visitor},
    },
};

use super::{post_key::provider_id, thread, token::VisitorToken};

#[derive(Debug, Clone)]
pub enum VisitorPost {
    Text(String),
    File { file: MediaId, caption: Option<String> },
    Tap { message: ChatMessageId, choice: String },
    Place { latitude: f64, longitude: f64 },
    Form(BTreeMap<String, FormAnswer>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostedMessage {
    pub id: ChatMessageId,
    pub sequence: i64,
}

#[derive(Debug, thiserror::Error)]
pub enum PostRefused {
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Faults(Vec<FieldFault>),
    #[error("the form must be answered before the first message")]
    FormFirst,
    #[error("the form was answered before")]
    FormAnswered,
    #[error("this token has expired: begin a session")]
    Expired,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(PostRefused: storage::Error);

fn fault(field: &str, said: &str) -> PostRefused {
    PostRefused::Faults(vec![FieldFault::new(field, said)])
}

pub async fn post(
    ctx: &Context,
    site: &Site,
    from: &VisitorToken,
    key: &PostKey,
    post: VisitorPost,
) -> Result<PostedMessage, PostRefused> {
    let visitor = from.visitor.to_string();
    let provider_id = provider_id(&visitor, key);
    let mut tx = ctx.db.begin().await?;
    let new = NewVisitor { inbox: site.id, visitor: &visitor, proven: None };
    let mut known = visitors::begin(&mut tx, site.client, new, ctx.now()).await?;
    if known.joined_to.is_some() {
        return Err(PostRefused::Expired);
    }
    if let Some((id, sequence)) = threads::place_of(&mut tx, site.client, &provider_id).await? {
        return Ok(PostedMessage { id, sequence });
    }
    if known.form_answered && matches!(post, VisitorPost::Form(_)) {
        return answered_before(&mut tx, site, &visitor, &known).await;
    }
    let form = site.settings.form.as_ref();
    let form_comes_first = form.is_some_and(|form| form.is_required()) && !known.form_answered;
    if form_comes_first && !matches!(post, VisitorPost::Form(_)) {
        return Err(PostRefused::FormFirst);
    }
    let chat = thread::find(&mut tx, site, &visitor).await?;
    let said = read(&mut tx, site, &visitor, chat.as_ref(), post).await?;
    let message = InboundMessage {
        provider_id: provider_id.clone(),
        from: None,
        from_user_id: None,
        from_parent_user_id: None,
        from_address: Address::of_kind(AddressKind::Visitor, &visitor),
        profile_name: said.name,
        username: None,
        sent_at: ctx.now(),
        quoted_provider_id: said.answers,
        content: said.content,
        raw: serde_json::Value::Null,
        referral: None,
    };
    let wakes = receive::receive(ctx, &mut tx, site.client, site.id, &message).await?;
    let place = threads::place_of(&mut tx, site.client, &provider_id).await?;
    let Some((id, sequence)) = place else {
        // The site was deleted during this request.
        return Err(PostRefused::Expired);
    };
    if said.answers_form {
        (known.form_answered, known.form_key) = (true, Some(key.to_string()));
        visitors::save(&mut tx, site.client, site.id, &visitor, &known).await?;
    }
    tx.commit().await?;
    ctx.wake.wake_all(site.client, wakes);
    ctx.carriers.doorbell().ring(site.client, site.id, &visitor);
    Ok(PostedMessage { id, sequence })
}

/// The form is answered once. A repeat with any key returns the first answers.
async fn answered_before(
    db: &mut PgConnection,
    site: &Site,
    visitor: &str,
    known: &Visitor,
) -> Result<PostedMessage, PostRefused> {
    let key = known.form_key.as_deref().and_then(PostKey::parse).ok_or(PostRefused::FormAnswered)?;
    let place = threads::place_of(db, site.client, &provider_id(visitor, &key)).await?;
    place.map(|(id, sequence)| PostedMessage { id, sequence }).ok_or(PostRefused::FormAnswered)
}

struct Said {
    content: InboundContent,
    answers: Option<String>,
    name: Option<String>,
    answers_form: bool,
}

impl From<InboundContent> for Said {
    fn from(content: InboundContent) -> Self {
        Self { content, answers: None, name: None, answers_form: false }
    }
}

async fn read(
    db: &mut PgConnection,
    site: &Site,
    visitor: &str,
    chat: Option<&Thread>,
    post: VisitorPost,
) -> Result<Said, PostRefused> {
    match post {
        VisitorPost::Text(text) => {
            let body = read_text(&text).map_err(|said| fault("text", said))?;
            Ok(InboundContent::Text { body }.into())
        }
        VisitorPost::File { file, caption } => {
            let caption = caption.map(|text| read_text(&text).map_err(|said| fault("caption", said))).transpose()?;
            Ok(InboundContent::Media(find_upload(db, site, visitor, file, caption).await?).into())
        }
        VisitorPost::Tap { message, choice } => tap(db, site.client, chat, message, &choice).await,
        VisitorPost::Place { latitude, longitude } => {
            if !((-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)) {
                return Err(fault("latitude", "and longitude must be degrees on earth"));
            }
            let place = Location { latitude, longitude, name: None, address: None };
            Ok(InboundContent::Location(place).into())
        }
        VisitorPost::Form(answers) => {
            let form = site.settings.form.as_ref().ok_or_else(|| fault("answers", "the site asks nothing"))?;
            let read = form.read(&answers).map_err(PostRefused::Faults)?;
            let content = InboundContent::Text { body: read.as_text() };
            Ok(Said { content, answers: None, name: read.name, answers_form: true })
        }
    }
}

async fn find_upload(
    db: &mut PgConnection,
    site: &Site,
    visitor: &str,
    file: MediaId,
    caption: Option<String>,
) -> Result<InboundMedia, PostRefused> {
    let stored = media::find(db, site.client, file).await?;
    let own = |stored: &media::MediaRecord| {
        stored.inbox == site.id
            && stored.state == MediaState::Ready
            && stored.provider_media_id == media::uploaded_by(visitor)
    };
    let stored = stored.filter(own).ok_or_else(|| fault("file", "is no file that you uploaded"))?;
    let kind = FileType::of_mime(&stored.mime_type).map(shown_as);
    Ok(InboundMedia {
        media_kind: kind.unwrap_or(domain::content::MediaKind::Document),
        provider_media_id: format!("{UPLOADED}{file}"),
        url: None,
        mime_type: stored.mime_type,
        sha256: stored.sha256,
        caption,
        filename: stored.filename,
    })
}

/// A tap on a message of this chat. Its text is the text of the choice.
async fn tap(
    db: &mut PgConnection,
    client: ClientId,
    chat: Option<&Thread>,
    id: ChatMessageId,
    choice: &str,
) -> Result<Said, PostRefused> {
    let unknown = || fault("message", "is no message of this chat with something to choose");
    let message = chat_messages::find(db, client, id).await?.ok_or_else(unknown)?;
    if chat.is_none_or(|chat| chat.participant != message.participant) {
        return Err(unknown());
    }
    let ChatContent::Outgoing(sent) = &message.content else { return Err(unknown()) };
    let content = find_choice(sent, choice).ok_or_else(|| fault("choice", "is not offered by this message"))?;
    Ok(Said { answers: message.provider_id, ..content.into() })
}

fn find_choice(sent: &OutboundContent, choice: &str) -> Option<InboundContent> {
    let interactive = |text: &str| InboundContent::Interactive { text: text.to_owned(), payload: choice.to_owned() };
    match sent {
        OutboundContent::Buttons(buttons) => {
            let button = buttons.buttons.iter().find(|button| button.id == choice)?;
            Some(interactive(&button.title))
        }
        OutboundContent::List(list) => {
            let mut rows = list.sections.iter().flat_map(|section| &section.rows);
            Some(interactive(&rows.find(|row| row.id == choice)?.title))
        }
        OutboundContent::Template(template) => {
            let reply = template.replies.iter().find(|reply| reply.payload == choice)?;
            Some(InboundContent::Button { text: reply.label.clone(), payload: choice.to_owned() })
        }
        OutboundContent::Text { .. }
        | OutboundContent::Media(_)
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Sms(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use domain::content::{ReplyButton, ReplyButtons};

    use super::{super::post_key::key_of, *};

    #[test]
    fn only_an_offered_choice_can_be_chosen() {
        let button = ReplyButton { id: "yes".to_owned(), title: "Yes, please".to_owned() };
        let sent = OutboundContent::Buttons(ReplyButtons {
            header: None,
            body: "Sure?".to_owned(),
            footer: None,
            buttons: vec![button],
        });
        let said = InboundContent::Interactive { text: "Yes, please".to_owned(), payload: "yes".to_owned() };
        assert_eq!(find_choice(&sent, "yes"), Some(said));
        assert_eq!(find_choice(&sent, "no"), None);
        assert_eq!(find_choice(&OutboundContent::Text { body: "yes".to_owned() }, "yes"), None);
    }

    #[test]
    fn the_key_of_a_message_is_found_in_its_name() {
        let key = PostKey::parse("0190c7a2-7b1e").unwrap();
        assert_eq!(key_of(&provider_id("visitor", &key)), Some("0190c7a2-7b1e"));
        assert_eq!(key_of("web:0190c7a2"), None, "one of ours");
    }
}
