//! The visitors whose sockets this process holds. The database is asked for all visitors of a site at once, every second and
//! whenever the doorbell rings; whoever has something new is told. So nothing is lost that another node stored, whatever becomes of
//! rings, and the cost is one statement for each site with visitors, not one for each visitor.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use base::{Context, Result};
use domain::ids::{ClientId, InboxId};
use storage::web::threads::{self, Thread};
use tokio::{sync::watch, time};

/// How often sites are looked at, rings or not.
const LOOK: Duration = Duration::from_secs(1);
/// Visitors that one statement asks for.
const AT_ONCE: usize = 500;

type Place = (ClientId, InboxId);
type Watched = HashMap<Place, HashMap<String, watch::Sender<Option<Thread>>>>;

/// The watched visitors of one process.
pub struct Presence {
    ctx: Arc<Context>,
    watched: Mutex<Watched>,
}

/// One socket's view of where its visitor's chat stands.
pub struct Watching {
    presence: Arc<Presence>,
    place: Place,
    visitor: String,
    /// The chat; changes when there is something to look at.
    pub chat: watch::Receiver<Option<Thread>>,
}

impl Presence {
    /// Begins to look, within a runtime. It ends with the last reference to it.
    pub fn start(ctx: Arc<Context>) -> Arc<Self> {
        let presence = Arc::new(Self { ctx, watched: Mutex::default() });
        tokio::spawn(look(Arc::downgrade(&presence)));
        presence
    }

    /// Watches a visitor until the answer is dropped.
    pub fn watch(self: &Arc<Self>, place: Place, visitor: &str) -> Watching {
        let mut watched = self.watched();
        let sender = watched.entry(place).or_default().entry(visitor.to_owned());
        let chat = sender.or_insert_with(|| watch::channel(None).0).subscribe();
        drop(watched);
        // What is there already is news to it.
        self.ctx.carriers.doorbell().ring(place.0, place.1, visitor);
        Watching { presence: Arc::clone(self), place, visitor: visitor.to_owned(), chat }
    }

    /// Sockets of one visitor in this process.
    pub fn sockets_of(&self, place: Place, visitor: &str) -> usize {
        let watched = self.watched();
        watched.get(&place).and_then(|site| site.get(visitor)).map_or(0, watch::Sender::receiver_count)
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn everybody(&self) -> Vec<(Place, Vec<String>)> {
        self.watched().iter().map(|(place, visitors)| (*place, visitors.keys().cloned().collect())).collect()
    }

    /// Those of the rung for who are watched.
    fn rung(&self) -> Vec<(Place, Vec<String>)> {
        let rung = self.ctx.carriers.doorbell().answer();
        let watched = self.watched();
        let mut by_site: HashMap<Place, Vec<String>> = HashMap::new();
        for (client, site, visitor) in rung {
            if watched.get(&(client, site)).is_some_and(|visitors| visitors.contains_key(&visitor)) {
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
                self.tell((client, site), chats);
            }
        }
        Ok(())
    }

    fn tell(&self, place: Place, chats: Vec<Thread>) {
        let watched = self.watched();
        let Some(visitors) = watched.get(&place) else { return };
        for chat in chats {
            let Some(sender) = visitors.get(&chat.visitor) else { continue };
            sender.send_if_modified(|known| {
                let changed = known.as_ref() != Some(&chat);
                *known = Some(chat);
                changed
            });
        }
    }
}

async fn look(presence: Weak<Presence>) {
    let Some(bell) = presence.upgrade().map(|presence| presence.ctx.carriers.doorbell().clone()) else { return };
    let mut every = time::interval(LOOK);
    every.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        let all = tokio::select! {
            _ = every.tick() => true,
            () = bell.rings() => false,
        };
        let Some(presence) = presence.upgrade() else { return };
        let rung = presence.rung();
        let sites = if all { presence.everybody() } else { rung };
        if let Err(error) = presence.look_at(sites).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "visitors were not looked after; again in a second"
            );
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut watched = self.presence.watched();
        let Some(visitors) = watched.get_mut(&self.place) else { return };
        // This one is still counted.
        if visitors.get(&self.visitor).is_some_and(|sender| sender.receiver_count() <= 1) {
            visitors.remove(&self.visitor);
        }
        if visitors.is_empty() {
            watched.remove(&self.place);
        }
    }
}
