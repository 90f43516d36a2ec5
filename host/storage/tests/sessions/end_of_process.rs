//! Sessions at the end of the process.

use std::pin::pin;

use futures::poll;

#[tokio::test]
async fn a_task_that_asks_for_a_session_at_the_end_of_the_process_gets_no_error() {
    let scratch = scratch::database().await;
    let db = storage::connect(&scratch.url, 1).await.unwrap();

    db.close_for_exit().await;

    assert!(poll!(pin!(db.acquire())).is_pending());
}

#[tokio::test]
async fn a_task_that_asks_for_a_session_of_a_pool_closed_before_gets_an_error() {
    let scratch = scratch::database().await;
    let db = storage::connect(&scratch.url, 1).await.unwrap();

    db.close().await;

    assert!(db.acquire().await.is_err());
}
