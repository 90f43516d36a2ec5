use std::time::Duration;

use futures::future::join_all;
use rusmpp::{CommandId, CommandStatus};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::{Instant, timeout},
};

use super::*;
use crate::smpp::pdu::{frame::Frames, header::Header};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(200);

fn session(link_timeout: Duration) -> (SmppSession, mpsc::Receiver<SessionRequestHandle>, DuplexStream) {
    let (ours, theirs) = duplex(64);
    let times = SilenceLimits { enquire_link: LONG, link_timeout, unbind_timeout: LONG };
    let (session, requests) = SmppSession::start(ours, "test", times, 2, std::future::pending());
    (session, requests, theirs)
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_before_it_is_written_never_leaves() {
    let (session, _requests, theirs) = session(LONG);
    // The peer reads nothing.
    let requests = (0..60_u8).map(|number| session.request(CommandId::SubmitSm, vec![number; 200].leak(), SHORT));
    let results = join_all(requests).await;
    let unwritten = results.iter().filter(|result| matches!(result, Err(RequestFailure::Unwritten(_)))).count();
    assert!((1..60).contains(&unwritten), "{unwritten}");
    // Now it reads all that comes, up to the unbind.
    let (mut frames, mut seen) = (Frames::new(theirs), 0);
    let reading = async {
        while let Ok(frame) = frames.next().await {
            seen += usize::from(frame.header.command == CommandId::SubmitSm);
        }
    };
    tokio::join!(session.finish(LONG), reading);
    assert_eq!(seen, 60 - unwritten);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_is_dropped_gives_its_request_up() {
    let (session, _requests, theirs) = session(LONG);
    let blocked = session.request(CommandId::SubmitSm, &[1; 5_000], LONG);
    tokio::pin!(blocked);
    let queued = session.request(CommandId::SubmitSm, b"never", LONG);
    tokio::select! {
        biased;
        _ = &mut blocked => panic!("the peer does not read"),
        _ = tokio::time::timeout(SHORT, queued) => {}
    }
    let mut frames = Frames::new(theirs);
    let reading = async {
        let mut bodies = Vec::new();
        while let Ok(frame) = frames.next().await {
            bodies.push(frame.body.len());
        }
        bodies
    };
    let (_, bodies) = tokio::join!(session.finish(LONG), reading);
    assert_eq!(bodies, [5_000]);
    assert!(matches!(blocked.await, Err(RequestFailure::Written(_))));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_nothing_ends_the_session() {
    let (session, _requests, _theirs) = session(SHORT);
    let result = session.request(CommandId::SubmitSm, &[0; 300], LONG).await;
    assert_eq!(result.unwrap_err(), RequestFailure::Written("the SMSC stopped reading".to_owned()));
    assert!(!session.is_open());
    let result = session.request(CommandId::SubmitSm, b"", LONG).await;
    assert!(matches!(result, Err(RequestFailure::Unwritten(_))));
}

#[tokio::test(start_paused = true)]
async fn nothing_more_is_read_while_requests_wait() {
    let (session, mut requests, mut theirs) = session(LONG);
    let delivery = Header::request(CommandId::DeliverSm, 1).with(&[0; 100]);
    let mut written = 0;
    while let Ok(done) = timeout(SHORT, theirs.write_all(&delivery)).await {
        done.unwrap();
        written += 1;
        assert!(written < 200, "it reads on");
    }
    for _ in 0..2 {
        assert!(requests.recv().await.is_some());
    }
    session.end("enough");
    assert_eq!(session.reason(), "enough");
    let mut rest = Vec::new();
    theirs.read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty(), "nothing was answered");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_queued_is_written_before_the_session_is_closed() {
    let (session, mut requests, mut theirs) = session(LONG);
    theirs.write_all(&Header::request(CommandId::DeliverSm, 7).with(b"")).await.unwrap();
    let request = requests.recv().await.unwrap();
    let began = Instant::now();
    let (from, header, owed) = request.into_parts();
    let answering = async {
        tokio::time::sleep(SHORT).await;
        from.answer(header.answer(CommandStatus::EsmeRok), &[0]).await;
        drop(owed);
    };
    tokio::join!(session.settle(LONG), answering);
    assert!(began.elapsed() >= SHORT && began.elapsed() < LONG, "it waits for the answer and no longer");
    session.finish(LONG).await;
    let answer = Frames::new(theirs).next().await.unwrap();
    assert_eq!((answer.header.command, answer.header.sequence), (CommandId::DeliverSmResp, 7));
}
