//! Decides which lanes a process works on at once. Most lanes need milliseconds. A lane that needs longer, because a
//! plugin or a receiver is slow, is a *long* lane. Long lanes are counted apart, and a client that had one recently
//! begins its lanes as long ones. So a client with slow lanes takes room only from other such clients.

use std::collections::HashMap;
use std::time::Duration;

use base::{Queue, lanes::LaneKey};
use domain::ids::ClientId;
use tokio::time::Instant;

use crate::RunnerSettings;

const SHORT: Duration = Duration::from_millis(250);
/// How long a client begins its lanes as long ones after it had a long lane, or wanted one without room.
const REMEMBERED_FOR: Duration = Duration::from_secs(10);

/// How often the running lanes are searched for long ones, if there is no room.
const SEARCH_INTERVAL: Duration = Duration::from_millis(20);

/// The running lanes by queue. Queues do not share their room.
pub(crate) struct LaneRoom {
    settings: RunnerSettings,
    queues: HashMap<Queue, Lanes>,
}

#[derive(Default)]
struct Lanes {
    under_way: HashMap<LaneKey, UnderWay>,
    counts: Counts,
    clients: HashMap<ClientId, Client>,
    looked_at: Option<Instant>,
}

struct UnderWay {
    since: Instant,
    long: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneKind {
    Short,
    /// Its client had slow lanes recently.
    Long,
}

#[derive(Default)]
struct Client {
    counts: Counts,
    long_until: Option<Instant>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    short: usize,
    long: usize,
}

impl Counts {
    fn of(&mut self, long: bool) -> &mut usize {
        if long { &mut self.long } else { &mut self.short }
    }

    fn becomes_long(&mut self) {
        self.short -= 1;
        self.long += 1;
    }

    fn all(self) -> usize {
        self.short + self.long
    }
}

impl Client {
    fn is_long(&self, now: Instant) -> bool {
        self.long_until.is_some_and(|until| now < until)
    }

    fn note_long(&mut self, now: Instant) {
        self.long_until = Some(now + REMEMBERED_FOR);
    }
}

impl LaneRoom {
    pub(crate) fn new(settings: RunnerSettings) -> Self {
        Self { settings, queues: HashMap::new() }
    }

    pub(crate) fn begin(&mut self, lane: LaneKey, now: Instant) -> Option<LaneKind> {
        let lanes = self.queues.entry(lane.queue).or_default();
        if !lanes.has_room(&self.settings, lane.client, now) {
            if lanes.looked_at.is_none_or(|at| now.duration_since(at) >= SEARCH_INTERVAL) {
                lanes.look_for_long_ones(now);
            }
            if !lanes.has_room(&self.settings, lane.client, now) {
                // A client that waits for room still counts as one with long lanes.
                if let Some(client) = lanes.clients.get_mut(&lane.client).filter(|client| client.is_long(now)) {
                    client.note_long(now);
                }
                return None;
            }
        }
        let client = lanes.clients.entry(lane.client).or_default();
        let long = client.is_long(now);
        *client.counts.of(long) += 1;
        *lanes.counts.of(long) += 1;
        lanes.under_way.insert(lane, UnderWay { since: now, long });
        Some(if long { LaneKind::Long } else { LaneKind::Short })
    }

    pub(crate) fn end(&mut self, lane: LaneKey, now: Instant) {
        let Some(lanes) = self.queues.get_mut(&lane.queue) else { return };
        let Some(was) = lanes.under_way.remove(&lane) else { return };
        *lanes.counts.of(was.long) -= 1;
        let Some(client) = lanes.clients.get_mut(&lane.client) else { return };
        *client.counts.of(was.long) -= 1;
        if now.duration_since(was.since) >= SHORT {
            client.note_long(now);
        }
        if client.counts.all() == 0 && !client.is_long(now) {
            lanes.clients.remove(&lane.client);
        }
    }

    /// Applies changes that come with time. Call it regularly.
    pub(crate) fn forget_idle(&mut self, now: Instant) {
        for lanes in self.queues.values_mut() {
            lanes.look_for_long_ones(now);
            lanes.clients.retain(|_, client| client.counts.all() > 0 || client.is_long(now));
        }
    }
}

impl Lanes {
    fn has_room(&self, settings: &RunnerSettings, client: ClientId, now: Instant) -> bool {
        let (mut own, mut is_long) = (Counts::default(), false);
        if let Some(client) = self.clients.get(&client) {
            (own, is_long) = (client.counts, client.is_long(now));
        }
        if own.all() >= settings.lanes_per_client {
            return false;
        }
        if is_long {
            // An equal share for each client that has long lanes now or had them recently.
            let of_each = settings.long_lanes_per_queue / self.clients.len().max(1);
            return self.counts.long < settings.long_lanes_per_queue && own.long < of_each.max(1);
        }
        // A client may take half of the free lanes, so that some are left for the next client.
        let free = settings.lanes_per_queue.saturating_sub(self.counts.short);
        free > own.short * 2
    }

    fn look_for_long_ones(&mut self, now: Instant) {
        self.looked_at = Some(now);
        for (lane, under_way) in &mut self.under_way {
            if now.duration_since(under_way.since) < SHORT {
                continue;
            }
            let Some(client) = self.clients.get_mut(&lane.client) else { continue };
            client.note_long(now);
            if !under_way.long {
                under_way.long = true;
                client.counts.becomes_long();
                self.counts.becomes_long();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn room() -> LaneRoom {
        let (lanes_per_queue, long_lanes_per_queue, lanes_per_client) = (16, 12, 4);
        LaneRoom::new(RunnerSettings {
            lanes_per_queue,
            long_lanes_per_queue,
            lanes_per_client,
            ..RunnerSettings::default()
        })
    }

    fn lane(client: u128, lane: u128) -> LaneKey {
        LaneKey { queue: Queue::Participant, client: ClientId(Uuid::from_u128(client)), lane: Uuid::from_u128(lane) }
    }

    /// Begins as many lanes of a client as there is room for; answers how many.
    fn fills(room: &mut LaneRoom, client: u128, now: Instant) -> usize {
        (0..100).filter(|at| room.begin(lane(client, *at), now).is_some()).count()
    }

    fn end(room: &mut LaneRoom, client: u128, lanes: u128, now: Instant) {
        (0..lanes).for_each(|at| room.end(lane(client, at), now));
    }

    #[test]
    fn each_client_has_a_limit_of_lanes_and_leaves_some_to_later_clients() {
        let (mut room, now) = (room(), Instant::now());
        let began: Vec<usize> = (1..=8).map(|client| fills(&mut room, client, now)).collect();
        assert_eq!(began, [4, 4, 3, 2, 1, 1, 1, 0], "sixteen in all");
        assert!(
            room.begin(LaneKey { queue: Queue::Webhook, ..lane(8, 1) }, now).is_some(),
            "another queue has its own"
        );
        end(&mut room, 1, 1, now);
        assert_eq!(fills(&mut room, 8, now), 1);
    }

    #[test]
    fn waiting_lanes_of_many_clients_do_not_use_the_room_of_others() {
        for others in [9, 60, 600] {
            let mut room = LaneRoom::new(RunnerSettings::default());
            let (begin, mut ends) = (Instant::now(), HashMap::<LaneKey, Instant>::new());
            for step in 0..300 {
                let now = begin + Duration::from_millis(100) * step;
                ends.retain(|lane, end| {
                    let goes_on = now < *end;
                    if !goes_on {
                        room.end(*lane, now);
                    }
                    goes_on
                });
                // They begin again as soon as there is room, each for 4.5 s.
                for client in 1..=others {
                    for lane in (0..40).map(|at| lane(client, at)) {
                        if ends.contains_key(&lane) {
                            continue;
                        }
                        if room.begin(lane, now).is_none() {
                            // There is none for its other lanes, either.
                            break;
                        }
                        ends.insert(lane, now + Duration::from_millis(4_500));
                    }
                }
                let is_known = now.duration_since(begin) >= Duration::from_secs(15);
                if is_known {
                    assert_eq!(
                        room.begin(lane(0, 1), now),
                        Some(LaneKind::Short),
                        "next to {others} there is room at once"
                    );
                    room.end(lane(0, 1), now);
                }
            }
        }
    }

    #[test]
    fn a_client_with_waiting_lanes_uses_the_long_places_until_it_is_forgotten() {
        let (mut room, now) = (room(), Instant::now());
        assert_eq!(fills(&mut room, 1, now), 4);
        let now = now + SHORT;
        room.forget_idle(now);
        end(&mut room, 1, 4, now);
        let others: usize = (2..=8).map(|client| fills(&mut room, client, now)).sum();
        assert_eq!(others, 16, "short ones take all of their room");
        assert_eq!(room.begin(lane(1, 9), now), Some(LaneKind::Long), "and one of this client begins, too");
        room.end(lane(1, 9), now);
        let now = now + REMEMBERED_FOR;
        (2..=8).for_each(|client| end(&mut room, client, 4, now - REMEMBERED_FOR));
        assert_eq!((2..=8).map(|client| fills(&mut room, client, now)).sum::<usize>(), 16);
        assert_eq!(room.begin(lane(1, 9), now), None, "it is like any other again");
    }

    #[test]
    fn clients_with_waiting_lanes_share_the_long_places() {
        let (mut room, now) = (room(), Instant::now());
        let began: Vec<usize> = (1..=4).map(|client| fills(&mut room, client, now)).collect();
        assert_eq!(began, [4, 4, 3, 2]);
        let now = now + SHORT;
        room.forget_idle(now);
        assert_eq!(fills(&mut room, 3, now), 0, "thirteen lanes wait where twelve may: no other begins");
        end(&mut room, 1, 4, now);
        assert_eq!(fills(&mut room, 2, now), 0, "three for each of four, and it has four");
        assert_eq!(fills(&mut room, 4, now), 1);
        assert_eq!(fills(&mut room, 1, now), 2, "as far as there is room");
    }
}
