//! Live events over a real database: two processes, transactions that commit late or not at all, and readers that are cut off
//! all the time.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may panic, in its helper functions too"
)]

mod rights;
mod stage;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    channel::Channel,
    chat::ParticipantState,
    event::Event,
    ids::{CustomerId, InboxId, ParticipantId},
};
use events::{
    live_events::{ConnectionEnd, ConnectionStep},
    record,
};
use storage::{
    chat::participants::{self, NewParticipant},
    live_events::streams,
};
use tokio::sync::Barrier;
use uuid::Uuid;

use self::stage::{Stage, first, number, numbers, ticket};

/// Reads, and is cut off after each turn or in the middle of waiting for one, until it has had `wanted` events or the writers
/// are done and nothing more comes.
async fn read_and_reconnect(stage: &Stage, writing: &Writing, reconnects: usize) -> (Vec<i64>, usize) {
    let Writing { begins, done, committed } = writing;
    let (mut had, mut after, mut made) = (Vec::new(), None, 0);
    loop {
        let mut connection = stage.open(made % 2, after).await;
        made += 1;
        let (kind, at) = first(&mut connection).await;
        assert_eq!(kind, "hello", "nothing may be missing");
        assert!(after.is_none_or(|after| after == at));
        if after.is_none() {
            begins.wait().await;
        }
        after = after.or(Some(at));
        // Cut off at once, while waiting, or after a few turns.
        for _ in 0..made % 4 {
            let Ok(turn) = tokio::time::timeout(Duration::from_millis(3), connection.next()).await else { break };
            let ConnectionStep::Send(pieces) = turn else { panic!("{turn:?}") };
            for piece in pieces {
                assert_eq!(piece.sequence, after.unwrap() + 1, "in order and without a gap");
                after = Some(piece.sequence);
                had.extend(number(&piece));
            }
        }
        let everything = done.load(Ordering::SeqCst) && had.len() == committed.load(Ordering::SeqCst);
        if everything && made >= reconnects {
            return (had, made);
        }
    }
}

/// How far the writers are.
struct Writing {
    /// They begin when all readers have started.
    begins: Barrier,
    done: AtomicBool,
    committed: AtomicUsize,
}

/// `PATCHBAY_RECONNECTS` says how many; each of eight readers makes an eighth of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_that_is_cut_off_repeatedly_misses_no_event_and_gets_none_twice() {
    const READERS: usize = 8;
    let reconnects = std::env::var("PATCHBAY_RECONNECTS").map_or(1_000, |text| text.parse::<usize>().unwrap());
    // More cuts need more events.
    let events = 1_200 * i64::try_from(reconnects.max(1_000)).unwrap() / 1_000;
    let stage = Arc::new(Stage::new(|_| {}).await);
    // A connection is opened before the first event.
    drop(stage.open(0, None).await);
    let writing = Arc::new(Writing {
        begins: Barrier::new(READERS + 1),
        done: AtomicBool::new(false),
        committed: AtomicUsize::new(0),
    });
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let (stage, writing) = (Arc::clone(&stage), Arc::clone(&writing));
            tokio::spawn(async move { read_and_reconnect(&stage, &writing, reconnects / READERS).await })
        })
        .collect();
    writing.begins.wait().await;
    let writers: Vec<_> = (0..4_i64)
        .map(|writer| {
            let (stage, writing) = (Arc::clone(&stage), Arc::clone(&writing));
            tokio::spawn(async move {
                for turn in 0..events / 4 {
                    let ctx = &stage.nodes[usize::try_from(turn % 2).unwrap()].ctx;
                    let mut tx = ctx.db.begin().await.unwrap();
                    let number = writer * 1_000_000 + turn;
                    record(ctx, &mut tx, stage.client, &[ticket(number)]).await.unwrap();
                    // Some commit long after others that began later, and some never.
                    tokio::time::sleep(Duration::from_millis(ctx.ids.random() % 12)).await;
                    if turn % 9 == 8 {
                        tx.rollback().await.unwrap();
                    } else {
                        tx.commit().await.unwrap();
                        writing.committed.fetch_add(1, Ordering::SeqCst);
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    writing.done.store(true, Ordering::SeqCst);
    let mut made = 0;
    for reader in readers {
        let (had, times) = reader.await.unwrap();
        made += times;
        let different: BTreeSet<i64> = had.iter().copied().collect();
        assert_eq!(different.len(), had.len(), "something came twice");
        let expected: BTreeSet<i64> = (0..4)
            .flat_map(|writer| (0..events / 4).filter(|turn| turn % 9 != 8).map(move |turn| writer * 1_000_000 + turn))
            .collect();
        assert_eq!(different, expected);
    }
    assert!(made >= reconnects, "{made} reconnects");
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_left_out_and_holds_up_no_other() {
    let stage = Stage::new(|_| {}).await;
    let mut connection = stage.open(0, None).await;
    let (_, at) = first(&mut connection).await;
    let ctx = &stage.nodes[0].ctx;
    let chat = unreadable_chat(&stage).await;
    let mut tx = ctx.db.begin().await.unwrap();
    let mut about_chat = ticket(3);
    let Event::TicketMoved(moved) = &mut about_chat.event else { panic!("it is a ticket") };
    moved.participant = chat;
    let events = [ticket(1), ticket(2), about_chat, ticket(4)];
    record(ctx, &mut tx, stage.client, &events).await.unwrap();
    sqlx::query(
        "UPDATE live_event_new SET event = '{\"v\": 9, \"value\": {}}'
         WHERE arrival = (SELECT min(arrival) + 1 FROM live_event_new)",
    )
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();

    assert_eq!(numbers(&mut connection, 2).await, [1, 4]);
    assert_eq!(stage.resumed(1, at, 2).await, [1, 4], "nor does it hold up one that resumes");
    stage.happen(1, &[5]).await;
    assert_eq!(numbers(&mut connection, 1).await, [5]);
}

/// A chat with a channel of a later version.
async fn unreadable_chat(stage: &Stage) -> ParticipantId {
    let (chat, customer) = (ParticipantId(Uuid::from_u128(8)), CustomerId(Uuid::from_u128(9)));
    let ctx = &stage.nodes[0].ctx;
    let mut db = ctx.db.acquire().await.unwrap();
    let inbox: Uuid = sqlx::query_scalar("SELECT id FROM inbox WHERE client_id = $1 AND address = '27600000001'")
        .bind(stage.client.0)
        .fetch_one(&mut *db)
        .await
        .unwrap();
    sqlx::query("INSERT INTO customer (client_id, id, created_at) VALUES ($1, $2, now())")
        .bind(stage.client.0)
        .bind(customer.0)
        .execute(&mut *db)
        .await
        .unwrap();
    let new = NewParticipant {
        id: chat,
        inbox: InboxId(inbox),
        customer,
        channel: Channel::Whatsapp,
        state: ParticipantState::Queued,
    };
    participants::insert(&mut db, stage.client, new, ctx.now()).await.unwrap();
    for later in [
        "ALTER TABLE participant DROP CONSTRAINT participant_channel_known",
        "UPDATE participant SET channel = 'PIGEON'",
    ] {
        sqlx::query(later).execute(&mut *db).await.unwrap();
    }
    chat
}

#[tokio::test]
async fn an_event_without_a_reader_leaves_no_row() {
    let stage = Stage::new(|_| {}).await;
    stage.happen(0, &[1]).await;
    assert_eq!(stage.rows().await, 0);
    drop(stage.open(0, None).await);
    stage.happen(1, &[2]).await;
    assert_eq!(stage.rows().await, 1, "a reader may come back");
    let over = "UPDATE live_stream SET wanted_until = now() - interval '1 second'";
    sqlx::query(over).execute(&mut stage.scratch.connection().await).await.unwrap();
    stage.happen(0, &[3]).await;
    assert_eq!(stage.rows().await, 1);
}

#[tokio::test]
async fn a_transaction_open_at_the_start_of_reading_is_read_or_had_ended() {
    let stage = Arc::new(Stage::new(|_| {}).await);
    let ctx = &stage.nodes[0].ctx;
    let mut early = ctx.db.begin().await.unwrap();
    // It knows of no connection yet, and its transaction is still open.
    record(ctx, &mut early, stage.client, &[ticket(1)]).await.unwrap();
    let reading = {
        let stage = Arc::clone(&stage);
        tokio::spawn(async move { stage.open(1, None).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!reading.is_finished(), "a new reader waits for running transactions");
    early.commit().await.unwrap();
    let mut connection = reading.await.unwrap();
    assert_eq!(first(&mut connection).await.0, "hello");
    stage.happen(0, &[2]).await;
    assert_eq!(numbers(&mut connection, 1).await, [2]);
}

#[tokio::test]
async fn events_without_a_connected_reader_reach_resuming_readers_and_not_new_ones() {
    let stage = Stage::new(|_| {}).await;
    let mut connection = stage.open(0, None).await;
    let (_, before) = first(&mut connection).await;
    drop(connection);
    stage.happen(0, &[1, 2]).await;
    let mut begins = stage.open(1, None).await;
    assert_eq!(first(&mut begins).await, ("hello", before + 2));
    stage.happen(0, &[3]).await;
    assert_eq!(numbers(&mut begins, 1).await, [3]);
    let mut back = stage.open(0, Some(before)).await;
    assert_eq!(first(&mut back).await, ("hello", before));
    assert_eq!(numbers(&mut back, 3).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_reader_that_resumes_too_late_gets_a_resync() {
    let stage = Stage::new(|_| {}).await;
    let mut connection = stage.open(0, None).await;
    let (_, before) = first(&mut connection).await;
    stage.happen(0, &[1]).await;
    assert_eq!(numbers(&mut connection, 1).await, [1]);
    drop(connection);
    let mut back = stage.open(1, Some(before)).await;
    assert_eq!(first(&mut back).await, ("hello", before));
    assert_eq!(numbers(&mut back, 1).await, [1], "in time");
    drop(back);
    let over = "UPDATE live_stream SET wanted_until = now() - interval '1 second'";
    sqlx::query(over).execute(&mut stage.scratch.connection().await).await.unwrap();
    stage.happen(0, &[2]).await;
    let mut late = stage.open(0, Some(before + 1)).await;
    let (kind, at) = first(&mut late).await;
    assert_eq!(kind, "resync");
    assert!(at > before + 1);
    stage.happen(1, &[3]).await;
    assert_eq!(numbers(&mut late, 1).await, [3]);
    let mut ahead = stage.open(0, Some(at + 1_000)).await;
    assert_eq!(first(&mut ahead).await.0, "resync", "no reader ever had that number");
}

#[tokio::test]
async fn a_slow_reader_is_disconnected_and_can_resume_at_its_position() {
    let stage = Stage::new(|settings| settings.limits.live_events_held = 16).await;
    let mut slow = stage.open(0, None).await;
    let (_, at) = first(&mut slow).await;
    // It has had all there was once, and takes nothing from then on.
    stage.happen(0, &[0]).await;
    assert_eq!(numbers(&mut slow, 1).await, [0]);
    let waits = tokio::time::timeout(Duration::from_millis(50), slow.next()).await;
    assert!(waits.is_err(), "{waits:?}");
    let many: Vec<i64> = (1..=40).collect();
    stage.happen(1, &many).await;
    stage.numbered(at + 41).await;
    // A connection that opened later reads all of them, from the table at first.
    assert_eq!(stage.resumed(0, at, 41).await, (0..=40).collect::<Vec<_>>());
    let turn = slow.next().await;
    let ConnectionStep::End(ConnectionEnd::TooSlow(resume)) = turn else { panic!("{turn:?}") };
    assert_eq!(resume, at + 1);
    drop(slow);
    let mut back = stage.open(1, Some(resume)).await;
    assert_eq!(first(&mut back).await, ("hello", resume));
    assert_eq!(numbers(&mut back, 40).await, many);
}

#[tokio::test]
async fn connections_that_do_not_read_hold_no_more_than_the_share_of_their_client() {
    let stage = Stage::new(|settings| {
        settings.limits.live_unread_bytes_per_client = 1;
        settings.limits.live_write_timeout = Duration::from_millis(100);
    })
    .await;
    let (mut lazy, mut other) = (stage.open(0, None).await, stage.open(0, None).await);
    let (_, at) = first(&mut lazy).await;
    first(&mut other).await;
    stage.happen(0, &[1]).await;
    assert_eq!(numbers(&mut lazy, 1).await, [1]);
    // Events that it has received stay unread until it asks for more.
    assert_eq!(other.next().await, ConnectionStep::End(ConnectionEnd::TooSlow(at)));
    drop(lazy);
    let mut back = stage.open(0, Some(at)).await;
    assert_eq!(first(&mut back).await, ("hello", at));
    assert_eq!(numbers(&mut back, 1).await, [1]);
}

#[tokio::test]
async fn a_stopping_process_sends_the_position_to_resume() {
    let stage = Stage::new(|_| {}).await;
    let mut connection = stage.open(0, None).await;
    let (_, at) = first(&mut connection).await;
    stage.nodes[0].stop.cancel();
    assert_eq!(connection.next().await, ConnectionStep::End(ConnectionEnd::Stopping(at)));
    assert!(stage.nodes[0].hub.open(&stage.holder, None).await.is_err());
}

#[tokio::test]
async fn a_client_has_no_more_connections_than_it_may() {
    let stage = Stage::new(|settings| settings.limits.live_connections_per_client = 2).await;
    let one = stage.open(0, None).await;
    let _two = stage.open(0, None).await;
    assert!(stage.nodes[0].hub.open(&stage.holder, None).await.is_err());
    drop(one);
    stage.open(0, None).await;
}

#[tokio::test]
async fn upkeep_deletes_unnumbered_events_without_a_reader() {
    let stage = Stage::new(|_| {}).await;
    drop(stage.open(0, None).await);
    stage.happen(0, &[1, 2, 3]).await;
    let mut db = stage.scratch.connection().await;
    assert_eq!(streams::find_unwanted(&mut db, 10).await.unwrap(), [], "a reader may come back");
    sqlx::query("UPDATE live_stream SET wanted_until = now() - interval '1 second'").execute(&mut db).await.unwrap();
    assert_eq!(streams::find_unwanted(&mut db, 10).await.unwrap(), [stage.client]);
    let ctx = &stage.nodes[0].ctx;
    base::upkeep::round(&ctx.db, ctx.now(), &ctx.settings.retention).await.unwrap();
    assert_eq!(stage.rows().await, 0);
}
