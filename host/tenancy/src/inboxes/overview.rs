//! The inboxes of a client in the view of its owner: their quality and tier, and their state at the provider.

use std::collections::HashMap;

use base::{Context, Result, sending_figures::WaitKind};
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    page::{Page, PageRequest},
    status_report::{ProcessReport, SILENT_AFTER},
    tier,
};
use storage::{
    PgConnection,
    inboxes::overview::{self, InboxOverview},
    work::process_reports,
};

/// Channels whose inboxes belong to a provider. Sites have their own list, and sources of SMS are the operator's.
pub const PROVIDER_CHANNELS: [Channel; 3] = [Channel::Whatsapp, Channel::Facebook, Channel::Telegram];

/// The reason in place of the operator's, which may name files and addresses of the installation.
const NOT_SENT: &str = "the message could not be handed to the provider";

/// An inbox and its state at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxReport {
    pub inbox: InboxOverview,
    pub faults: InboxFaults,
}

/// The faults of an inbox that processes report. A later message that the provider takes ends them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxFaults {
    pub refusal: Option<TokenRefusal>,
    pub failed_call: Option<InboxCallFailure>,
}

/// The provider refused the token or the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRefusal {
    pub code: String,
    pub at: DateTime<Utc>,
}

/// The last call failed, and is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxCallFailure {
    pub reason: String,
    /// The time of the next attempt, if it is known.
    pub until: Option<DateTime<Utc>>,
}

/// The client's numbers, pages and bots, by channel and address. `None`: of all channels with a provider.
pub async fn list_inboxes(
    ctx: &Context,
    client: ClientId,
    channel: Option<Channel>,
    page: PageRequest,
) -> Result<Page<InboxReport>> {
    let channels = channel.map_or_else(|| PROVIDER_CHANNELS.to_vec(), |channel| vec![channel]);
    let mut db = ctx.db.acquire().await?;
    let counted_after = tier::counted_after(ctx.now());
    let (inboxes, total) = overview::page(&mut db, client, &channels, counted_after, page).await?;
    let mut faults = if inboxes.is_empty() { HashMap::new() } else { read_faults(&mut db, client).await? };
    let report = |inbox: InboxOverview| InboxReport { faults: faults.remove(&inbox.id).unwrap_or_default(), inbox };
    Ok(Page::of(inboxes.into_iter().map(report).collect(), total))
}

/// The faults of the client's inboxes in the reports of running processes. If two report one, the later one counts.
async fn read_faults(db: &mut PgConnection, client: ClientId) -> Result<HashMap<InboxId, InboxFaults>> {
    let mut found: HashMap<InboxId, InboxFaults> = HashMap::new();
    for stored in process_reports::all::<ProcessReport>(db).await? {
        let is_present = stored.age_seconds <= SILENT_AFTER.as_secs_f64();
        let Some(report) = stored.report.ok().filter(|report| is_present && !report.stopped) else { continue };
        for refused in report.refused_tokens.into_iter().filter(|one| one.client_id == client) {
            let refusal = TokenRefusal { code: refused.code, at: refused.refused_time.0 };
            let known = &mut found.entry(refused.inbox_id).or_default().refusal;
            if known.as_ref().is_none_or(|known| known.at < refusal.at) {
                *known = Some(refusal);
            }
        }
        for wait in report.waits.into_iter().filter(|one| one.client_id == client) {
            let kind = WaitKind::ALL.into_iter().find(|kind| kind.as_str() == wait.kind);
            let reason = match kind {
                Some(WaitKind::CallFailed) => wait.reason,
                Some(WaitKind::NotSent) => NOT_SENT.to_owned(),
                Some(WaitKind::Window | WaitKind::Rate | WaitKind::Closed) | None => continue,
            };
            let call = InboxCallFailure { reason, until: wait.until.map(|until| until.0) };
            let known = &mut found.entry(wait.inbox_id).or_default().failed_call;
            if known.as_ref().is_none_or(|known| known.until < call.until) {
                *known = Some(call);
            }
        }
    }
    Ok(found)
}
