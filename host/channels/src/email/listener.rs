//! Connections of the SMTP listener: their number and their end.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use domain::source::CountedSource;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{ListenerSettings, MailEvents, Shared, places::MailPlaces, session};

/// How long mails in flight may take after a shutdown began.
const DRAIN: Duration = Duration::from_secs(15);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a connection could not be accepted.
const NO_DESCRIPTORS: Duration = Duration::from_millis(100);

/// Serves SMTP until `stop`. Then accepts no connections and finishes the mails in flight.
pub async fn listen(
    listener: TcpListener,
    settings: ListenerSettings,
    events: Arc<dyn MailEvents>,
    stop: CancellationToken,
) {
    let shared = Shared { settings: Arc::new(settings), events };
    let mails = MailListener { places: MailPlaces::new(&shared.settings), shared, sessions: TaskTracker::new(), stop };
    loop {
        let accepted = tokio::select! {
            () = mails.stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => mails.take(stream, peer),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "an SMTP connection could not be accepted");
                sleep(NO_DESCRIPTORS).await;
            }
        }
    }
    drop(listener);
    mails.sessions.close();
    if timeout(DRAIN, mails.sessions.wait()).await.is_err() {
        tracing::warn!("SMTP sessions that were still open after {} s were closed", DRAIN.as_secs());
    }
}

/// Admits connections.
struct MailListener {
    shared: Shared,
    places: MailPlaces,
    sessions: TaskTracker,
    stop: CancellationToken,
}

impl MailListener {
    fn take(&self, stream: TcpStream, peer: SocketAddr) {
        let peer = peer.ip().to_canonical();
        let settings = &self.shared.settings;
        let allowed = settings.allowed.is_empty() || settings.allowed.iter().any(|net| net.contains(&peer));
        if !allowed {
            self.sessions.spawn(send_away(stream, "554 5.7.1 no mail is taken from your address\r\n"));
            return;
        }
        match self.places.enter(CountedSource::of(peer)) {
            Some(place) => {
                let (shared, stop) = (self.shared.clone(), self.stop.clone());
                self.sessions.spawn(async move {
                    let _ = stream.set_nodelay(true);
                    session::serve(shared, stream, peer, stop, place).await;
                });
            }
            None => {
                self.sessions.spawn(send_away(stream, "421 4.7.0 too many connections: try again later\r\n"));
            }
        }
    }
}

async fn send_away(mut stream: TcpStream, words: &'static str) {
    let _ = timeout(CLOSE_TIMEOUT, async {
        stream.write_all(words.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::sms_products::email::EmailDomain;
    use tokio::io::AsyncReadExt;

    use super::{
        super::{MailVerdict, ReceivedMail},
        *,
    };

    struct Anything;

    #[async_trait]
    impl MailEvents for Anything {
        async fn mail(&self, _: ReceivedMail) -> MailVerdict {
            MailVerdict::Taken
        }
    }

    async fn start(change: impl FnOnce(&mut ListenerSettings)) -> (SocketAddr, CancellationToken) {
        let mut settings = ListenerSettings::new(EmailDomain::parse("sms.example.com").unwrap());
        change(&mut settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        tokio::spawn(listen(listener, settings, Arc::new(Anything), stop.clone()));
        (address, stop)
    }

    async fn heard(stream: &mut TcpStream) -> String {
        let mut piece = [0; 4096];
        let read = timeout(Duration::from_secs(20), stream.read(&mut piece)).await.unwrap().unwrap_or(0);
        String::from_utf8_lossy(&piece[..read]).into_owned()
    }

    #[tokio::test]
    async fn only_listed_sources_may_connect() {
        let (address, _stop) = start(|settings| settings.allowed = vec!["192.0.2.0/24".parse().unwrap()]).await;
        assert!(heard(&mut TcpStream::connect(address).await.unwrap()).await.starts_with("554 5.7.1 "));
        let (address, _stop) = start(|settings| settings.allowed = vec!["127.0.0.0/8".parse().unwrap()]).await;
        assert!(heard(&mut TcpStream::connect(address).await.unwrap()).await.starts_with("220 sms.example.com ESMTP"));
    }

    #[tokio::test]
    async fn a_source_has_so_many_connections_and_gets_them_back() {
        let (address, _stop) = start(|settings| settings.connections_per_source = 1).await;
        let mut first = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut first).await.starts_with("220 "));
        assert!(heard(&mut TcpStream::connect(address).await.unwrap()).await.starts_with("421 4.7.0 "));
        first.write_all(b"QUIT\r\n").await.unwrap();
        assert!(heard(&mut first).await.starts_with("221 "));
        assert_eq!(heard(&mut first).await, "");
        loop {
            // The place is free a moment after the connection is closed.
            if heard(&mut TcpStream::connect(address).await.unwrap()).await.starts_with("220 ") {
                return;
            }
        }
    }

    #[tokio::test]
    async fn silent_connections_are_closed_and_at_shutdown_all_are() {
        let (address, stop) = start(|settings| settings.command_timeout = Duration::from_millis(50)).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut silent).await.starts_with("220 "));
        assert!(heard(&mut silent).await.starts_with("421 4.4.2 "));
        drop(stop);
        let (address, stop) = start(|_| {}).await;
        let mut waiting = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut waiting).await.starts_with("220 "));
        stop.cancel();
        assert!(heard(&mut waiting).await.starts_with("421 4.3.2 "));
    }

    #[tokio::test]
    async fn silent_connections_make_room_for_another_sender() {
        let (address, _stop) = start(|settings| settings.connections = 2).await;
        let mut silent = Vec::new();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            assert!(heard(&mut stream).await.starts_with("220 "));
            silent.push(stream);
        }
        let mut sender = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut sender).await.starts_with("220 "));
        assert!(heard(&mut silent[0]).await.starts_with("421 4.7.0 "));
        assert_eq!(heard(&mut silent[0]).await, "");
        sender.write_all(b"QUIT\r\n").await.unwrap();
        assert!(heard(&mut sender).await.starts_with("221 "));
    }

    #[tokio::test]
    async fn commands_without_a_mail_keep_a_connection_for_a_short_time_only() {
        let (address, _stop) = start(|settings| settings.first_mail_timeout = Duration::from_millis(500)).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut stream).await.starts_with("220 "));
        stream.write_all(b"EHLO x\r\nNOOP\r\n").await.unwrap();
        let mut said = String::new();
        while !said.contains("421 4.4.2 ") {
            let more = heard(&mut stream).await;
            assert_ne!(more, "", "{said}");
            said.push_str(&more);
        }
    }

    #[tokio::test]
    async fn commands_that_bring_no_mail_are_limited() {
        let (address, _stop) = start(|_| {}).await;
        for command in ["NOOP", "RSET", "EHLO x", "HELP", "VRFY x"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            heard(&mut stream).await;
            stream.write_all(format!("{command}\r\n").repeat(30).as_bytes()).await.unwrap();
            let mut said = String::new();
            loop {
                let more = heard(&mut stream).await;
                if more.is_empty() {
                    break;
                }
                said.push_str(&more);
            }
            assert!(said.contains("421 4.7.0 too many commands without a mail"), "{command}: {said}");
        }
    }

    #[tokio::test]
    async fn recipients_that_are_refused_for_now_are_limited() {
        let (address, _stop) = start(|_| {}).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        heard(&mut stream).await;
        let begin = "EHLO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<1@sms.example.com>\r\n";
        let refused = "RCPT TO:<1@test.sms.example.com>\r\n".repeat(30);
        stream.write_all(format!("{begin}{refused}").as_bytes()).await.unwrap();
        let mut said = String::new();
        while !said.contains("421 4.7.0 too many errors") {
            let more = heard(&mut stream).await;
            assert_ne!(more, "", "{said}");
            said.push_str(&more);
        }
    }

    #[tokio::test]
    async fn an_announced_mail_does_not_keep_a_connection() {
        let (address, _stop) = start(|settings| settings.command_timeout = Duration::from_millis(500)).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        heard(&mut stream).await;
        stream.write_all(b"EHLO x\r\nMAIL FROM:<a@b.c>\r\n").await.unwrap();
        let mut said = String::new();
        while !said.contains("421 4.4.2 ") {
            // Each command comes in time.
            let _ = stream.write_all(b"RCPT TO:<1@sms.example.com>\r\n").await;
            let more = heard(&mut stream).await;
            assert_ne!(more, "", "{said}");
            said.push_str(&more);
            sleep(Duration::from_millis(100)).await;
        }
    }

    #[tokio::test]
    async fn commands_come_in_order_and_a_reset_starts_over() {
        let (address, _stop) = start(|_| {}).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        heard(&mut stream).await;
        for (said, answered) in [
            ("MAIL FROM:<a@b.c>", "503 "),
            ("STARTTLS", "502 "),
            ("EHLO x", "250-"),
            ("RCPT TO:<1@sms.example.com>", "503 "),
            ("MAIL FROM:<a@b.c> SIZE=65537", "552 "),
            ("MAIL FROM:<a@b.c> BODY=BINARYMIME", "555 "),
            ("MAIL FROM:<\u{e9}@b.c>", "553 5.6.7 "),
            ("MAIL FROM:<a@b.c> SIZE=65536 BODY=8BITMIME", "250 "),
            ("MAIL FROM:<a@b.c>", "503 "),
            ("DATA", "554 "),
            ("RCPT TO:<1@elsewhere.example>", "550 "),
            ("RCPT TO:<1@sms.example.com>", "250 "),
            ("RCPT TO:<1@test.sms.example.com>", "452 "),
            ("RSET", "250 "),
            ("DATA", "503 "),
        ] {
            stream.write_all(format!("{said}\r\n").as_bytes()).await.unwrap();
            let heard = heard(&mut stream).await;
            assert!(heard.starts_with(answered), "{said}: {heard}");
        }
    }
}
