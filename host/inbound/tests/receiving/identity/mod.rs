//! Identity of customers: generated lives of people, reported as a provider would, are compared with the customers in
//! the database.
//!
//! All lives test the finding, making and merging of customers. Each tenth goes from the callback to the chat. `make
//! test` runs 2,000 lives, and `sh scripts/identity.sh` all ten thousand (`IDENTITY_LIVES`). A life that fails is
//! shortened as far as possible and printed with its seed. `IDENTITY_SEED=<seed>` runs it alone.

mod end_to_end;
mod people;
mod verdict;

use ::people::Introduction;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::{Address, AddressKind},
    clock::IdSource,
    ids::ClientId,
};
use people::{Happening, Told, World, history};
use storage::{
    PgConnection,
    tenancy::clients::{self, ClientRecord},
};
use verdict::{Found, judge};

use crate::stage::Stage;

const LIVES: u64 = 2_000;
const TOGETHER: usize = 500;
/// Each fifth life is also run with a second client, with the same addresses.
const WITH_TWO_CLIENTS: u64 = 5;
/// The place for running a life again. No other life has these numbers.
const APART: u32 = 90_000;

async fn another_client(stage: &Stage) -> ClientId {
    let client: ClientId = stage.ctx.mint();
    let new = ClientRecord {
        client_ref: "other",
        display_name: "Other",
        parent: None,
        allow_private_targets: false,
        sms_inbox: stage.ctx.mint(),
    };
    let mut db = stage.ctx.db.acquire().await.unwrap();
    clients::insert(&mut db, client, &new, stage.ctx.now()).await.unwrap();
    client
}

fn seeds() -> Vec<u64> {
    match std::env::var("IDENTITY_SEED") {
        Ok(seed) => vec![seed.parse().expect("IDENTITY_SEED is a number")],
        Err(_) => {
            let lives = std::env::var("IDENTITY_LIVES").ok().and_then(|lives| lives.parse().ok());
            (0..lives.unwrap_or(LIVES)).collect()
        }
    }
}

fn address(kind: AddressKind, value: Option<&String>) -> Option<Address> {
    Address::of_kind(kind, value?)
}

/// Passes a report to storage, as the code for messages, answers and account events does.
async fn tell(db: &mut PgConnection, client: ClientId, ids: &IdSource, told: &Told, now: DateTime<Utc>) {
    let introduction = |addresses: Vec<Address>, replaced: Option<Address>, username: Option<&String>| Introduction {
        addresses,
        replaced,
        username: username.cloned(),
        ..Introduction::default()
    };
    let (phone, user_id) = (AddressKind::Phone, AddressKind::Bsuid);
    match told {
        Told::Message { phone: number, user_id: id, username } => {
            let named = address(phone, number.as_ref()).into_iter().chain(address(user_id, id.as_ref())).collect();
            ::people::introduce(db, client, ids, introduction(named, None, username.as_ref()), now).await.unwrap();
        }
        Told::Sent { written, named } => {
            ::people::resolve_sent(db, client, ids, &[(written, named.as_slice())], now).await.unwrap();
        }
        Told::NumberChanged { old, new, before, now: id } => {
            let old = address(phone, Some(old)).unwrap();
            let named = address(phone, Some(new)).into_iter().chain(address(user_id, Some(id))).collect();
            let change = introduction(named, address(user_id, Some(before)), None);
            ::people::change_address(db, client, ids, &old, change, now).await.unwrap();
        }
        Told::UserIdChanged { before, now: id, phone: number } => {
            let named = address(phone, number.as_ref()).into_iter().chain(address(user_id, Some(id))).collect();
            let change = introduction(named, address(user_id, Some(before)), None);
            ::people::introduce(db, client, ids, change, now).await.unwrap();
        }
    }
}

/// Runs a life at a place. Returns the final world and the reports.
async fn live(
    db: &mut PgConnection,
    client: ClientId,
    ids: &IdSource,
    (seed, place): (u64, u32),
    happenings: &[Happening],
) -> (World, Vec<Told>) {
    let mut world = World::new(seed, place);
    let mut now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
    let mut all = Vec::new();
    for happening in happenings {
        if let Some(told) = world.happens(*happening) {
            now += TimeDelta::seconds(1);
            tell(db, client, ids, &told, now).await;
            all.push(told);
        }
    }
    (world, all)
}

/// Removes events from a failing life as long as it still fails, and describes the rest.
async fn shortest(stage: &Stage, ids: &IdSource, seed: u64) -> String {
    let mut happenings = history(seed);
    let mut said = String::new();
    let mut at = 0;
    loop {
        let mut fewer = happenings.clone();
        if !said.is_empty() {
            if at >= fewer.len() {
                return said;
            }
            fewer.remove(at);
        }
        let mut tx = stage.ctx.db.begin().await.unwrap();
        let before = Found::load(&mut tx, stage.client).await.customers;
        let (world, told) = live(&mut tx, stage.client, ids, (seed, APART), &fewer).await;
        let mut found = Found::load(&mut tx, stage.client).await;
        found.customers -= before;
        tx.rollback().await.unwrap();
        let found = found.of_world(&world);
        match judge(&[(seed, world)], &found) {
            Err(wrong) => {
                said = format!("{}\n{fewer:#?}\ntold: {told:#?}", wrong.said);
                happenings = fewer;
            }
            Ok(()) if said.is_empty() => return "it comes out right by itself".to_owned(),
            Ok(()) => at += 1,
        }
    }
}

#[tokio::test]
async fn generated_histories_leave_each_person_exactly_one_own_customer() {
    let stage = Stage::new().await;
    let other = another_client(&stage).await;
    let ids = IdSource::new([5; 32]);
    let (mut worlds, mut others) = (Vec::new(), Vec::new());
    for together in seeds().chunks(TOGETHER) {
        let mut tx = stage.ctx.db.begin().await.unwrap();
        for seed in together.iter().copied() {
            let (happenings, place) = (history(seed), u32::try_from(seed).unwrap());
            worlds.push((seed, live(&mut tx, stage.client, &ids, (seed, place), &happenings).await.0));
            if seed % WITH_TWO_CLIENTS == 0 {
                // The same people with other events.
                let happenings = &happenings[happenings.len() / 2..];
                others.push((seed, live(&mut tx, other, &ids, (seed, place), happenings).await.0));
            }
        }
        tx.commit().await.unwrap();
    }
    let mut db = stage.ctx.db.acquire().await.unwrap();
    for (client, worlds) in [(stage.client, &worlds), (other, &others)] {
        let found = Found::load(&mut db, client).await;
        if let Err(wrong) = judge(worlds, &found) {
            let Some(seed) = wrong.seed else { panic!("{}", wrong.said) };
            panic!("seed {seed}: {}\nthe shortest that is wrong: {}", wrong.said, shortest(&stage, &ids, seed).await);
        }
    }
    if worlds.len() > 1 {
        let merged = stage.count("SELECT count(*) FROM customer WHERE merged_into IS NOT NULL").await;
        assert!(merged > 100, "only {merged} customers were merged: are the lives too quiet?");
    }
}
