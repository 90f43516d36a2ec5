//! Makes room for more: refuses the new request, or ends another one.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    Ledger, Number,
    eviction_group::{EvictionGroup, ShortQuantity, account_is_full, short},
};
use crate::admission::{account::Owner, load::RequestLoad, refusal::AdmissionRefusal};

impl Ledger {
    /// Makes room for more load of this owner, or refuses it.
    ///
    /// A full account refuses its owner, but a source may take the place of its own slowest request. If the limit of
    /// requests without a key, of requests of providers, or of all requests is reached, the slowest request of the
    /// largest account among them is ended.
    pub(super) fn make_room(
        &mut self,
        owner: Owner,
        number: Number,
        more: RequestLoad,
        more_of_share: RequestLoad,
        now: Instant,
    ) -> Result<(), AdmissionRefusal> {
        let account = self.account(owner, now);
        if let Some(short) = short(account.held, more_of_share, account.limit) {
            let full = account_is_full(owner, account, short);
            if !owner.is_source() || !self.end_the_slowest(EvictionGroup::Source(owner), number, more_of_share, now) {
                return Err(full);
            }
        }
        if let Some(group) = EvictionGroup::without_key(owner)
            && !self.end_the_slowest(group, number, more, now)
        {
            return Err(AdmissionRefusal::Strangers);
        }
        if !self.end_the_slowest(EvictionGroup::All, number, more, now) {
            return Err(AdmissionRefusal::Process);
        }
        Ok(())
    }

    /// Ends slow requests of the largest accounts of a crowd until there is room for `more`. Returns `false` if no slow
    /// request is left.
    pub(super) fn end_the_slowest(
        &mut self,
        crowd: EvictionGroup,
        except: Number,
        more: RequestLoad,
        now: Instant,
    ) -> bool {
        loop {
            let (held, most) = match crowd {
                EvictionGroup::Source(owner) => {
                    let account = self.account(owner, now);
                    (account.held, account.limit)
                }
                EvictionGroup::Strangers => (self.strangers, self.settings.of_strangers()),
                EvictionGroup::Callbacks => (self.callbacks, self.settings.of_strangers()),
                EvictionGroup::All => {
                    let (requests, bytes) = (self.settings.requests, self.settings.bytes);
                    (self.all, RequestLoad { requests, bytes, answers: requests })
                }
            };
            let Some(short) = short(held, more, most) else { return true };
            let Some(slowest) = self.slowest(crowd, except, short, now) else { return false };
            metrics::counter!("patchbay_http_requests_ended_total", "reason" => "slowest").increment(1);
            self.end(slowest);
        }
    }

    fn slowest(&self, crowd: EvictionGroup, except: Number, short: ShortQuantity, now: Instant) -> Option<Number> {
        let size = |owner: Owner| short.of(self.accounts.get(&owner).map(|account| account.held).unwrap_or_default());
        let grace = if short == ShortQuantity::Answers { Duration::ZERO } else { crowd.grace(self.settings.graces) };
        let waiting = self
            .entries
            .iter()
            .filter(|(number, entry)| crowd.has(entry.owner) && **number != except && short.of(entry.load) > 0);
        let paced = waiting.filter_map(|(number, entry)| Some((entry.pace(grace, now)?, size(entry.owner), *number)));
        let slowest = paced.min_by(|(pace, size, _), (other_pace, other_size, _)| {
            let slower = pace.partial_cmp(other_pace).unwrap_or(std::cmp::Ordering::Equal);
            other_size.cmp(size).then(slower)
        });
        slowest.map(|(_, _, number)| number)
    }
}
