//! Legs without an answer to their first call, after the wait for a report: the rule of the client decides (ADR 0004).

use base::Result;
use domain::{carriage::DoubtRule, ids::ClientId, inbound::ProviderFailure};
use storage::{PgConnection, outbound::work::DueLeg, tenancy::clients};

/// Reads the rule of a client for these legs. Makes no query if it decides about none of them.
pub(super) async fn read_rule(db: &mut PgConnection, client: ClientId, legs: &[DueLeg]) -> Result<DoubtRule> {
    if !legs.iter().any(is_in_doubt) {
        return Ok(DoubtRule::default());
    }
    Ok(DoubtRule::of_client(clients::is_at_most_once(db, client).await?))
}

/// The failure of a leg that is not sent again.
pub(super) fn failure(rule: DoubtRule, leg: &DueLeg) -> Option<ProviderFailure> {
    if is_in_doubt(leg) { rule.failure() } else { None }
}

/// A leg that was sent again already has another failure.
fn is_in_doubt(leg: &DueLeg) -> bool {
    leg.unanswered && !leg.ambiguous
}
