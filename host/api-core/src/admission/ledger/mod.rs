//! The ledger: all requests in flight, their accounts, and the rule for a lack of room.

mod eviction;
mod eviction_group;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::Arc};

use base::Pace;
use domain::ids::ClientId;
use tokio::{
    sync::{Notify, Semaphore},
    time::Instant,
};

use super::{
    account::{AdmissionAccount, Owner},
    entry::{Phase, RequestEntry},
    link::PeerLink,
    load::RequestLoad,
    refusal::AdmissionRefusal,
    settings::AdmissionSettings,
};
use eviction_group::{EvictionGroup, account_is_full, short};

/// If there are more accounts than this, idle ones are removed.
const ACCOUNTS: usize = 1_024;

/// The number of a request in the ledger.
pub(super) type Number = u64;

/// All requests of one process. Every change is made under one lock, and none of them waits.
#[derive(Debug)]
pub(super) struct Ledger {
    pub settings: AdmissionSettings,
    accounts: HashMap<Owner, AdmissionAccount>,
    entries: HashMap<Number, RequestEntry>,
    next: Number,
    sweep_at: usize,
    /// The load of all requests.
    pub all: RequestLoad,
    /// The load of requests without a known client, except those of providers.
    strangers: RequestLoad,
    /// The load of requests of providers.
    callbacks: RequestLoad,
}

impl Ledger {
    pub fn new(settings: AdmissionSettings) -> Self {
        Self {
            settings,
            accounts: HashMap::new(),
            entries: HashMap::new(),
            next: 0,
            sweep_at: ACCOUNTS,
            all: RequestLoad::default(),
            strangers: RequestLoad::default(),
            callbacks: RequestLoad::default(),
        }
    }

    fn account(&mut self, owner: Owner, now: Instant) -> &mut AdmissionAccount {
        if self.accounts.len() >= self.sweep_at && !self.accounts.contains_key(&owner) {
            self.accounts.retain(|_, account| !account.is_idle(&self.settings, now));
            self.sweep_at = (self.accounts.len() * 2).max(ACCOUNTS);
        }
        self.accounts.entry(owner).or_insert_with(|| AdmissionAccount::new(&self.settings, owner, now))
    }

    /// The processor time of a source.
    pub fn pace(&mut self, source: Owner, now: Instant) -> Arc<Pace> {
        Arc::clone(&self.account(source, now).pace)
    }

    /// Takes a place for a request.
    pub fn enter(
        &mut self,
        owner: Owner,
        link: PeerLink,
        now: Instant,
    ) -> Result<(Number, Arc<Notify>), AdmissionRefusal> {
        let place = RequestLoad { requests: 1, ..RequestLoad::default() };
        self.make_room(owner, self.next, place, place, now)?;
        Ok(self.insert(owner, link, place, now))
    }

    /// Adds a request without a place: its answer has been made, and only has to be sent. If its source, or all sources,
    /// have too many of them, the slowest of the largest source ends. These answers are small, so they have no time of
    /// grace, and none is refused.
    pub fn enter_without_place(&mut self, owner: Owner, link: PeerLink, now: Instant) -> (Number, Arc<Notify>) {
        let one = RequestLoad { answers: 1, ..RequestLoad::default() };
        for crowd in [EvictionGroup::Source(owner), EvictionGroup::All] {
            let _ = self.end_the_slowest(crowd, self.next, one, now);
        }
        self.insert(owner, link, one, now)
    }

    fn insert(&mut self, owner: Owner, link: PeerLink, load: RequestLoad, now: Instant) -> (Number, Arc<Notify>) {
        let ended = Arc::new(Notify::new());
        let entry = RequestEntry {
            owner,
            is_identified: false,
            load,
            of_account: 0,
            phase: Phase::Ours,
            sent: 0,
            answered: None,
            link,
            ended: Arc::clone(&ended),
        };
        let number = self.next;
        self.next += 1;
        self.add(owner, entry.load, entry.share(), now);
        self.entries.insert(number, entry);
        (number, ended)
    }

    /// Counts a request to this client from now on. Returns the client's turns at the database.
    pub fn identify(
        &mut self,
        number: Number,
        client: ClientId,
        now: Instant,
    ) -> Result<Arc<Semaphore>, AdmissionRefusal> {
        let rate = self.settings.request_rate();
        let owner = Owner::Client(client);
        let before = self.entries.get(&number).map(|entry| (entry.owner, entry.is_identified));
        let account = self.account(owner, now);
        let turns = Arc::clone(&account.turns);
        if before == Some((owner, true)) {
            return Ok(turns);
        }
        account.requests.take(rate, 1.0, now.into_std()).map_err(AdmissionRefusal::RequestsPerSecond)?;
        let one = RequestLoad { requests: 1, ..RequestLoad::default() };
        let short = short(account.held, one, account.limit).filter(|_| before != Some((owner, false)));
        if let Some(short) = short {
            return Err(account_is_full(owner, account, short));
        }
        let Some(entry) = self.entries.get_mut(&number) else { return Ok(turns) };
        entry.is_identified = true;
        let before = std::mem::replace(&mut entry.owner, owner);
        let (load, share) = (entry.load, entry.share());
        self.remove(before, load, share);
        self.add(owner, load, share, now);
        Ok(turns)
    }

    /// Refuses a send while the client has no recipients left in its rate.
    pub fn recipients_left(&mut self, number: Number, now: Instant) -> Result<(), AdmissionRefusal> {
        let rate = self.settings.recipient_rate();
        let Some(account) = self.account_of(number) else { return Ok(()) };
        account.recipients.ready(rate, 1.0, now.into_std()).map_err(AdmissionRefusal::RecipientsPerSecond)
    }

    pub fn charge_recipients(&mut self, number: Number, recipients: u32, now: Instant) {
        let rate = self.settings.recipient_rate();
        if let Some(account) = self.account_of(number) {
            account.recipients.charge(rate, recipients.into(), now.into_std());
        }
    }

    fn account_of(&mut self, number: Number) -> Option<&mut AdmissionAccount> {
        self.accounts.get_mut(&self.entries.get(&number)?.owner)
    }

    /// Counts bytes of a body, `bytes` in all, before memory is allocated for them.
    ///
    /// A body that is larger than the share of its client counts as three quarters of the share. So it is taken when
    /// the client has little else in flight, and leaves room for the client's other requests.
    pub fn hold_body(&mut self, number: Number, bytes: u64, now: Instant) -> Result<(), AdmissionRefusal> {
        let Some(entry) = self.entries.get(&number) else { return Err(AdmissionRefusal::Ended) };
        let (owner, before, share_before) = (entry.owner, entry.load, entry.share());
        if bytes > self.settings.bytes {
            return Err(AdmissionRefusal::NeverFits {
                bytes,
                limit: "limits.bytes_in_flight",
                most: self.settings.bytes,
            });
        }
        let most = self.account(owner, now).limit.bytes;
        let of_account = match owner {
            _ if bytes <= most => bytes,
            Owner::Client(_) => most / 4 * 3,
            Owner::Source(_) | Owner::CallbackSource(_) => {
                return Err(AdmissionRefusal::NeverFits { bytes, limit: "limits.bytes_in_flight_per_source", most });
            }
        };
        let more = RequestLoad { bytes: bytes.saturating_sub(before.bytes), ..RequestLoad::default() };
        let bytes_of_share = of_account.saturating_sub(share_before.bytes);
        let more_of_share = RequestLoad { bytes: bytes_of_share, ..RequestLoad::default() };
        self.make_room(owner, number, more, more_of_share, now)?;
        self.set_bytes(number, bytes, of_account, now);
        Ok(())
    }

    /// Counts the bytes of an answer in memory, which replace those of the body. Fails if `may_refuse` and the account
    /// has no room.
    pub fn hold_answer(
        &mut self,
        number: Number,
        bytes: u64,
        may_refuse: bool,
        now: Instant,
    ) -> Result<(), AdmissionRefusal> {
        let Some(entry) = self.entries.get(&number) else { return Ok(()) };
        let (owner, load, share) = (entry.owner, entry.load, entry.share());
        let account = self.account(owner, now);
        let others = account.held.bytes.saturating_sub(share.bytes);
        if may_refuse && others > 0 && others + bytes > account.limit.bytes {
            return Err(AdmissionRefusal::bytes_of(owner, account.limit.bytes));
        }
        let more = RequestLoad { bytes: bytes.saturating_sub(load.bytes), ..RequestLoad::default() };
        // An answer that has been made cannot wait for room, so it counts in any case, and slow requests are ended. If
        // it is not larger than the body before it, it needs no room.
        let crowds = EvictionGroup::without_key(owner).into_iter().chain([EvictionGroup::All]);
        for crowd in crowds.filter(|_| more.bytes > 0) {
            let _ = self.end_the_slowest(crowd, number, more, now);
        }
        self.set_bytes(number, bytes, bytes, now);
        Ok(())
    }

    /// Counts the bytes of a piece of an answer that is made while it is sent.
    pub fn hold_piece(&mut self, number: Number, bytes: u64, now: Instant) {
        if let Some(entry) = self.entries.get(&number) {
            let (load, share) = (entry.load.bytes, entry.of_account);
            self.set_bytes(number, load + bytes, share + bytes, now);
        }
    }

    /// Subtracts bytes of an answer that were sent.
    pub fn release(&mut self, number: Number, bytes: u64, now: Instant) {
        if let Some(entry) = self.entries.get(&number) {
            let (load, share) = (entry.load.bytes.saturating_sub(bytes), entry.of_account.saturating_sub(bytes));
            self.set_bytes(number, load, share, now);
        }
    }

    /// Gives the place of a request back. The request continues.
    pub fn give_place_back(&mut self, number: Number, now: Instant) {
        self.recount(number, now, |entry| entry.load.requests = 0);
    }

    fn set_bytes(&mut self, number: Number, bytes: u64, of_account: u64, now: Instant) {
        self.recount(number, now, |entry| {
            entry.load.bytes = bytes;
            entry.of_account = of_account;
        });
    }

    fn recount(&mut self, number: Number, now: Instant, change: impl FnOnce(&mut RequestEntry)) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        let (owner, load, share) = (entry.owner, entry.load, entry.share());
        change(entry);
        let (new_load, new_share) = (entry.load, entry.share());
        self.remove(owner, load, share);
        self.add(owner, new_load, new_share, now);
    }

    pub fn set_phase(&mut self, number: Number, phase: Phase) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.phase = phase;
        }
    }

    /// Records received bytes of the body.
    pub fn received(&mut self, number: Number, bytes: u64) {
        if let Some(RequestEntry { phase: Phase::Receiving { moved, .. }, .. }) = self.entries.get_mut(&number) {
            *moved += bytes;
        }
    }

    /// Records that a part of the answer was sent, after the peer had taken the part before.
    pub fn handed_out(&mut self, number: Number, bytes: u64, now: Instant) {
        if let Some(entry) = self.entries.get_mut(&number) {
            let since = *entry.answered.get_or_insert(now);
            entry.phase = Phase::Sending { since, waiting: now, moved: entry.sent };
            entry.sent += bytes;
        }
    }

    /// Removes a request that has ended.
    pub fn leave(&mut self, number: Number) {
        if let Some(entry) = self.entries.remove(&number) {
            self.remove(entry.owner, entry.load, entry.share());
        }
    }

    /// Ends requests if their peers have taken nothing of the answer for `write_timeout`. Returns their number.
    pub fn end_stuck(&mut self, now: Instant) -> usize {
        let time = self.settings.write_timeout;
        let stuck = self.entries.iter().filter(|(_, entry)| entry.is_stuck(time, now)).map(|(number, _)| *number);
        let stuck: Vec<Number> = stuck.collect();
        stuck.iter().for_each(|number| self.end(*number));
        stuck.len()
    }

    fn end(&mut self, number: Number) {
        if let Some(entry) = self.entries.remove(&number) {
            self.remove(entry.owner, entry.load, entry.share());
            entry.end();
        }
    }

    fn without_key(&mut self, owner: Owner) -> Option<&mut RequestLoad> {
        match owner {
            Owner::Client(_) => None,
            Owner::Source(_) => Some(&mut self.strangers),
            Owner::CallbackSource(_) => Some(&mut self.callbacks),
        }
    }

    fn add(&mut self, owner: Owner, load: RequestLoad, share: RequestLoad, now: Instant) {
        self.all.add(load);
        if let Some(group) = self.without_key(owner) {
            group.add(load);
        }
        self.account(owner, now).held.add(share);
    }

    fn remove(&mut self, owner: Owner, load: RequestLoad, share: RequestLoad) {
        self.all.remove(load);
        if let Some(group) = self.without_key(owner) {
            group.remove(load);
        }
        if let Some(account) = self.accounts.get_mut(&owner) {
            account.held.remove(share);
        }
    }
}
