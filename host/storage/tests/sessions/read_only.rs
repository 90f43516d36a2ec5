//! A server that becomes read-only under its sessions, as a primary does after a failover.

use std::time::Duration;

use domain::ids::ClientId;
use storage::{
    Db, Error, PgConnection,
    plugins::changes::{self, ActivationChange, Changes},
    read_only_session::TrustedSince,
    work::{nodes, trial},
};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

/// One test at a time: a refusal in one would have the sessions of another looked at before they are refused.
async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}

/// A session must be older than half a second to be given up.
async fn until_old() {
    tokio::time::sleep(Duration::from_millis(600)).await;
}

/// The server that these sessions are on takes no more changes; new sessions reach another one.
async fn demote(pool: &Db) {
    let mut all = Vec::new();
    for _ in 0..pool.max_connections() {
        let mut db = pool.acquire().await.unwrap();
        sqlx::query("SET default_transaction_read_only = on").execute(&mut *db).await.unwrap();
        all.push(db);
    }
}

async fn change(pool: &Db) -> Result<(), Error> {
    sqlx::query("UPDATE client SET client_ref = client_ref").execute(pool).await?;
    Ok(())
}

async fn until_idle(pool: &Db) {
    while pool.num_idle() < usize::try_from(pool.size()).unwrap() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn one_refusal_takes_every_session_of_the_server_out_of_every_pool() {
    let _alone = alone().await;
    let pool = scratch::database().await.pool(5).await;
    let second = pool.second_pool();
    demote(&pool).await;
    demote(&second).await;
    until_old().await;

    let refused = change(&pool).await.unwrap_err();
    assert!(refused.is_outage() && !refused.is_lost(), "{refused:?}");

    // No request after the first one is refused, whichever sessions they get.
    let changes = futures::future::join_all((0..20).map(|_| change(&pool))).await;
    assert!(changes.iter().all(Result::is_ok), "{changes:?}");
    change(&second).await.unwrap();
}

#[tokio::test]
async fn a_session_that_takes_changes_stays_after_the_refusal_of_another_one() {
    let _alone = alone().await;
    let other = scratch::database().await.pool(1).await;
    let pool = scratch::database().await.pool(2).await;
    let process = async |pool: &Db| -> i32 {
        let process = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(pool).await.unwrap();
        until_idle(pool).await;
        process
    };
    until_idle(&pool).await;
    let before = process(&pool).await;
    demote(&other).await;
    until_old().await;
    change(&other).await.unwrap_err();
    assert_eq!(process(&pool).await, before);
    let in_a_transaction = async {
        let mut tx = pool.begin().await?;
        sqlx::query("SET TRANSACTION READ ONLY").execute(&mut *tx).await?;
        sqlx::query("UPDATE client SET client_ref = client_ref").execute(&mut *tx).await?;
        Ok::<_, Error>(())
    };
    assert!(in_a_transaction.await.unwrap_err().is_outage());
    until_idle(&pool).await;
    assert_eq!(process(&pool).await, before, "it was the transaction that took no changes");
}

#[tokio::test]
async fn a_probe_that_finds_a_session_read_only_takes_it_out_too() {
    let _alone = alone().await;
    let pool = scratch::database().await.pool(1).await;
    demote(&pool).await;
    until_old().await;
    let writes = async |pool: &Db| {
        let mut tx = pool.begin().await.unwrap();
        trial::write_ahead(&mut tx).await.unwrap()
    };
    assert!(!writes(&pool).await);
    until_idle(&pool).await;
    assert!(writes(&pool).await);
}

#[tokio::test]
async fn the_session_that_listens_to_other_nodes_is_given_up_at_once() {
    let _alone = alone().await;
    let scratch = scratch::database().await;
    let pool = scratch.pool(3).await;
    let mut owner = scratch.connection().await;
    let mut begin_as = async |reads_only: &str| {
        let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&mut owner).await.unwrap();
        let change = format!("ALTER DATABASE {name} SET default_transaction_read_only = {reads_only}");
        sqlx::query(&change).execute(&mut owner).await.unwrap();
    };
    demote(&pool).await;
    // Its session is one of its own.
    begin_as("on").await;
    let mut listening = Changes::listen(&pool).await.unwrap();
    begin_as("off").await;
    until_old().await;
    let heard = tokio::spawn(async move { listening.next().await });
    change(&pool).await.unwrap_err();
    let ended = tokio::time::timeout(Duration::from_secs(10), heard).await.unwrap().unwrap();
    assert!(ended.is_err(), "{ended:?}");

    let mut listening = Changes::listen(&pool).await.unwrap();
    let told = ActivationChange { client: ClientId(Uuid::from_u128(1)), sha256: "ab".to_owned() };
    let mut db = pool.acquire().await.unwrap();
    sqlx::query("SELECT 1").execute(&mut *db).await.unwrap();
    let (heard, told_to_all) = tokio::join!(listening.next(), changes::announce(&mut db, &told));
    told_to_all.unwrap();
    assert_eq!(heard.unwrap(), told);
}

#[tokio::test]
async fn a_session_that_listens_and_takes_changes_goes_on_after_a_refusal() {
    let _alone = alone().await;
    let pool = scratch::database().await.pool(2).await;
    let other = scratch::database().await.pool(1).await;
    let mut listening = Changes::listen(&pool).await.unwrap();
    demote(&other).await;
    until_old().await;
    change(&other).await.unwrap_err();
    let told = ActivationChange { client: ClientId(Uuid::from_u128(2)), sha256: "cd".to_owned() };
    let mut db = pool.acquire().await.unwrap();
    let telling = async {
        // Once it has looked at itself.
        tokio::time::sleep(Duration::from_millis(50)).await;
        changes::announce(&mut db, &told).await.unwrap();
    };
    let (heard, ()) = tokio::join!(listening.next(), telling);
    assert_eq!(heard.unwrap(), told);
}

#[tokio::test]
async fn the_announcement_of_a_process_does_not_stay_on_a_server_that_is_read_only() {
    let _alone = alone().await;
    let scratch = scratch::database().await;
    let pool = scratch.pool(1).await;
    let mut presence: PgConnection = pool.acquire().await.unwrap().detach();
    let mut trusted = TrustedSince::from_now();
    assert!(nodes::is_present(&mut presence, &mut trusted).await);
    sqlx::query("SET default_transaction_read_only = on").execute(&mut presence).await.unwrap();
    assert!(nodes::is_present(&mut presence, &mut trusted).await, "nothing was refused yet");
    demote(&pool).await;
    change(&pool).await.unwrap_err();
    assert!(!nodes::is_present(&mut presence, &mut trusted).await);
    presence.close().await.unwrap();
}
