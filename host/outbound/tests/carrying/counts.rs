//! Counts of messages against the messages themselves, after histories that are made up.

use std::{path::Path, sync::Arc};

use base::{Context, upkeep};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    analytics::{CountedType, MessageCounts, Period},
    channel::Channel,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{BatchId, ClientId, InboxId, MessageId},
    inbound::ProviderFailure,
    recipient::Recipient,
};
use outbound::{
    analytics,
    delivery::{self, DeliveryStep},
};
use props::{HandClock, Surroundings, one_number};
use storage::outbound::{
    messages::NewMessage,
    outgoing_rows::{self, GroupRows},
    parts::{NewPart, PartOrigin},
};
use uuid::Uuid;

/// Small and good enough: the next number of a made-up history.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap();
        *all.get(at).unwrap()
    }
}

/// A client with a number, and a clock.
struct World {
    ctx: Context,
    clock: Arc<HandClock>,
    client: ClientId,
    number: InboxId,
}

impl World {
    async fn new() -> Self {
        let db = scratch::database().await.pool(8).await;
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counting");
        let ctx = Surroundings::new(folder).build(db, Arc::<HandClock>::clone(&clock)).await;
        let (client, number) = one_number(&ctx, "27110000000").await;
        Self { ctx, clock, client, number }
    }

    /// Submits messages of one origin, as accepting does.
    async fn submit(&self, origin: PartOrigin, channel: Channel, count: u64) -> Vec<MessageId> {
        let part = NewPart {
            id: self.ctx.mint(),
            batch: BatchId(self.ctx.ids.mint(self.ctx.now())),
            inbox: self.number,
            origin,
            content: OutboundContent::Text { body: "hi".to_owned() },
            fallback: None,
            quoted_provider_id: None,
            send: None,
        };
        let one = |_| NewMessage {
            id: self.ctx.mint(),
            part: part.id,
            origin,
            inbox: self.number,
            channel,
            recipient: Recipient::parse(Some("27820000001"), None).unwrap(),
            ct_id: None,
            gst_id: "g".to_owned(),
            order_key: 1,
            chat: None,
            conversation: None,
        };
        let new: Vec<NewMessage> = (0..count).map(one).collect();
        let mut tx = self.ctx.db.begin().await.unwrap();
        let outgoing = GroupRows { parts: vec![&part], messages: new.iter().collect(), ..GroupRows::default() };
        outgoing_rows::insert(&mut tx, self.client, &outgoing, 1, self.ctx.now()).await.unwrap();
        tx.commit().await.unwrap();
        new.into_iter().map(|message| message.id).collect()
    }

    /// Has messages take steps, in one transaction, that sometimes is not committed.
    async fn advance(&self, steps: Vec<DeliveryStep>, commit: bool) {
        let mut tx = self.ctx.db.begin().await.unwrap();
        delivery::advance(&self.ctx, &mut tx, self.client, steps).await.unwrap();
        if commit {
            tx.commit().await.unwrap();
        } else {
            tx.rollback().await.unwrap();
        }
    }

    async fn counted(&self, period: Period, of: Option<CountedType>) -> MessageCounts {
        analytics::messages(&self.ctx.db, self.client, period, of).await.unwrap()
    }

    /// The same from the messages and their first legs.
    async fn truth(&self, period: Period, of: Option<CountedType>) -> MessageCounts {
        let (submitted, sent, delivered, read, failed): (i64, i64, i64, i64, i64) = sqlx::query_as(
            "SELECT count(*), count(leg.sent_at), count(leg.delivered_at), count(leg.read_at),
                    count(*) FILTER (WHERE leg.state = 'FAILED')
             FROM outbound_message message
             JOIN outbound_leg leg ON leg.client_id = message.client_id AND leg.message_id = message.id AND leg.ordinal = 0
             JOIN outbound_part part ON part.client_id = message.client_id AND part.id = message.part_id
             WHERE message.client_id = $1 AND message.id >= $2 AND message.id < $3 AND leg.channel = 'WHATSAPP'
               AND ($4::text IS NULL OR $4 = CASE part.message_type WHEN 'REPLY' THEN 'SESSION24HOUR'
                                                                    ELSE part.message_type END)",
        )
        .bind(self.client.0)
        .bind(domain::clock::first_id_at(period.from))
        .bind(domain::clock::first_id_at(period.before))
        .bind(of.map(CountedType::as_str))
        .fetch_one(&self.ctx.db)
        .await
        .unwrap();
        MessageCounts { submitted, sent, delivered, read, failed }
    }

    /// Compares both for periods of all lengths.
    async fn compare(&self, dice: &mut Dice, begin: DateTime<Utc>, rounds: u32) {
        let all = Period { from: begin - TimeDelta::days(1), before: self.ctx.now() + TimeDelta::days(1) };
        assert_eq!(self.counted(all, None).await, self.truth(all, None).await);
        let span = (self.ctx.now() - begin).num_seconds().unsigned_abs() + 1;
        for _ in 0..rounds {
            let from = begin + TimeDelta::seconds(i64::try_from(dice.below(span)).unwrap());
            let longest = dice.one_of(&[1, 60, 3_600, 7_200, 90_000]);
            let before = from + TimeDelta::seconds(1 + i64::try_from(dice.below(longest)).unwrap());
            let of = dice.one_of(&[None, Some(CountedType::Chat), Some(CountedType::Session24Hour)]);
            let period = Period { from, before };
            assert_eq!(self.counted(period, of).await, self.truth(period, of).await, "{period:?} {of:?}");
        }
    }
}

const STATES: [DeliveryState; 6] = [
    DeliveryState::Accepted,
    DeliveryState::Sent,
    DeliveryState::Delivered,
    DeliveryState::Read,
    DeliveryState::Played,
    DeliveryState::Failed,
];

fn step(dice: &mut Dice, message: MessageId, at: DateTime<Utc>) -> DeliveryStep {
    let reached = dice.one_of(&STATES);
    let failure = reached.is_failed().then(|| ProviderFailure { code: 131_000, text: "no".to_owned() });
    DeliveryStep { message, ordinal: 0, reached, at, provider_id: None, failure, named: Vec::new() }
}

#[tokio::test]
async fn counts_equal_the_messages_after_any_sequence_of_events() {
    let (world, mut dice) = (World::new().await, Dice(7));
    let begin = world.ctx.now();
    let mut known: Vec<MessageId> = Vec::new();
    for round in 0..120_u32 {
        let seconds = dice.one_of(&[0, 0, 1, 7, 900, 3_599, 3_600]);
        world.clock.advance(TimeDelta::seconds(seconds));
        let count = dice.below(6);
        let origin = dice.one_of(&PartOrigin::ALL);
        let channel = match origin {
            PartOrigin::Sms | PartOrigin::Product => Channel::Sms,
            _ => dice.one_of(&[Channel::Whatsapp, Channel::Whatsapp, Channel::Whatsapp, Channel::Web]),
        };
        known.extend(world.submit(origin, channel, count).await);
        if known.is_empty() {
            continue;
        }
        let at = world.ctx.now();
        let steps: Vec<DeliveryStep> = (0..dice.below(12))
            .map(|_| {
                let message = dice.one_of(&known);
                step(&mut dice, message, at)
            })
            .collect();
        let commit = dice.below(10) > 0;
        world.advance(steps, commit).await;
        if dice.below(5) == 0 {
            upkeep::fold_message_counts(&world.ctx.db).await.unwrap();
        }
        if round % 20 == 0 {
            world.compare(&mut dice, begin, 5).await;
        }
    }
    world.compare(&mut dice, begin, 60).await;
    upkeep::fold_message_counts(&world.ctx.db).await.unwrap();
    world.compare(&mut dice, begin, 60).await;
    let unfolded: i64 =
        sqlx::query_scalar("SELECT count(*) FROM message_count_change").fetch_one(&world.ctx.db).await.unwrap();
    assert_eq!(unfolded, 0);
    assert!(
        world.truth(Period { from: begin, before: world.ctx.now() }, None).await.read > 20,
        "not much of a history"
    );
}

#[tokio::test]
async fn the_queue_holds_exactly_the_queued_legs_after_any_order_of_steps() {
    let (world, mut dice) = (World::new().await, Dice(11));
    let known = world.submit(PartOrigin::Chat, Channel::Whatsapp, 30).await;
    let at = world.ctx.now();
    let reached = |reached| DeliveryStep { reached, failure: None, ..step(&mut Dice(1), known[0], at) };
    // Of two steps in one group only the first finds the leg queued.
    let mut steps = vec![reached(DeliveryState::Sent), reached(DeliveryState::Delivered)];
    for _ in 0..12 {
        world.advance(steps, dice.below(4) > 0).await;
        let both = "SELECT ARRAY(SELECT message_id FROM outbound_leg WHERE state = 'QUEUED' ORDER BY message_id),
                           ARRAY(SELECT message_id FROM outbound_work ORDER BY message_id)";
        let (queued, work): (Vec<Uuid>, Vec<Uuid>) = sqlx::query_as(both).fetch_one(&world.ctx.db).await.unwrap();
        assert_eq!(queued, work);
        steps = (0..8)
            .map(|_| {
                let message = dice.one_of(&known);
                step(&mut dice, message, at)
            })
            .collect();
    }
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_work").fetch_one(&world.ctx.db).await.unwrap();
    assert!((1..30).contains(&left), "{left} of 30");
}

#[tokio::test]
async fn counts_stay_exact_while_messages_move_and_changes_are_folded_at_the_same_time() {
    let world = Arc::new(World::new().await);
    let begin = world.ctx.now();
    let mover = |seed: u64| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let mut dice = Dice(seed);
            let mut mine = Vec::new();
            for _ in 0..25 {
                mine.extend(world.submit(PartOrigin::Chat, Channel::Whatsapp, 3).await);
                let message = dice.one_of(&mine);
                let at = world.ctx.now();
                let steps = vec![step(&mut dice, message, at)];
                world.advance(steps, true).await;
            }
        })
    };
    let folding = {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            for _ in 0..40 {
                upkeep::fold_message_counts(&world.ctx.db).await.unwrap();
                let whole = Period { from: begin, before: begin + TimeDelta::hours(1) };
                let seen = world.counted(whole, None).await;
                assert_eq!(seen.submitted % 3, 0, "a submission is seen whole: {seen:?}");
            }
        })
    };
    let movers = [mover(1), mover(2), mover(3), mover(4)];
    for task in movers {
        task.await.unwrap();
    }
    folding.await.unwrap();
    let mut dice = Dice(9);
    world.compare(&mut dice, begin, 5).await;
    assert_eq!(world.counted(Period { from: begin, before: begin + TimeDelta::seconds(1) }, None).await.submitted, 300);
}
