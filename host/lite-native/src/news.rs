//! Events of the library in our words (PROVIDERS D.1, D.2).

use channels::whatsapp_lite::{DeviceEvent, QrCode, REFUSED_BY_DEVICE};
use domain::{
    inbound::{ProviderFailure, ProviderStatus, StatusUpdate},
    lite::SessionNews,
};
use whatsapp_rust::types::{
    events::{ConnectFailureReason, DecryptFailMode, Event, Receipt, ServerAck},
    presence::ReceiptType,
};

use super::message_event;

/// How long a number is kept out that WhatsApp has flagged without saying for how long (SPEC 3.3: up to 24 hours).
const LONGEST_BAN: u32 = 24 * 60 * 60;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum EventMeaning {
    Told(Vec<DeviceEvent>),
    /// The event is reported, and the connection is over: the holder of the session decides about the next one.
    Over(DeviceEvent),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ConnectionStage {
    paired: bool,
    /// The stages before the last one were told.
    logged_in: bool,
}

impl ConnectionStage {
    /// Takes an event of the library; messages of customers come by another way.
    pub(super) fn observe(&mut self, event: &Event) -> EventMeaning {
        use SessionNews as News;
        let over = |news: News| EventMeaning::Over(DeviceEvent::Session(news));
        match event {
            Event::PairingQrCode(code) => {
                let seconds = u32::try_from(code.timeout.as_secs()).unwrap_or(u32::MAX);
                EventMeaning::Told(vec![DeviceEvent::Qr(QrCode { text: code.code.clone(), seconds })])
            }
            Event::PairSuccess(_) => {
                self.paired = true;
                session_events(&[News::Paired])
            }
            Event::AppStateSyncFailed(_) => {
                session_events(&[&self.connection_stages()[..], &[News::SyncFailed]].concat())
            }
            Event::Connected(_) => session_events(&[&self.connection_stages()[..], &[News::Synced]].concat()),
            Event::PairingQrCodesExhausted(_) => over(News::QrTimeout),
            Event::PairError(_) | Event::QrScannedWithoutMultidevice(_) => over(News::PairFailed),
            Event::LoggedOut(_) => over(News::LoggedOut),
            Event::StreamReplaced(_) => over(News::Replaced),
            Event::TemporaryBan(ban) => {
                let seconds = ban.expire.num_seconds().clamp(0, i64::from(LONGEST_BAN));
                EventMeaning::Over(DeviceEvent::Banned(u32::try_from(seconds).unwrap_or(LONGEST_BAN)))
            }
            Event::ConnectFailure(failure) if failure.reason == ConnectFailureReason::TempBanned => {
                EventMeaning::Over(DeviceEvent::Banned(LONGEST_BAN))
            }
            Event::ConnectFailure(failure) if failure.reason.is_logged_out() => over(News::LoggedOut),
            Event::Disconnected(_) | Event::ConnectFailure(_) | Event::ClientOutdated(_) => over(News::Dropped),
            Event::Receipt(receipt) => EventMeaning::Told(receipts(receipt)),
            Event::ServerAck(ack) => EventMeaning::Told(acknowledgement_event(ack).into_iter().collect()),
            // WhatsApp hides the others, such as votes in polls.
            Event::UndecryptableMessage(event) if event.decrypt_fail_mode == DecryptFailMode::Show => {
                EventMeaning::Told(message_event::placeholder(&event.info).into_iter().collect())
            }
            _ => EventMeaning::Told(Vec::new()),
        }
    }

    /// The stages from the request of a connection until it works. The library reports only the last one, after all have passed.
    fn connection_stages(&mut self) -> Vec<SessionNews> {
        if std::mem::replace(&mut self.logged_in, true) {
            return Vec::new();
        }
        let login = if self.paired { SessionNews::LoggedInFirst } else { SessionNews::LoggedIn };
        vec![SessionNews::SocketUp, SessionNews::Authenticated, login]
    }
}

fn session_events(news: &[SessionNews]) -> EventMeaning {
    EventMeaning::Told(news.iter().copied().map(DeviceEvent::Session).collect())
}

fn status_update(id: &str, status: ProviderStatus, at: chrono::DateTime<chrono::Utc>) -> StatusUpdate {
    StatusUpdate {
        provider_id: id.to_owned(),
        opaque: None,
        status,
        at,
        recipient: None,
        recipient_user_id: None,
        error: None,
    }
}

/// Receipts of customers; those of our own phone, and those about the protocol, are none.
fn receipts(receipt: &Receipt) -> Vec<DeviceEvent> {
    if receipt.source.is_from_me || receipt.source.is_group {
        return Vec::new();
    }
    let status = match receipt.r#type {
        ReceiptType::Sent => ProviderStatus::Sent,
        ReceiptType::Delivered => ProviderStatus::Delivered,
        ReceiptType::Read => ProviderStatus::Read,
        ReceiptType::Played => ProviderStatus::Played,
        _ => return Vec::new(),
    };
    let of = |id: &String| DeviceEvent::Moved(status_update(id, status, receipt.timestamp));
    receipt.message_ids.iter().map(of).collect()
}

fn acknowledgement_event(ack: &ServerAck) -> Option<DeviceEvent> {
    if ack.class.as_deref() != Some("message") {
        return None;
    }
    let at = ack.timestamp.unwrap_or_else(whatsapp_rust::wacore::time::now_utc);
    let Some(code) = &ack.error else {
        return Some(DeviceEvent::Moved(status_update(&ack.id, ProviderStatus::Sent, at)));
    };
    let text = format!("WhatsApp refused the message with code {code}");
    let error = Some(ProviderFailure { code: REFUSED_BY_DEVICE, text });
    Some(DeviceEvent::Moved(StatusUpdate { error, ..status_update(&ack.id, ProviderStatus::Failed, at) }))
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use chrono::{DateTime, TimeDelta, Utc};
    use whatsapp_rust::{
        Jid,
        types::{
            events::{
                AppStateSyncFailed, ClientOutdated, ConnectFailure, Connected, Disconnected, LoggedOut, PairError,
                PairSuccess, PairingQrCode, PairingQrCodesExhausted, QrScannedWithoutMultidevice, StreamReplaced,
                TempBanReason, TemporaryBan, UnavailableType, UndecryptableMessage,
            },
            message::{MessageInfo, MessageSource},
        },
        wacore::net::DisconnectReason,
    };

    use super::*;

    fn heard(events: &[Event]) -> Vec<EventMeaning> {
        let mut stage = ConnectionStage::default();
        events.iter().map(|event| stage.observe(event)).collect()
    }

    fn words(heard: &[EventMeaning]) -> Vec<&'static str> {
        let session = |event: &DeviceEvent| match event {
            DeviceEvent::Session(news) => news.words(),
            DeviceEvent::Qr(_) => SessionNews::QrIssued.words(),
            DeviceEvent::Banned(_) => SessionNews::Banned.words(),
            other => panic!("{other:?} is not about the session"),
        };
        let of = |heard: &EventMeaning| match heard {
            EventMeaning::Told(events) => events.iter().map(session).collect(),
            EventMeaning::Over(event) => vec![session(event)],
        };
        heard.iter().flat_map(of).collect()
    }

    fn connected() -> Event {
        Event::Connected(Connected::builder().build())
    }

    fn sync_failed() -> Event {
        let nothing = Vec::new;
        let failed = AppStateSyncFailed::builder().fatal(nothing()).retryable(nothing()).skipped(nothing());
        Event::AppStateSyncFailed(failed.connected(true).build())
    }

    fn paired() -> Event {
        let paired = PairSuccess::builder().id(Jid::pn("27820001002")).lid(Jid::lid("100"));
        Event::PairSuccess(paired.business_name(String::new()).platform("android".to_owned()).build())
    }

    fn code() -> Event {
        let code = PairingQrCode::builder().code("2@AB,CD".to_owned()).timeout(Duration::from_secs(60)).build();
        Event::PairingQrCode(code)
    }

    fn refused(reason: ConnectFailureReason) -> Event {
        Event::ConnectFailure(ConnectFailure::builder().reason(reason).build())
    }

    #[test]
    fn a_first_pairing_reports_every_stage_in_order() {
        assert_eq!(
            words(&heard(&[code(), paired(), connected()])),
            [
                "Connecting...",
                "Paired Successfully",
                "Connected",
                "Connected (Authenticated)",
                "Logged In",
                "Sync Complete. You can now send messages",
            ]
        );
    }

    #[test]
    fn a_later_login_is_reported_as_such() {
        let told = words(&heard(&[connected()]));
        assert_eq!(told[2..], ["Logged In Successfully", "Sync Complete. You can now send messages"]);
    }

    #[test]
    fn a_fault_while_syncing_is_reported_once_before_the_end() {
        let told = words(&heard(&[sync_failed(), connected()]));
        assert_eq!(
            told[2..],
            [
                "Logged In Successfully",
                "Syncing metadata (errors occurred)...",
                "Sync Complete. You can now send messages"
            ]
        );
    }

    #[test]
    fn a_code_has_its_remaining_time() {
        let code = QrCode { text: "2@AB,CD".to_owned(), seconds: 60 };
        assert_eq!(heard(&[self::code()]), [EventMeaning::Told(vec![DeviceEvent::Qr(code)])]);
    }

    #[test]
    fn the_cause_of_a_lost_connection_is_reported_with_its_text() {
        let out =
            Event::LoggedOut(LoggedOut::builder().on_connect(false).reason(ConnectFailureReason::LoggedOut).build());
        let pair_error = PairError::builder().id(Jid::default()).lid(Jid::default()).business_name(String::new());
        let ends = [
            (
                Event::PairingQrCodesExhausted(PairingQrCodesExhausted::builder().disconnected(true).build()),
                "Disconnected: QR Code timeout",
            ),
            (Event::PairError(pair_error.platform(String::new()).error(String::new()).build()), "Paired Failed"),
            (Event::QrScannedWithoutMultidevice(QrScannedWithoutMultidevice::builder().build()), "Paired Failed"),
            (out, "Logged Out"),
            (refused(ConnectFailureReason::AccountLocked), "Logged Out"),
            (Event::StreamReplaced(StreamReplaced::builder().build()), "Disconnected: Logged in on another device"),
            (
                Event::Disconnected(Disconnected::builder().reason(DisconnectReason::StreamEnded).build()),
                "Disconnected",
            ),
            (refused(ConnectFailureReason::ServiceUnavailable), "Disconnected"),
            (Event::ClientOutdated(ClientOutdated::builder().build()), "Disconnected"),
        ];
        for (event, text) in ends {
            let heard = heard(std::slice::from_ref(&event));
            assert!(matches!(heard.as_slice(), [EventMeaning::Over(_)]), "{event:?}");
            assert_eq!(words(&heard), [text], "{event:?}");
        }
    }

    #[test]
    fn a_flagged_number_stays_disconnected_for_the_time_given_by_whatsapp_and_a_day_at_most() {
        let ban = |length: TimeDelta| {
            let ban = TemporaryBan::builder().code(TempBanReason::SentToTooManyPeople).expire(length).build();
            heard(&[Event::TemporaryBan(ban)])
        };
        let kept_out = |seconds| [EventMeaning::Over(DeviceEvent::Banned(seconds))];
        assert_eq!(ban(TimeDelta::seconds(90)), kept_out(90));
        assert_eq!(ban(TimeDelta::hours(24)), kept_out(86_400));
        assert_eq!(ban(TimeDelta::hours(25)), kept_out(86_400));
        assert_eq!(ban(TimeDelta::seconds(-1)), kept_out(0));
        assert_eq!(heard(&[refused(ConnectFailureReason::TempBanned)]), kept_out(86_400));
    }

    fn receipt(kind: ReceiptType, source: MessageSource) -> Vec<EventMeaning> {
        let ids = vec!["A".to_owned(), "B".to_owned()];
        let receipt = Receipt::builder().source(source).message_ids(ids).timestamp(DateTime::UNIX_EPOCH).r#type(kind);
        heard(&[Event::Receipt(receipt.offline(false).build())])
    }

    fn statuses(heard: &[EventMeaning]) -> Vec<(String, ProviderStatus)> {
        let of = |event: &DeviceEvent| match event {
            DeviceEvent::Moved(status) => (status.provider_id.clone(), status.status),
            other => panic!("{other:?} is no receipt"),
        };
        let all = |heard: &EventMeaning| match heard {
            EventMeaning::Told(events) => events.iter().map(of).collect::<Vec<_>>(),
            EventMeaning::Over(event) => vec![of(event)],
        };
        heard.iter().flat_map(all).collect()
    }

    #[test]
    fn a_receipt_moves_every_message_that_it_names() {
        let kinds = [
            (ReceiptType::Sent, ProviderStatus::Sent),
            (ReceiptType::Delivered, ProviderStatus::Delivered),
            (ReceiptType::Read, ProviderStatus::Read),
            (ReceiptType::Played, ProviderStatus::Played),
        ];
        for (kind, status) in kinds {
            let told = statuses(&receipt(kind, MessageSource::default()));
            assert_eq!(told, [("A".to_owned(), status), ("B".to_owned(), status)]);
        }
    }

    #[test]
    fn receipts_about_the_protocol_and_of_our_own_phone_move_nothing() {
        for kind in [ReceiptType::Retry, ReceiptType::Sender, ReceiptType::ReadSelf, ReceiptType::Inactive] {
            assert_eq!(statuses(&receipt(kind, MessageSource::default())), []);
        }
        let own = MessageSource { is_from_me: true, ..MessageSource::default() };
        assert_eq!(statuses(&receipt(ReceiptType::Read, own)), []);
        let group = MessageSource { is_group: true, ..MessageSource::default() };
        assert_eq!(statuses(&receipt(ReceiptType::Read, group)), []);
    }

    fn ack(class: &str, error: Option<&str>) -> EventMeaning {
        let ack =
            ServerAck::builder().id("3EB0".to_owned()).class(class.to_owned()).timestamp(DateTime::<Utc>::UNIX_EPOCH);
        let ack = ack.maybe_error(error.map(str::to_owned)).build();
        ConnectionStage::default().observe(&Event::ServerAck(ack))
    }

    #[test]
    fn a_message_that_whatsapp_took_is_sent_and_one_that_it_refused_has_failed() {
        assert_eq!(statuses(&[ack("message", None)]), [("3EB0".to_owned(), ProviderStatus::Sent)]);
        let EventMeaning::Told(events) = ack("message", Some("479")) else { panic!("it is told") };
        let [DeviceEvent::Moved(status)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(status.status, ProviderStatus::Failed);
        let error = status.error.as_ref().unwrap();
        assert_eq!(
            (error.code, error.text.as_str()),
            (REFUSED_BY_DEVICE, "WhatsApp refused the message with code 479")
        );
    }

    #[test]
    fn a_message_that_cannot_be_decrypted_is_reported_unless_whatsapp_hides_it() {
        let zo = Jid::pn("27820000001");
        let source = MessageSource { chat: zo.clone(), sender: zo, ..MessageSource::default() };
        let info = Arc::new(MessageInfo { source, id: "3A01".to_owned(), ..MessageInfo::default() });
        let told = |mode: DecryptFailMode| {
            let event = UndecryptableMessage::builder().info(Arc::clone(&info)).is_unavailable(false);
            let event = event.unavailable_type(UnavailableType::Unknown).decrypt_fail_mode(mode).build();
            heard(&[Event::UndecryptableMessage(event)])
        };
        let shown = told(DecryptFailMode::Show);
        let [EventMeaning::Told(events)] = shown.as_slice() else { panic!("{shown:?}") };
        assert!(matches!(events.as_slice(), [DeviceEvent::Came(_)]), "{events:?}");
        assert_eq!(told(DecryptFailMode::Hide), [EventMeaning::Told(Vec::new())]);
    }

    #[test]
    fn other_acknowledgements_of_whatsapp_are_not_reported() {
        assert_eq!(ack("receipt", None), EventMeaning::Told(Vec::new()));
    }
}
