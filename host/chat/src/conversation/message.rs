use base::{Context, Result, media};
use domain::{
    chat::{ChatContent, ContentType},
    ids::{ClientId, MediaId},
    inbound::InboundContent,
    lite::bare_id,
};
use storage::{
    PgConnection,
    chat::chat_messages::{self, ChatMessage, QuotedMessage},
};

use super::readable_text;

pub(crate) struct CustomerMessage {
    pub(crate) message: ChatMessage,
    pub(crate) content: InboundContent,
    pub(crate) carousel: bool,
    /// The type of the message, as the provider names it.
    pub(crate) provider_type: Option<String>,
    pub(crate) file: Option<StoredFile>,
    /// The quoted message: id and text.
    pub(crate) quoted: Option<(String, Option<String>)>,
    pub(crate) reacted_to: Option<String>,
}

/// A file of a message, as a plugin sees it.
pub(crate) struct StoredFile {
    /// Our address of it.
    pub(crate) url: String,
    /// Without the dot.
    pub(crate) extension: Option<String>,
    /// Bytes, if the file has arrived already.
    pub(crate) size: Option<u64>,
}

pub(crate) async fn read(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: ChatMessage,
) -> Result<CustomerMessage> {
    let ChatContent::Incoming(received) = &message.content else {
        let (table, column) = ("chat_message", "direction");
        return Err(storage::Error::Inconsistent { table, column, value: "OUTGOING".to_owned() }.into());
    };
    let content = received.content.clone();
    let provider_type = received.raw.0.pointer("/type").and_then(serde_json::Value::as_str).map(str::to_owned);
    let quoted = match &message.quoted_provider_id {
        Some(id) => chat_messages::find_quoted(db, client, id).await?,
        None => None,
    };
    let reacted_to = match &content {
        InboundContent::Reaction { message_id, .. } => {
            let target = chat_messages::find_quoted(db, client, message_id).await?;
            Some(target.map_or_else(|| bare_id(message_id).to_owned(), |target| id_of(&target)))
        }
        _ => None,
    };
    let file = match message.media {
        Some(file) => Some(file_of(ctx, db, client, file).await?),
        None => None,
    };
    Ok(CustomerMessage {
        carousel: message.content_type == ContentType::Carousel,
        quoted: quoted.map(|quoted| (id_of(&quoted), text_of(quoted))),
        message,
        content,
        provider_type,
        file,
        reacted_to,
    })
}

async fn file_of(ctx: &Context, db: &mut PgConnection, client: ClientId, file: MediaId) -> Result<StoredFile> {
    let known = storage::inbound::media::find(db, client, file).await?;
    let size = known.as_ref().and_then(|known| known.size);
    Ok(StoredFile { url: media::url_for(ctx, client, file), extension: known.map(|known| known.extension), size })
}

fn id_of(quoted: &QuotedMessage) -> String {
    match (quoted.chat_message, quoted.outbound_message) {
        (Some(chat), _) => chat.to_string(),
        (None, Some(sent)) => sent.to_string(),
        (None, None) => quoted.gst_id.clone(),
    }
}

fn text_of(quoted: QuotedMessage) -> Option<String> {
    let of_content = || readable_text::of_outbound(quoted.content.as_ref()?);
    quoted.body.or_else(of_content)
}
