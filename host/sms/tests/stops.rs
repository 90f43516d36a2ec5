//! Subscribers that answer STOP. Networks write the number in different forms, and phones the word.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::{path::Path, sync::Arc};

use base::{Context, audit::Administration};
use channels::smpp::{MobileOriginated, SmppEvents};
use domain::ids::{ClientId, MessageId};
use props::{HandClock, Surroundings};
use sms::{SmscEvents, stops};
use storage::sms::products::replies;
use tenancy::accounts::{NewClient, create_client};
use uuid::Uuid;

const SOURCE: &str = "27820001001";
const SUBSCRIBER: &str = "27836000001";

async fn client(ctx: &Context) -> ClientId {
    let new = NewClient {
        client_ref: "acme".to_owned(),
        name: "Acme".to_owned(),
        email: "ada@acme.example".to_owned(),
        password: "correct horse".to_owned(),
        parent: None,
        allow_private_targets: false,
    };
    create_client(&Administration::from(ctx), new).await.unwrap().client
}

/// A context, and a client that has sent a message from the source to the subscriber.
async fn stage(source: &str) -> (Arc<Context>, ClientId) {
    let pool = scratch::database().await.pool(4).await;
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("sms"));
    surroundings.plugins.built_ins = false;
    let ctx = Arc::new(surroundings.build(pool, Arc::new(HandClock::at(1_790_000_000))).await);
    let client = client(&ctx).await;
    let sent = [(source, SUBSCRIBER, MessageId(Uuid::from_u128(1)))];
    replies::correspond(&mut ctx.db.acquire().await.unwrap(), client, &sent, ctx.now()).await.unwrap();
    (ctx, client)
}

async fn says(ctx: &Arc<Context>, (from, to): (&str, &str), text: &str) {
    let said = MobileOriginated {
        bind: "main".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        text: text.to_owned(),
        parts: 1,
        complete: true,
    };
    SmscEvents::new(Arc::clone(ctx)).mobile_originated(said).await.unwrap();
}

#[tokio::test]
async fn a_subscriber_stops_with_any_spelling_of_the_number() {
    let (ctx, client) = stage(SOURCE).await;
    for from in ["27836000001", "+27836000001", "0027836000001", "0836000001", "+27 83 600 0001", "083 600 0001"] {
        for to in [SOURCE, "+27820001001", "0027820001001", "0820001001"] {
            says(&ctx, (from, to), "STOP").await;
            assert_eq!(stops::list(&ctx.db, client).await.unwrap(), [SUBSCRIBER], "{from} to {to}");
            says(&ctx, (from, to), "START").await;
            assert!(stops::list(&ctx.db, client).await.unwrap().is_empty(), "{from} to {to}");
        }
    }
}

#[tokio::test]
async fn a_number_without_a_country_is_one_of_the_country_of_the_source() {
    let (ctx, client) = stage("31500").await;
    says(&ctx, ("0836000001", "31500"), "STOP").await;
    assert_eq!(stops::list(&ctx.db, client).await.unwrap(), [SUBSCRIBER]);
    let (ctx, client) = stage("447700900123").await;
    says(&ctx, ("0836000001", "447700900123"), "STOP").await;
    assert!(stops::list(&ctx.db, client).await.unwrap().is_empty(), "it is another subscriber's");
}

#[tokio::test]
async fn a_stop_counts_with_punctuation_around_it_and_not_as_a_word_in_a_text() {
    let (ctx, client) = stage(SOURCE).await;
    for said in [
        "\u{200b}STOP",
        "\u{feff}stop",
        "\u{ff33}\u{ff34}\u{ff2f}\u{ff30}",
        "\u{201c}Stop.\u{201d}",
        "STOPALL",
        "opt-out",
        "Revoke!",
    ] {
        says(&ctx, (SUBSCRIBER, SOURCE), said).await;
        assert_eq!(stops::list(&ctx.db, client).await.unwrap(), [SUBSCRIBER], "{said}");
        says(&ctx, (SUBSCRIBER, SOURCE), "\"start\"").await;
        assert!(stops::list(&ctx.db, client).await.unwrap().is_empty(), "{said}");
    }
    for said in ["please stop", "STOP IT", "stopping", "cancel my order"] {
        says(&ctx, (SUBSCRIBER, SOURCE), said).await;
        assert!(stops::list(&ctx.db, client).await.unwrap().is_empty(), "{said}");
    }
}
