use domain::{
    conversation::Conversation,
    ids::{ClientId, ConversationId},
    page::{Page, PageRequest},
    privacy::{CustomerVisibility, MaskedSearch, SHOWN_DIGITS},
    search::SearchText,
};
use storage::{
    Db,
    chat::conversations::{self, ConversationSearch},
};

use base::Result;

const ALL_DIGITS: usize = 15;

/// A page of the client's conversations, newest first. `search`: part of the sender, the recipient or the id (blank =
/// all). A role that sees masked customers can search only the visible digits of a recipient.
pub async fn list(
    db: &Db,
    client: ClientId,
    sight: CustomerVisibility,
    search: &str,
    page: PageRequest,
) -> Result<Page<Conversation>> {
    let mut db = db.acquire().await?;
    let looked = SearchText::parse(search).map(|sought| conversation_search(sight, search, sought)).unwrap_or_default();
    let (items, total) = conversations::page(&mut db, client, &looked, page).await?;
    Ok(Page::of(items, total))
}

fn conversation_search(sight: CustomerVisibility, search: &str, sought: SearchText) -> ConversationSearch {
    let numbers = sought.spellings();
    match (sight, MaskedSearch::parse(search)) {
        (CustomerVisibility::Whole, _) => {
            ConversationSearch { words: sought.words, numbers, recipient_digits: ALL_DIGITS }
        }
        // A sender is the business, whose number is visible in full. A recipient can only match by its last digits.
        (CustomerVisibility::Masked, Some(MaskedSearch::Ending(digits))) => {
            ConversationSearch { words: sought.words, numbers: vec![digits], recipient_digits: SHOWN_DIGITS }
        }
        (CustomerVisibility::Masked, _) => ConversationSearch { words: sought.words, numbers, recipient_digits: 0 },
    }
}

/// All conversations of a client, newest first, read in portions because an unpaged list may be long.
#[derive(Debug)]
pub struct Listing {
    db: Db,
    /// `None` = an empty list.
    client: Option<ClientId>,
    before: Option<ConversationId>,
}

const AT_ONCE: i64 = 500;

impl Listing {
    pub fn of(db: &Db, client: Option<ClientId>) -> Self {
        Self { db: db.for_work(), client, before: None }
    }

    /// The next portion. Empty at the end.
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
