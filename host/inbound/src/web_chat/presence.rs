//! The visitors with a socket in this process. One statement per site reads the chats of all its visitors, every second
//! and when the doorbell rings, and sockets get the changes. So messages stored by another node are found without a
//! ring, and the cost grows with sites, not with visitors.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use base::{Context, Result, rights::AffectedOwner};
use domain::{
    ids::{ClientId, InboxId},
    web_chat::PageOrigin,
};
use parking_lot::{Mutex, MutexGuard};
use storage::silence::in_time;
use storage::web::{
    sites,
    threads::{self, Thread},
};
use tokio::{sync::watch, time};

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const AT_ONCE: usize = 500;
const LOOK_AT_SITES: Duration = Duration::from_secs(25);

type Place = (ClientId, InboxId);
type Watched = HashMap<Place, WatchedSite>;

struct WatchedSite {
    standing: watch::Sender<SitePermission>,
    chats: HashMap<String, watch::Sender<Option<Thread>>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SitePermission {
    #[default]
    Unknown,
    Shown(String, Vec<PageOrigin>),
    Deleted,
}

impl SitePermission {
    pub fn admits(&self, key: &str, origin: &PageOrigin) -> bool {
        match self {
            Self::Unknown => true,
            Self::Shown(now, origins) => now == key && origins.contains(origin),
            Self::Deleted => false,
        }
    }
}

pub struct VisitorPresence {
    ctx: Arc<Context>,
    watched: Mutex<Watched>,
}

pub struct SocketView {
    presence: Arc<VisitorPresence>,
    place: Place,
    visitor: String,
    pub chat: watch::Receiver<Option<Thread>>,
    /// Changes when the key or the origins of the site change.
    pub site: watch::Receiver<SitePermission>,
}

impl VisitorPresence {
    /// Starts the reads in the current runtime. They end with the last reference.
    pub fn start(ctx: Arc<Context>) -> Arc<Self> {
        let presence = Arc::new(Self { ctx, watched: Mutex::default() });
        tokio::spawn(look(Arc::downgrade(&presence)));
        tokio::spawn(look_at_sites(Arc::downgrade(&presence)));
        presence
    }

    pub fn watch(self: &Arc<Self>, place: Place, visitor: &str) -> SocketView {
        let mut watched = self.lock_watched();
        let fresh = || WatchedSite { standing: watch::Sender::default(), chats: HashMap::new() };
        let of_site = watched.entry(place).or_insert_with(fresh);
        let site = of_site.standing.subscribe();
        let sender = of_site.chats.entry(visitor.to_owned());
        let chat = sender.or_insert_with(|| watch::channel(None).0).subscribe();
        drop(watched);
        // This socket does not have the chat yet.
        self.ctx.carriers.doorbell().ring(place.0, place.1, visitor);
        SocketView { presence: Arc::clone(self), place, visitor: visitor.to_owned(), chat, site }
    }

    pub fn sockets_of(&self, place: Place, visitor: &str) -> usize {
        let watched = self.lock_watched();
        watched.get(&place).and_then(|site| site.chats.get(visitor)).map_or(0, watch::Sender::receiver_count)
    }

    fn lock_watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock()
    }

    fn all_visitors(&self) -> Vec<(Place, Vec<String>)> {
        self.lock_watched().iter().map(|(place, site)| (*place, site.chats.keys().cloned().collect())).collect()
    }

    fn take_rings(&self) -> Vec<(Place, Vec<String>)> {
        let rung = self.ctx.carriers.doorbell().answer();
        let watched = self.lock_watched();
        let mut by_site: HashMap<Place, Vec<String>> = HashMap::new();
        for (client, site, visitor) in rung {
            if watched.get(&(client, site)).is_some_and(|site| site.chats.contains_key(&visitor)) {
                by_site.entry((client, site)).or_default().push(visitor);
            }
        }
        by_site.into_iter().collect()
    }

    async fn look_at(&self, sites: Vec<(Place, Vec<String>)>) -> Result<()> {
        for ((client, site), visitors) in sites {
            for some in visitors.chunks(AT_ONCE) {
                let mut db = self.ctx.db.acquire().await?;
                let chats = threads::of_visitors(&mut db, client, site, some).await?;
                drop(db);
                self.notify((client, site), chats);
            }
        }
        Ok(())
    }

    fn notify(&self, place: Place, chats: Vec<Thread>) {
        let watched = self.lock_watched();
        let Some(site) = watched.get(&place) else { return };
        for chat in chats {
            let Some(sender) = site.chats.get(&chat.visitor) else { continue };
            sender.send_if_modified(|known| {
                let changed = known.as_ref() != Some(&chat);
                *known = Some(chat);
                changed
            });
        }
    }
}

impl VisitorPresence {
    fn affected_sites(&self, affected: AffectedOwner) -> Vec<Place> {
        let watched = self.lock_watched();
        match affected {
            AffectedOwner::Site(client, site) => {
                watched.contains_key(&(client, site)).then_some((client, site)).into_iter().collect()
            }
            AffectedOwner::All => watched.keys().copied().collect(),
            AffectedOwner::Client(client) => watched.keys().filter(|(owner, _)| *owner == client).copied().collect(),
            AffectedOwner::User(..) => Vec::new(),
        }
    }

    async fn look_where(&self, places: Vec<Place>) -> Result<()> {
        for place in places {
            let found = {
                let mut db = self.ctx.db.acquire().await?;
                match sites::is_enabled(&mut db, place.0, place.1).await? {
                    true => sites::by_id(&mut db, place.0, place.1).await?,
                    false => None,
                }
            };
            let standing = found.map_or(SitePermission::Deleted, |site| SitePermission::Shown(site.key, site.origins));
            if let Some(site) = self.lock_watched().get(&place) {
                site.standing.send_if_modified(|known| {
                    let changed = *known != standing;
                    *known = standing;
                    changed
                });
            }
        }
        Ok(())
    }
}

/// Reads a site at once after a notice about it, and all sites at intervals.
async fn look_at_sites(presence: Weak<VisitorPresence>) {
    let Some(mut changes) = presence.upgrade().map(|presence| presence.ctx.rights.changes()) else { return };
    let mut every = time::interval(LOOK_AT_SITES);
    every.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        let affected = tokio::select! {
            _ = every.tick() => AffectedOwner::All,
            affected = changes.next() => affected,
        };
        let Some(presence) = presence.upgrade() else { return };
        let places = presence.affected_sites(affected);
        if let Err(error) = in_time(presence.look_where(places)).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "the sites could not be checked; they are checked again in a second");
            // All sites are read again, so that the notice is not lost.
            every.reset_after(CHECK_INTERVAL);
        }
    }
}

async fn look(presence: Weak<VisitorPresence>) {
    let Some(bell) = presence.upgrade().map(|presence| presence.ctx.carriers.doorbell().clone()) else { return };
    let mut every = time::interval(CHECK_INTERVAL);
    every.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        let all = tokio::select! {
            _ = every.tick() => true,
            () = bell.rings() => false,
        };
        let Some(presence) = presence.upgrade() else { return };
        let rung = presence.take_rings();
        let sites = if all { presence.all_visitors() } else { rung };
        if let Err(error) = presence.look_at(sites).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the messages of visitors could not be read; they are read again in a second"
            );
        }
    }
}

impl Drop for SocketView {
    fn drop(&mut self) {
        let mut watched = self.presence.lock_watched();
        let Some(site) = watched.get_mut(&self.place) else { return };
        // The receiver being dropped is still counted.
        if site.chats.get(&self.visitor).is_some_and(|sender| sender.receiver_count() <= 1) {
            site.chats.remove(&self.visitor);
        }
        if site.chats.is_empty() {
            watched.remove(&self.place);
        }
    }
}
