use std::net::IpAddr;

use domain::sms_products::email::{EmailAddress, Flow};
use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{
    charset,
    mail::{FromHeader, MailContent},
};

/// Longest `Message-ID` that is repeated, in characters.
const MESSAGE_ID_MAX: usize = 250;
/// Values of `Precedence` that get no answer.
const NOT_ANSWERED: [&str; 4] = ["bulk", "list", "junk", "auto_reply"];
/// Headers that only programs write.
const OF_PROGRAMS: [&str; 4] = ["List-Id", "X-Autoreply", "X-Autorespond", "X-Auto-Reply"];

impl MailContent {
    pub fn read(raw: &[u8]) -> Option<Self> {
        read(raw)
    }
}

pub(super) fn read(raw: &[u8]) -> Option<MailContent> {
    let message = MessageParser::default().parse(charset::strip_mark(raw))?;
    let (body, flow) = body(&message);
    Some(MailContent {
        from: from(&message),
        subject: message.subject().unwrap_or_default().to_owned(),
        body,
        flow,
        message_id: message.message_id().filter(|id| is_repeatable(id)).map(str::to_owned),
        automatic: is_automatic(&message),
        relayed_from: relayed_from(&message),
    })
}

fn from(message: &Message<'_>) -> FromHeader {
    let headers = message.headers().iter().filter(|header| header.name == HeaderName::From).count();
    let Some(addresses) = message.from() else {
        return if headers == 0 { FromHeader::Missing } else { FromHeader::Unclear };
    };
    let found: Vec<Option<EmailAddress>> =
        addresses.iter().map(|address| address.address().and_then(EmailAddress::parse)).collect();
    match found.as_slice() {
        [Some(one)] if headers == 1 => FromHeader::One(one.clone()),
        _ => FromHeader::Unclear,
    }
}

/// Only the first header is of the server that delivered the mail. Senders may have written the others.
fn relayed_from(message: &Message<'_>) -> Option<IpAddr> {
    let received = message.headers().iter().find(|header| header.name == HeaderName::Received)?;
    Some(received.value.as_received()?.from_ip?.to_canonical())
}

/// The first part with text: plain text before HTML.
fn body(message: &Message<'_>) -> (String, Flow) {
    // The library treats a text without a subtype as a file; by RFC 2045 it is plain text.
    let bare = message.parts.iter().enumerate().filter(|(_, part)| is_bare_text(part)).map(|(at, _)| at);
    let known = message.text_body.iter().filter_map(|at| usize::try_from(*at).ok());
    let mut places: Vec<usize> = known.chain(bare).collect();
    places.sort_unstable();
    places.extend(message.html_body.iter().filter_map(|at| usize::try_from(*at).ok()));
    let parts = places.into_iter().filter_map(|at| message.parts.get(at));
    let mut said = parts.filter_map(|part| Some((part_text(message, part)?, flow(part))));
    said.find(|(text, _)| !text.trim().is_empty()).unwrap_or((String::new(), Flow::Fixed))
}

fn part_text(message: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    match &part.body {
        PartType::Text(text) => Some(charset::text(message, part, false).unwrap_or_else(|| text.to_string())),
        PartType::Html(html) => {
            let html = charset::text(message, part, true).unwrap_or_else(|| html.to_string());
            Some(mail_parser::decoders::html::html_to_text(&html))
        }
        _ => None,
    }
}

fn is_bare_text(part: &MessagePart<'_>) -> bool {
    let kind = part.content_type();
    let is_bare = kind.is_some_and(|kind| {
        kind.ctype().eq_ignore_ascii_case("text") && kind.subtype().is_none_or(|subtype| subtype.trim().is_empty())
    });
    let is_file = part.content_disposition().is_some_and(|disposition| disposition.is_attachment());
    is_bare && !is_file && matches!(part.body, PartType::Text(_))
}

fn flow(part: &MessagePart<'_>) -> Flow {
    let kind = part.content_type().filter(|_| matches!(part.body, PartType::Text(_)));
    let says = |name: &str, value: &str| {
        let said = kind.and_then(|kind| kind.attribute(name));
        said.is_some_and(|said| said.eq_ignore_ascii_case(value))
    };
    if says("format", "flowed") { Flow::Flowed { del_sp: says("delsp", "yes") } } else { Flow::Fixed }
}

/// True if the mail was written by a program, or to many. An answer to it may be answered by a program (RFC 3834).
fn is_automatic(message: &Message<'_>) -> bool {
    // By their raw names: which ones the library knows changes with its version.
    let raw = |name: &str| message.headers_raw().find(|(found, _)| found.eq_ignore_ascii_case(name));
    let said = |name: &str| raw(name).map(|(_, value)| value.trim().to_ascii_lowercase());
    let submitted = said("Auto-Submitted").is_some_and(|said| {
        let keyword = said.split([';', ' ', '\t', '(']).next().unwrap_or_default();
        keyword != "no"
    });
    let precedence = said("Precedence").is_some_and(|said| NOT_ANSWERED.contains(&said.as_str()));
    let of_programs = OF_PROGRAMS.into_iter().any(|name| raw(name).is_some());
    let report = message.content_type().is_some_and(|kind| {
        kind.ctype().eq_ignore_ascii_case("multipart")
            && kind.subtype().is_some_and(|kind| kind.eq_ignore_ascii_case("report"))
    });
    submitted || precedence || of_programs || report
}

fn is_repeatable(id: &str) -> bool {
    let plain = id.bytes().all(|one| one.is_ascii_graphic() && !b"<>".contains(&one));
    plain && (1..=MESSAGE_ID_MAX).contains(&id.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(raw: &str) -> MailContent {
        read(raw.replace('\n', "\r\n").as_bytes()).unwrap()
    }

    fn address(text: &str) -> FromHeader {
        FromHeader::One(EmailAddress::parse(text).unwrap())
    }

    #[test]
    fn a_plain_mail_is_read() {
        let read =
            content("From: Thandi <thandi@Example.com>\nSubject: pass word\nMessage-ID: <1@x>\n\nHello\n\nBye\n");
        assert_eq!(read.from, address("thandi@example.com"));
        assert_eq!((read.subject.as_str(), read.message_id.as_deref()), ("pass word", Some("1@x")));
        assert_eq!((read.body.trim_end(), read.flow, read.automatic), ("Hello\r\n\r\nBye", Flow::Fixed, false));
    }

    #[test]
    fn the_address_of_a_relayed_mail_is_that_of_its_first_received_header() {
        let from = |headers: &str| content(&format!("{headers}Subject: x\n\nHello\n")).relayed_from;
        let forged = "Received: from a.example (b.example [192.0.2.66]) by c.example with ESMTP; \
                      Fri, 27 Nov 2026 10:00:00 +0200\n";
        let relay = "Received: from [192.0.2.66] (office.example [198.51.100.7])\n\
                     \tby mx.example (Postfix) with ESMTPS id 4X; Fri, 27 Nov 2026 10:00:01 +0200 (SAST)\n";
        assert_eq!(from(&format!("{relay}{forged}")), Some("198.51.100.7".parse().unwrap()));
        let version_6 =
            "Received: from x (x [IPv6:2001:db8::7]) by mx.example with ESMTP; Fri, 27 Nov 2026 10:00:01 +0200\n";
        assert_eq!(from(version_6), Some("2001:db8::7".parse().unwrap()));
        assert_eq!(from(""), None);
    }

    #[test]
    fn encodings_and_character_sets_are_undone() {
        let coded = |charset: &str, encoding: &str, body: &str| {
            content(&format!(
                "From: a@b.c\nSubject: =?utf-8?B?cMOkc3M=?= =?iso-8859-1?Q?w=F6rd?=\nMIME-Version: 1.0\n\
                 Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n{body}\n"
            ))
        };
        let read = coded("iso-8859-1", "quoted-printable", "Gr=FC=\n=DFe");
        assert_eq!((read.body.trim(), read.subject.as_str()), ("Grüße", "pässwörd"));
        assert_eq!(coded("utf-8", "base64", "R3LDvMOfZQo=").body.trim(), "Grüße");
        assert_eq!(coded("windows-1251", "base64", "z/Do4uXy").body.trim(), "Привет");
        assert_eq!(coded("iso-2022-jp", "base64", "GyRCRnxLXBsoQg==").body.trim(), "日本");
    }

    #[test]
    fn a_text_without_a_subtype_is_plain_text() {
        for kind in ["text", "TEXT", "text; charset=iso-8859-1", "text/", "text/; format=fixed"] {
            let read = content(&format!("From: a@b.c\nMIME-Version: 1.0\nContent-Type: {kind}\n\nHello you\n"));
            assert_eq!(read.body.trim(), "Hello you", "{kind}");
        }
        let read = content(
            "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=in\n\n--in\n\
             Content-Type: text\n\nPlain\n--in\nContent-Type: text/html\n\n<b>Rich</b>\n--in--\n",
        );
        assert_eq!(read.body.trim(), "Plain");
        let read = content(
            "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=in\n\n--in\n\
             Content-Type: text\nContent-Disposition: attachment\n\nA file\n--in\nContent-Type: text/html\n\n<b>Rich</b>\n--in--\n",
        );
        assert_eq!(read.body.trim(), "Rich");
    }

    #[test]
    fn the_type_of_the_bytes_takes_precedence_over_the_declared_type() {
        let of = |kind: &str, encoding: &str, body: &[u8]| {
            let head = format!(
                "From: a@b.c\r\nMIME-Version: 1.0\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
            );
            read(&[head.as_bytes(), body, b"\r\n"].concat()).unwrap().body.trim().to_owned()
        };
        assert_eq!(of("text/plain; charset=iso-8859-1", "8bit", "Grüße".as_bytes()), "Grüße");
        assert_eq!(of("text/plain; charset=us-ascii", "quoted-printable", b"Gr=C3=BC=C3=9Fe"), "Grüße");
        assert_eq!(of("text/plain; charset=windows-1252", "base64", b"77u/R3LDvMOfZQ=="), "Grüße");
        assert_eq!(of("text/html", "8bit", b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>"), "Привет");
        let marked = read(b"\xef\xbb\xbfFrom: a@b.c\r\nSubject: word\r\n\r\n\xef\xbb\xbfHello\r\n").unwrap();
        assert_eq!((marked.from, marked.subject.as_str(), marked.body.trim()), (address("a@b.c"), "word", "Hello"));
    }

    #[test]
    fn the_plain_text_part_of_a_mail_takes_precedence() {
        let read = content(
            "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=out\n\n--out\n\
             Content-Type: multipart/alternative; boundary=in\n\n--in\nContent-Type: text/plain; format=Flowed; delsp=yes\n\n\
             Plain \ntext\n--in\nContent-Type: text/html\n\n<b>Rich</b>\n--in--\n--out\nContent-Type: image/png\n\
             Content-Disposition: attachment\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--out--\n",
        );
        assert_eq!((read.body.trim(), read.flow), ("Plain \r\ntext", Flow::Flowed { del_sp: true }));
    }

    #[test]
    fn the_text_of_an_html_mail_comes_from_its_html() {
        let html = "<html><head><style>p{}</style></head><body><p>Hello &amp; <b>you</b></p><p>&nbsp;</p><p>Regards</p></body></html>";
        let read =
            content(&format!("From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n{html}\n"));
        assert_eq!(domain::sms_products::email::text_of(&read.body, read.flow), "Hello & you", "{:?}", read.body);
    }

    #[test]
    fn an_empty_plain_part_is_ignored_in_favour_of_html() {
        let read = content(
            "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=in\n\n--in\n\
             Content-Type: text/plain\n\n \n--in\nContent-Type: text/html\n\n<div>Rich</div>\n--in--\n",
        );
        assert_eq!(read.body.trim(), "Rich");
    }

    #[test]
    fn several_senders_are_ambiguous() {
        assert_eq!(content("From: a@b.c, d@e.f\n\nx\n").from, FromHeader::Unclear);
        assert_eq!(content("From: a@b.c\nFrom: d@e.f\n\nx\n").from, FromHeader::Unclear);
        assert_eq!(content("From: nobody\n\nx\n").from, FromHeader::Unclear);
        assert_eq!(content("Subject: x\n\nx\n").from, FromHeader::Missing);
    }

    #[test]
    fn mail_written_by_programs_is_automatic() {
        for header in [
            "Auto-Submitted: auto-replied",
            "Auto-Submitted: auto-generated; owner-email=x",
            "auto-submitted: Auto-Notified",
            "Precedence: Bulk",
            "Precedence: list",
            "List-Id: <x.y>",
            "X-Autoreply: yes",
            "Content-Type: multipart/report; report-type=delivery-status; boundary=x",
        ] {
            assert!(content(&format!("From: a@b.c\n{header}\n\nx\n")).automatic, "{header}");
        }
        for header in ["Auto-Submitted: no", "Auto-Submitted: No (really)", "Precedence: first-class", "X-Mailer: x"] {
            assert!(!content(&format!("From: a@b.c\n{header}\n\nx\n")).automatic, "{header}");
        }
    }

    #[test]
    fn an_id_that_cannot_be_echoed_is_none() {
        let long = "x".repeat(251);
        for id in ["a b@c", "é@x", long.as_str()] {
            assert_eq!(content(&format!("From: a@b.c\nMessage-ID: <{id}>\n\nx\n")).message_id, None, "{id}");
        }
    }
}
