//! Requests catalogues of templates again after the provider refused a send that our linter passed (PROVIDERS A.11).

use std::collections::BTreeSet;

use base::{Context, Result};
use channels::code_meaning::CodeMeaning;
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    inbound::ProviderFailure,
};
use storage::{PgConnection, inboxes::templates};

/// Numbers whose templates differ from our catalogue, by answers to sends and by failed statuses.
#[derive(Debug, Default)]
pub(crate) struct StaleCatalogues(BTreeSet<InboxId>);

impl StaleCatalogues {
    pub(crate) fn note(&mut self, channel: Channel, inbox: InboxId, failure: &ProviderFailure) {
        if CodeMeaning::of(channel, failure.code).is_some_and(|meaning| meaning.outdates_templates) {
            self.0.insert(inbox);
        }
    }

    pub(crate) async fn request(self, ctx: &Context, db: &mut PgConnection, client: ClientId) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let inboxes: Vec<InboxId> = self.0.into_iter().collect();
        Ok(templates::request_refresh_of_numbers(db, client, &inboxes, ctx.now()).await?)
    }
}
