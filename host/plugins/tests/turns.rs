//! Activations of several clients at the same time.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic, in its helper functions too")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use base::{Context, audit::Actor};
use domain::ids::ClientId;
use plugins::{NewActivation, PluginError, UploadedVersion, activate, slots::Mode};
use props::{HandClock, Surroundings};
use serde_json::{Value, json};
use storage::{
    plugins::{activations, versions},
    tenancy::clients::{self, ClientRecord},
};

const BOT: &str = "large-schema";

/// Simultaneous activations of one client: as many as may wait.
const FLOOD: usize = 16;

/// Clients created at the same time have the same ids in each test, and the process shares the turns, so each test has
/// its own time.
async fn context(moment: i64) -> Arc<Context> {
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins"));
    surroundings.plugins.built_ins = false;
    let db = scratch::database().await.pool(40).await;
    Arc::new(surroundings.build(db, Arc::new(HandClock::at(1_790_000_000 + moment))).await)
}

/// A client with a chatbot whose schema is slow to check.
async fn client(ctx: &Context, client_ref: &str) -> ClientId {
    let client: ClientId = ctx.mint();
    let new = ClientRecord {
        client_ref,
        display_name: client_ref,
        parent: None,
        allow_private_targets: false,
        sms_inbox: ctx.mint(),
    };
    let mut tx = ctx.db.begin().await.unwrap();
    clients::insert(&mut tx, client, &new, ctx.now()).await.unwrap();
    let schema = json!({ "properties": { "text": { "pattern": "^([ab]{1,20}x?){1,40}[cd]$" } } });
    let version = UploadedVersion {
        name: BOT.to_owned(),
        world: "chatbot".to_owned(),
        version: 0,
        sha256: "00".repeat(32),
        size: 1,
        api_version: "0.3.0".to_owned(),
        imports: Vec::new(),
        config_schema: Some(schema.into()),
        created_by: None,
        created_at: ctx.now(),
        signature: None,
        origin: None,
    };
    activations::lock(&mut tx, client).await.unwrap();
    versions::insert(&mut tx, client, &version, b"x").await.unwrap();
    tx.commit().await.unwrap();
    client
}

/// Requests an activation with a text that does not fit, and returns the error.
async fn refused(ctx: &Context, client: ClientId) -> PluginError {
    let config: Value = json!({ "text": "ab".repeat(400) });
    let wanted = NewActivation { config: Some(config), ..NewActivation::newest(BOT, Mode::Live) };
    activate(ctx, client, wanted, Actor::Operator).await.unwrap_err()
}

fn is_judged(error: &PluginError) -> bool {
    let PluginError::Faults(faults) = error else { return false };
    faults[0].field == "config/text" && faults[0].message.starts_with("\"abab")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_floods_activations_does_not_keep_another_one_waiting() {
    let ctx = context(1).await;
    let (one, two) = (client(&ctx, "one").await, client(&ctx, "two").await);
    let done = Arc::new(AtomicUsize::new(0));
    let flood: Vec<_> = (0..FLOOD)
        .map(|_| {
            let (ctx, done) = (Arc::clone(&ctx), Arc::clone(&done));
            tokio::spawn(async move {
                let error = refused(&ctx, one).await;
                done.fetch_add(1, Ordering::SeqCst);
                error
            })
        })
        .collect();
    while done.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }

    let error = refused(&ctx, two).await;
    let before = done.load(Ordering::SeqCst);

    assert!(is_judged(&error), "{error:?}");
    assert!(before < FLOOD / 2, "{before} of {FLOOD} came first");
    for one in flood {
        let error = one.await.unwrap();
        assert!(is_judged(&error), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_asks_for_more_than_may_wait_is_refused_and_another_one_is_not() {
    let ctx = context(2).await;
    let (one, two) = (client(&ctx, "one").await, client(&ctx, "two").await);
    let flood: Vec<_> = (0..FLOOD * 2)
        .map(|_| {
            let ctx = Arc::clone(&ctx);
            tokio::spawn(async move { refused(&ctx, one).await })
        })
        .collect();
    let other = refused(&ctx, two).await;
    assert!(is_judged(&other), "{other:?}");
    let mut errors = Vec::new();
    for one in flood {
        errors.push(one.await.unwrap());
    }
    let busy = |error: &&PluginError| matches!(error, PluginError::Busy(said) if said.contains("try again"));
    let (busy, judged) = (errors.iter().filter(busy).count(), errors.iter().filter(|error| is_judged(error)).count());
    assert_eq!(busy + judged, FLOOD * 2, "{errors:?}");
    assert!(busy > 0 && judged >= FLOOD, "{busy} busy, {judged} judged");
}
