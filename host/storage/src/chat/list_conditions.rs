use domain::{
    chat::ChatScope,
    ids::ClientId,
    page::{Page, PageRequest},
};
use uuid::Uuid;

use crate::{Error, Result};

/// Most chats that are counted. The total of a longer list exceeds the pages up to the requested one.
pub const COUNTED: u64 = 10_000;

/// A page of a long list. `rows` may have one more than the page, and `counted` is at most [`COUNTED`].
pub(super) fn counted_page<R, T>(rows: Vec<R>, counted: u64, page: PageRequest) -> Result<Page<T>>
where
    T: TryFrom<R, Error = Error>,
{
    let seen = u64::try_from(page.offset()).unwrap_or_default() + u64::try_from(rows.len()).unwrap_or_default();
    let total = if counted < COUNTED || rows.is_empty() { counted } else { seen.max(counted) };
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let items = rows.into_iter().take(size).map(T::try_from).collect::<Result<Vec<_>>>()?;
    Ok(Page { items, total })
}

/// A list of chats, as its readers see it.
#[derive(Clone, Copy)]
pub(super) struct ListedChats<'a> {
    pub(super) client: ClientId,
    pub(super) scope: ChatScope,
    /// The caller, or the caller's team.
    pub(super) agents: &'a [Uuid],
}

/// The condition of a list. `$2` are its agents: the caller, or the caller's team.
pub(super) fn condition(scope: ChatScope) -> &'static str {
    match scope {
        ChatScope::My | ChatScope::Team => "state = 'ACTIVE' AND assigned_agent_id = ANY($2::uuid[])",
        ChatScope::Unassigned => "state = 'QUEUED' AND $2::uuid[] IS NOT NULL",
        ChatScope::Closed => "state = 'CLOSED' AND $2::uuid[] IS NOT NULL",
        ChatScope::MissedAgent => "missed AND NOT after_hours AND $2::uuid[] IS NOT NULL",
        ChatScope::MissedAfterHours => "after_hours AND $2::uuid[] IS NOT NULL",
        ChatScope::MyMissed => "missed AND missed_agent_id = ANY($2::uuid[])",
        ChatScope::Open => "state <> 'CLOSED' AND $2::uuid[] IS NOT NULL",
        ChatScope::All => "$2::uuid[] IS NOT NULL",
    }
}
