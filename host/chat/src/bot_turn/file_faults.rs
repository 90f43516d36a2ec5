//! Files that the inbox of a chat does not carry. The author of the chatbot gets the fault and its cure at once, before a
//! provider refuses the message.

use base::{Context, Result, media};
use domain::{content::OutboundContent, gif, ids::ClientId, inbox::InboxKind};
use storage::inbound::media as stored_media;

use super::{attachments::AttachedFile, turn_context::TurnContext};

/// The reason why a reply with this content cannot be sent.
pub(super) async fn find(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    content: &OutboundContent,
    files: &[AttachedFile],
) -> Result<Option<String>> {
    let (OutboundContent::Media(file), InboxKind::WhatsappCloud) = (content, scene.inbox.kind()) else {
        return Ok(None);
    };
    let written = files.iter().find(|written| written.address == file.url).map(AttachedFile::media_type);
    let media_type = match written {
        Some(media_type) => media_type.to_owned(),
        None => stored_type(ctx, client, &file.url).await?.unwrap_or_default(),
    };
    let fault = gif::fault_of(scene.inbox.kind(), &media_type);
    Ok(fault.map(|fault| format!("the file of a reply {fault}")))
}

/// The media type of a file of the client, if the address is that of one.
async fn stored_type(ctx: &Context, client: ClientId, url: &str) -> Result<Option<String>> {
    let Some((_, id)) = media::own(ctx, url).flatten().filter(|(owner, _)| *owner == client) else { return Ok(None) };
    let found = stored_media::find(&mut *ctx.db.acquire().await?, client, id).await?;
    Ok(found.map(|file| file.mime_type))
}
