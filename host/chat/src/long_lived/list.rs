//! Lists of conversations.

use domain::{
    conversation::Conversation,
    ids::{ClientId, ConversationId},
    page::{Page, PageRequest},
};
use storage::{PgPool, chat::conversations};

use base::Result;

/// A page of the client's conversations, the newest first. `search`: part of the sender, the recipient or the id (`""` = all).
pub async fn list(db: &PgPool, client: ClientId, search: &str, page: PageRequest) -> Result<Page<Conversation>> {
    let mut db = db.acquire().await?;
    let search = search.trim().to_lowercase();
    // Numbers are stored without `+`, and people search with it.
    let search = search.strip_prefix('+').unwrap_or(&search);
    let (items, total) = conversations::page(&mut db, client, search, page).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}

/// All conversations of a client, the newest first, read a little at a time: a list without pages may be a long one.
#[derive(Debug)]
pub struct Listing {
    db: PgPool,
    /// Whose; `None` = nobody's.
    client: Option<ClientId>,
    before: Option<ConversationId>,
}

/// Conversations read at a time.
const AT_ONCE: i64 = 500;

impl Listing {
    /// The conversations of a client; `None` has none.
    pub fn of(db: &PgPool, client: Option<ClientId>) -> Self {
        Self { db: db.clone(), client, before: None }
    }

    /// The next ones; none at the end.
    pub async fn next(&mut self) -> Result<Vec<Conversation>> {
        let Some(client) = self.client else { return Ok(Vec::new()) };
        let mut db = self.db.acquire().await?;
        let found = conversations::after(&mut db, client, self.before, AT_ONCE).await?;
        match found.last() {
            Some(last) if found.len() == usize::try_from(AT_ONCE).unwrap_or_default() => self.before = Some(last.id),
            _ => self.client = None,
        }
        Ok(found)
    }
}
