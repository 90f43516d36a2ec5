//! Answers requests that wait for a database that says nothing: frozen, or on a machine that has vanished. A handler would wait
//! for as long as that lasts. Every handler may wait long for other reasons, such as a slow upload, so the database decides: while
//! it answers, a request is waited for.

use std::{pin::pin, time::Duration};

use axum::response::{IntoResponse, Response};
use tokio::time::{sleep, timeout};

use crate::{error::ApiError, state::ApiState};

/// When it is first asked whether the database answers. With the time that this takes, a caller has its answer well within the
/// 30 s after which many give up.
const FIRST_LOOK: Duration = Duration::from_secs(10);
/// How often from then on.
const AGAIN: Duration = Duration::from_secs(3);

/// The cause of such an answer.
#[derive(Debug, thiserror::Error)]
#[error("the database does not answer")]
struct Silent;

/// The response, or 503 when the database turns out to be silent.
pub(crate) async fn unless_silent(state: &ApiState, handling: impl Future<Output = Response>) -> Response {
    let mut handling = pin!(handling);
    if let Ok(response) = timeout(FIRST_LOOK, handling.as_mut()).await {
        return response;
    }
    let waiting = async {
        while state.context.pulse.beats(&state.context.db).await {
            sleep(AGAIN).await;
        }
    };
    tokio::select! {
        biased;
        response = handling => response,
        () = waiting => ApiError::unavailable(Silent).into_response(),
    }
}
