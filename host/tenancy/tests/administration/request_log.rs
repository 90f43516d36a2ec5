//! The log of requests at the end of the process.

use std::{pin::pin, sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    ids::{ClientId, RequestId, UserId},
};
use futures::poll;
use tenancy::request_log::{AnsweredRequest, RequestLog};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::office::Office;

fn request(office: &Office) -> AnsweredRequest {
    AnsweredRequest {
        client: ClientId(Uuid::from_u128(1)),
        id: RequestId(office.ids.mint(office.clock.now())),
        user: UserId(Uuid::from_u128(2)),
        key_start: "b8b8".to_owned(),
        method: "GET".to_owned(),
        path: "/api/v1/users/me".to_owned(),
        status: 200,
        duration: Duration::from_millis(1),
        body: None,
    }
}

#[tokio::test]
async fn the_end_of_the_process_waits_for_requests_that_are_being_stored() {
    let office = Office::open().await;
    let mut locked = office.db.begin().await.unwrap();
    sqlx::query("LOCK TABLE request_log IN EXCLUSIVE MODE").execute(&mut *locked).await.unwrap();
    let (log, stop) = (RequestLog::new(office.db.clone()), CancellationToken::new());
    let mut running = tokio::spawn(Arc::clone(&log).run(stop.clone()));
    log.add(request(&office));
    // The task begins to gather requests before it is stopped.
    tokio::task::yield_now().await;
    stop.cancel();
    tokio::select! {
        () = scratch::until_lock_wait(&office.db, "request_log") => {}
        _ = &mut running => panic!("the request was not stored"),
    }

    let mut finishing = pin!(log.finish());
    assert!(poll!(finishing.as_mut()).is_pending());
    locked.commit().await.unwrap();
    finishing.await;

    let stored: i64 = sqlx::query_scalar("SELECT count(*) FROM request_log").fetch_one(&office.db).await.unwrap();
    assert_eq!(stored, 1);
}
