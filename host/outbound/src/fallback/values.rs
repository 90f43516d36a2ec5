//! The key-values of a fallback decision. Those of scope `participant` belong to the customer, on all numbers.

use std::sync::Arc;

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, CustomerId, ParticipantId},
};
use plugin_host::{KeyValueSnapshot, KeyValueWrite, Scope};
use plugins::calls::key_values::{self, ValueOwner, ValueSnapshot, WriteOutcome};
use storage::{PgConnection, chat::chatbot_values, people::customers::addresses};

pub(super) struct CustomerValues {
    client: ClientId,
    plugin: String,
    address: Address,
    /// `None` if no row names the customer yet, so there are no values.
    customer: Option<CustomerId>,
    snapshot: Arc<ValueSnapshot>,
}

impl CustomerValues {
    pub(super) async fn open(
        ctx: &Context,
        client: ClientId,
        plugin: &str,
        address: &Address,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let known = addresses::find(&mut *ctx.db.acquire().await?, client, std::slice::from_ref(address)).await?;
        let customer = known.get(address).copied();
        let owner = owner(customer.unwrap_or_else(|| ctx.mint()));
        let snapshot = Arc::new(ValueSnapshot::new(ctx.db.clone(), client, plugin, owner, now));
        Ok(Self { client, plugin: plugin.to_owned(), address: address.clone(), customer, snapshot })
    }

    pub(super) fn snapshot(&self) -> Arc<dyn KeyValueSnapshot> {
        Arc::<ValueSnapshot>::clone(&self.snapshot)
    }

    /// Stores the writes in the caller's transaction, if the values that the plugin read are unchanged. Only the first
    /// value of a customer without a row makes that row.
    pub(super) async fn write(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        writes: &[KeyValueWrite],
    ) -> Result<WriteOutcome> {
        let is_own = writes.iter().any(|write| write.scope == Scope::Participant && write.value.is_some());
        let customer = match self.customer {
            Some(customer) => customer,
            None if is_own => {
                let made = people::resolve_many(db, self.client, &ctx.ids, &[&self.address], ctx.now()).await?;
                made.into_iter().next().unwrap_or_else(|| ctx.mint())
            }
            None => ctx.mint(),
        };
        let reads = self.snapshot.reads();
        // Messages to one customer fail on several lanes.
        if !reads.is_empty() || !writes.is_empty() {
            chatbot_values::lock_shared(db, self.client, &self.plugin).await?;
        }
        let owner = ValueOwner { client: self.client, plugin: &self.plugin, participant: owner(customer) };
        key_values::write(db, owner, &reads, writes, &ctx.settings).await
    }
}

/// The place of a customer among the owners of values, which are chats otherwise.
fn owner(customer: CustomerId) -> ParticipantId {
    ParticipantId(customer.0)
}
