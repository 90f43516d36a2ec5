//! Web chat (`docs/web-chat.md`, ADR 0029): sessions of visitors, their messages, their view of the chat, and receipts.

mod files;
mod post;
mod post_key;
mod presence;
mod receipts;
mod session;
mod thread;
mod token;
mod typing;

use base::{Context, Result};
pub use storage::web::{
    sites::Site,
    threads::{Thread, ThreadMessage, ThreadPage},
};

pub use files::{OfferedFile, VisitorUpload, VisitorUploadRefused, upload};
pub use post::{PostRefused, PostedMessage, VisitorPost, post};
pub use presence::{SitePermission, SocketView, VisitorPresence};
pub use receipts::{VisitorProgress, note_progress};
pub use session::{Identity, SessionRefused, VisitorSession, VisitorSessionRequest, begin, visitor_of};
pub use thread::{PAGE, chat_of, key_of_message, media_url, messages_after, messages_before};
pub use token::{TokenRefused, VisitorToken};
pub use typing::types;

pub async fn site_of_key(ctx: &Context, key: &str) -> Result<Option<Site>> {
    let mut db = ctx.db.acquire().await?;
    Ok(storage::web::sites::by_key(&mut db, key).await?)
}
