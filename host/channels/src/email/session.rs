//! One SMTP session (RFC 5321), from the greeting to the end.

use std::{net::IpAddr, time::Duration};

use domain::sms_products::email::{EmailAddress, MailRoute, RECIPIENTS_MAX};
use smtp_proto::{MAIL_BODY_BINARYMIME, MAIL_REQUIRETLS, MAIL_SMTPUTF8, MailFrom, RcptTo, Request};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    MailVerdict, ReceivedMail, SIZE_MAX, Shared,
    mail::MailContent,
    places::{MailPlace, Work},
    verbs,
    wire::{CommandLine, MailWire, PeerLoss, Text},
};

/// Time to close a connection whose place is needed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Wrong commands of one session; one more ends it.
const FAULTS_MAX: u32 = 10;
/// Commands of one session without a mail (`NOOP`, `RSET`, `EHLO` and the like) since the last mail; one more ends it.
const IDLE_COMMANDS_MAX: u32 = 20;
/// Mails of one session. Further ones need another session.
const MAILS_MAX: u32 = 100;

struct Session {
    shared: Shared,
    peer: IpAddr,
    stop: CancellationToken,
    place: MailPlace,
    /// A mail must begin until then or, if it has begun, its text.
    mail_due: Instant,
    idle_commands: u32,
    encrypted: bool,
    greeted: bool,
    envelope: Option<Envelope>,
    faults: u32,
    mails: u32,
}

struct Envelope {
    sender: Option<EmailAddress>,
    route: MailRoute,
    mailboxes: Vec<String>,
}

enum End {
    Over,
    Upgrade(TlsAcceptor),
}

enum Next {
    Say(String),
    Bye(String),
    ReadText,
    Upgrade(TlsAcceptor),
}

impl Next {
    fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }
}

pub(super) async fn serve(shared: Shared, stream: TcpStream, peer: IpAddr, stop: CancellationToken, place: MailPlace) {
    let within = shared.settings.command_timeout.min(shared.settings.first_mail_timeout);
    let mut session = Session {
        mail_due: Instant::now() + shared.settings.first_mail_timeout,
        shared,
        peer,
        stop,
        place,
        idle_commands: 0,
        encrypted: false,
        greeted: false,
        envelope: None,
        faults: 0,
        mails: 0,
    };
    let mut wire = MailWire::new(stream);
    let greeting = format!("220 {} ESMTP e-mail to SMS\r\n", session.name());
    if wire.send_line(&greeting, within).await.is_err() {
        return;
    }
    let Ok(End::Upgrade(acceptor)) = session.serve_commands(&mut wire).await else { return };
    match timeout(within, acceptor.accept(wire.into_stream())).await {
        Ok(Ok(stream)) => {
            (session.encrypted, session.greeted, session.envelope) = (true, false, None);
            let _ = session.serve_commands(&mut MailWire::new(stream)).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake of an SMTP session failed"),
        Err(_) => tracing::debug!("a TLS handshake of an SMTP session took too long"),
    }
}

impl Session {
    fn name(&self) -> &str {
        self.shared.settings.domain.as_str()
    }

    async fn serve_commands<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        wire: &mut MailWire<S>,
    ) -> Result<End, PeerLoss> {
        let within = self.shared.settings.command_timeout;
        loop {
            let (stop, end) = (self.stop.clone(), self.place.end().clone());
            let line = tokio::select! {
                () = stop.cancelled() => {
                    wire.send_line("421 4.3.2 the service stops: try again\r\n", within).await?;
                    return Ok(End::Over);
                }
                () = end.cancelled() => {
                    wire.send_line(&format!("{}\r\n", verbs::PLACE_NEEDED), CLOSE_TIMEOUT).await?;
                    return Ok(End::Over);
                }
                line = wire.line(self.time_for_a_command()) => line?,
            };
            let next = match self.command(line) {
                Next::ReadText => self.take_text(wire).await?,
                next => next,
            };
            match next {
                Next::Say(text) => wire.send_line(&format!("{text}\r\n"), within).await?,
                Next::Bye(text) => {
                    wire.send_line(&format!("{text}\r\n"), within).await?;
                    return Ok(End::Over);
                }
                Next::Upgrade(acceptor) => {
                    wire.send_line("220 2.0.0 begin TLS\r\n", within).await?;
                    return Ok(End::Upgrade(acceptor));
                }
                Next::ReadText => return Err(PeerLoss),
            }
        }
    }

    /// Commands do not renew the time until a mail, or its text, must begin.
    fn time_for_a_command(&self) -> Duration {
        self.shared.settings.command_timeout.min(self.mail_due - Instant::now())
    }

    /// Answers a command without a mail, a limited number of times between two mails.
    fn idle(&mut self, text: String) -> Next {
        self.idle_commands += 1;
        if self.idle_commands > IDLE_COMMANDS_MAX {
            Next::Bye("421 4.7.0 too many commands without a mail".to_owned())
        } else {
            Next::Say(text)
        }
    }

    /// Ends the present mail; `mailed`: one came.
    fn rest(&mut self, mailed: bool) {
        if self.envelope.take().is_some() || mailed {
            self.mail_due = Instant::now() + self.shared.settings.first_mail_timeout;
        }
        if mailed {
            self.idle_commands = 0;
        }
    }

    fn command(&mut self, line: CommandLine) -> Next {
        let line = match line {
            CommandLine::Whole(line) => line,
            // The beginning of the next command is no longer known.
            CommandLine::TooLong => return Next::Bye("500 5.5.2 the line is too long".to_owned()),
            CommandLine::BadEnd => return Next::Bye("500 5.5.2 lines end with CR and LF".to_owned()),
            CommandLine::Late => return Next::Bye("421 4.4.2 nothing came for too long".to_owned()),
        };
        match Request::parse(&mut line.iter()) {
            Ok(request) => self.carry_out(request.into_owned()),
            // A web browser that was led here.
            Err(smtp_proto::Error::UnknownCommand) if !self.greeted => Next::Bye("421 4.7.0 this is SMTP".to_owned()),
            Err(error) => self.fault(verbs::fault(&error)),
        }
    }

    /// Counts a faulty command. A peer with too many is disconnected.
    fn fault(&mut self, text: String) -> Next {
        self.faults += 1;
        if self.faults > FAULTS_MAX { Next::Bye("421 4.7.0 too many errors".to_owned()) } else { Next::Say(text) }
    }

    fn carry_out(&mut self, request: Request<String>) -> Next {
        let settings = &self.shared.settings;
        match request {
            Request::Ehlo { .. } => {
                self.greeted = true;
                self.rest(false);
                let offers_tls = self.shared.settings.tls.is_some() && !self.encrypted;
                self.idle(verbs::extensions(self.name(), offers_tls))
            }
            Request::Helo { .. } => {
                self.greeted = true;
                self.rest(false);
                self.idle(format!("250 {}", self.name()))
            }
            Request::StartTls => match (&settings.tls, self.encrypted) {
                (Some(acceptor), false) if self.greeted => Next::Upgrade(acceptor.clone()),
                (Some(_), _) => self.fault(verbs::BAD_SEQUENCE.to_owned()),
                (None, _) => self.fault(verbs::NOT_THERE.to_owned()),
            },
            Request::Mail { from } => self.mail(&from),
            Request::Rcpt { to } => self.recipient(&to),
            Request::Data => match &self.envelope {
                Some(envelope) if !envelope.mailboxes.is_empty() => Next::ReadText,
                Some(_) => self.fault("554 5.5.1 there is no recipient".to_owned()),
                None => self.fault(verbs::BAD_SEQUENCE.to_owned()),
            },
            Request::Rset => {
                self.rest(false);
                self.idle(verbs::OK.to_owned())
            }
            Request::Noop { .. } => self.idle(verbs::OK.to_owned()),
            Request::Quit => Next::Bye("221 2.0.0 bye".to_owned()),
            Request::Vrfy { .. } => self.idle("252 2.1.5 send a mail and see".to_owned()),
            Request::Help { .. } => self
                .idle("214 2.0.0 a mail to NUMBER@DOMAIN, with the password as its subject, is sent as SMS".to_owned()),
            Request::Lhlo { .. }
            | Request::Bdat { .. }
            | Request::Auth { .. }
            | Request::Expn { .. }
            | Request::Etrn { .. }
            | Request::Atrn { .. }
            | Request::Burl { .. } => self.fault(verbs::NOT_THERE.to_owned()),
        }
    }

    fn mail(&mut self, from: &MailFrom<String>) -> Next {
        if !self.greeted || self.envelope.is_some() {
            return self.fault(verbs::BAD_SEQUENCE.to_owned());
        }
        if self.shared.settings.require_tls && !self.encrypted {
            return self.fault(verbs::NEEDS_TLS.to_owned());
        }
        if self.mails >= MAILS_MAX {
            return Next::Bye("421 4.7.0 enough mails for one session".to_owned());
        }
        if from.flags & (MAIL_BODY_BINARYMIME | MAIL_REQUIRETLS) != 0 {
            return self.fault("555 5.5.4 a parameter is not known".to_owned());
        }
        if from.size > SIZE_MAX {
            return Next::say(verbs::TOO_LARGE);
        }
        if !from.address.is_ascii() && from.flags & MAIL_SMTPUTF8 == 0 {
            return self.fault("553 5.6.7 say SMTPUTF8 for such an address".to_owned());
        }
        let sender = match from.address.as_str() {
            "" => None,
            address => match EmailAddress::parse(address) {
                Some(address) => Some(address),
                None => return self.fault("553 5.1.7 the sender is no address".to_owned()),
            },
        };
        self.mail_due = Instant::now() + self.shared.settings.command_timeout;
        self.envelope = Some(Envelope { sender, route: MailRoute::Phone, mailboxes: Vec::new() });
        Next::say("250 2.1.0 ok")
    }

    fn recipient(&mut self, to: &RcptTo<String>) -> Next {
        let found = self.shared.settings.domain.route(&to.address);
        let Some(envelope) = &mut self.envelope else { return self.fault(verbs::BAD_SEQUENCE.to_owned()) };
        let Some((route, mailbox)) = found else {
            return self.fault("550 5.7.1 this server accepts mail for addresses of its own domain only".to_owned());
        };
        if envelope.mailboxes.len() >= RECIPIENTS_MAX {
            return self.fault(format!("452 4.5.3 {RECIPIENTS_MAX} recipients at most"));
        }
        if envelope.mailboxes.is_empty() {
            envelope.route = route;
        } else if envelope.route != route {
            return self.fault("452 4.5.3 send mail to the test domain in a message of its own".to_owned());
        }
        envelope.mailboxes.push(mailbox);
        Next::say("250 2.1.5 ok")
    }

    async fn take_text<S: AsyncRead + AsyncWrite + Unpin>(&mut self, wire: &mut MailWire<S>) -> Result<Next, PeerLoss> {
        self.place.note(Work::Text);
        let next = self.take_mail(wire).await;
        self.place.note(Work::Commands);
        self.rest(true);
        next
    }

    async fn take_mail<S: AsyncRead + AsyncWrite + Unpin>(&mut self, wire: &mut MailWire<S>) -> Result<Next, PeerLoss> {
        let Some(envelope) = self.envelope.take() else { return Err(PeerLoss) };
        let settings = &self.shared.settings;
        wire.send_line(&format!("{}\r\n", verbs::GO_AHEAD), settings.command_timeout).await?;
        let text = tokio::select! {
            () = self.place.end().cancelled() => return Ok(Next::Bye(verbs::PLACE_NEEDED.to_owned())),
            text = wire.text(SIZE_MAX, settings.data_timeout, || self.place.note(Work::Text)) => text?,
        };
        self.place.note(Work::Ours);
        self.mails += 1;
        let raw = match text {
            Text::Whole(raw) => raw,
            Text::TooLarge => return Ok(Next::say(verbs::TOO_LARGE)),
            Text::TooSlow => return Ok(Next::Bye("421 4.4.2 the mail comes too slowly".to_owned())),
            Text::LineTooLong => return Ok(Next::say("554 5.6.0 a line may have 1000 bytes")),
            Text::BareEnd => return Ok(Next::say("550 5.6.11 lines end with CR and LF: neither stands alone")),
        };
        let verdict = match MailContent::read(&raw) {
            Some(content) => {
                let Envelope { sender, route, mailboxes } = envelope;
                // If only known servers may deliver, a sender is found at the address that its server names.
                let relayed_from = content.relayed_from.filter(|_| !settings.allowed.is_empty());
                let source = relayed_from.unwrap_or(self.peer);
                let mail = ReceivedMail { sender, route, mailboxes, source, content };
                self.shared.events.mail(mail).await
            }
            None => return Ok(Next::say("554 5.6.0 this is no mail")),
        };
        if verdict == MailVerdict::NotNow {
            tracing::warn!("a mail could not be stored");
        }
        Ok(Next::Say(verbs::reply_text(verdict)))
    }
}
