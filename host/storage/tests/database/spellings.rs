//! Numbers that have two spellings, in a real database: one customer, found by either.

use domain::{
    address::Address,
    channel::Channel,
    chat::{ChatScope, ParticipantState},
    clock::IdSource,
    ids::{ContactId, CustomerId, ParticipantId, UserId},
    numbering,
    page::PageRequest,
    search::{self, SearchText},
};
use people::{Introduction, change_address, resolve_many, resolve_sent};
use storage::{
    PgConnection,
    chat::{conversations, lists, participants, search as chat_search},
    outbound::recipient_facts::{self, Questions, RecipientQuestion, SendBar},
    people::{customers, inbox_customers, marketing_stops},
    sms::products::opt_outs::{self, StopRequest},
    tenancy::{blocklist, contacts},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, bsuid, database, moment, phone, resolve};

/// With and without the ninth digit of Brazil, the 9 of Argentina and the 1 of Mexico.
const PAIRS: [(&str, &str); 3] =
    [("5511987654321", "551187654321"), ("5491123456789", "541123456789"), ("5215512345678", "525512345678")];

fn ids() -> IdSource {
    IdSource::new([3; 32])
}

fn of(addresses: &[Address]) -> Introduction {
    Introduction { addresses: addresses.to_vec(), ..Introduction::default() }
}

async fn customer_of(db: &mut PgConnection, ids: &IdSource, digits: &str) -> CustomerId {
    resolve_many(db, CLIENT, ids, &[&phone(digits)], moment(5)).await.unwrap().remove(0)
}

async fn barred(db: &mut PgConnection, digits: &str) -> Option<SendBar> {
    let address = phone(digits);
    let asked = [
        RecipientQuestion { address: &phone("27820000009"), marketing: true },
        RecipientQuestion { address: &address, marketing: true },
    ];
    let questions = Questions { recipients: asked.to_vec(), ..Questions::default() };
    let standing = recipient_facts::load(db, CLIENT, &questions, moment(0)).await.unwrap();
    assert!(!standing.barred.contains_key(&0));
    standing.barred.get(&1).copied()
}

#[tokio::test]
async fn a_customer_is_known_by_both_spellings_and_shown_by_the_one_that_was_used() {
    let (mut db, ids) = (database().await, ids());
    for (one, other) in PAIRS {
        let who = resolve(&mut db, CLIENT, &ids, of(&[phone(one)]), moment(1)).await.unwrap();
        let known = customers::find_by_address(&mut db, CLIENT, &phone(other)).await.unwrap().unwrap();
        assert_eq!((known.id, known.phone()), (who, Some(one)));
        inbox_customers::record_inbound(&mut db, CLIENT, INBOX, &known, moment(1)).await.unwrap();
        let facts = inbox_customers::facts(&mut db, CLIENT, INBOX, &[&phone(other)]).await.unwrap();
        assert_eq!(facts[&phone(other)].last_inbound_at, Some(moment(1)), "the window is open");
        // A send to the other spelling says nothing of how the number is written; a message from it does.
        assert_eq!(customer_of(&mut db, &ids, other).await, who);
        assert_eq!(customers::find(&mut db, CLIENT, who).await.unwrap().unwrap().phone(), Some(one));
        assert_eq!(resolve(&mut db, CLIENT, &ids, of(&[phone(other)]), moment(9)).await.unwrap(), who);
        assert_eq!(customers::find(&mut db, CLIENT, who).await.unwrap().unwrap().phone(), Some(other));
    }
}

#[tokio::test]
async fn both_spellings_of_a_recipient_are_one_customer_shown_with_the_providers_spelling() {
    let (mut db, ids) = (database().await, ids());
    for (one, other) in PAIRS {
        let both = resolve_many(&mut db, CLIENT, &ids, &[&phone(one), &phone(other)], moment(1)).await.unwrap();
        assert_eq!(both[0], both[1]);
    }
    let people: i64 = sqlx::query_scalar("SELECT count(*) FROM customer").fetch_one(&mut db).await.unwrap();
    assert_eq!(people, 3);
    let (written, canonical) = (phone("5531999998888"), phone("553199998888"));
    let who = customer_of(&mut db, &ids, written.value()).await;
    let named = [canonical.clone()];
    for seconds in [6, 7] {
        let sent = resolve_sent(&mut db, CLIENT, &ids, &[(&written, &named)], moment(seconds)).await.unwrap().who;
        assert_eq!(sent, [who]);
        assert_eq!(customers::find(&mut db, CLIENT, who).await.unwrap().unwrap().phone(), Some(canonical.value()));
    }
}

#[tokio::test]
async fn two_customers_of_one_number_become_one_with_the_next_event() {
    let (mut db, ids) = (database().await, ids());
    // As they were made before the numbers were known to be one.
    let first = customer_of(&mut db, &ids, "27820000001").await;
    let second = customer_of(&mut db, &ids, "27820000002").await;
    for (from, to) in [("27820000001", PAIRS[0].0), ("27820000002", PAIRS[0].1)] {
        sqlx::query("UPDATE customer_address SET value = $2 WHERE value = $1")
            .bind(from)
            .bind(to)
            .execute(&mut db)
            .await
            .unwrap();
    }
    assert_ne!(first, second);
    assert_eq!(customer_of(&mut db, &ids, PAIRS[0].1).await, second, "a send merges no customers");
    let event = of(&[phone(PAIRS[0].1), bsuid("BR.1")]);
    assert_eq!(resolve(&mut db, CLIENT, &ids, event, moment(9)).await.unwrap(), first);
    assert_eq!(customer_of(&mut db, &ids, PAIRS[0].0).await, customer_of(&mut db, &ids, PAIRS[0].1).await);
}

#[tokio::test]
async fn a_number_passes_on_or_is_released_in_both_spellings() {
    let (mut db, ids) = (database().await, ids());
    let (one, other) = (phone(PAIRS[0].0), phone(PAIRS[0].1));
    let first = resolve(&mut db, CLIENT, &ids, of(&[one.clone(), bsuid("BR.1")]), moment(1)).await.unwrap();
    let moved = of(&[phone("27820000005"), bsuid("BR.1")]);
    assert_eq!(resolve(&mut db, CLIENT, &ids, moved, moment(2)).await.unwrap(), first);
    // Another person has the number now, and is told of by the other spelling.
    let second = resolve(&mut db, CLIENT, &ids, of(&[other.clone(), bsuid("BR.2")]), moment(3)).await.unwrap();
    assert_ne!(first, second);
    for spelled in [&one, &other] {
        assert_eq!(customers::find_by_address(&mut db, CLIENT, spelled).await.unwrap().unwrap().id, second);
    }
    change_address(&mut db, CLIENT, &ids, &one, of(&[phone("27820000006")]), moment(4)).await.unwrap();
    for spelled in [&one, &other] {
        assert_eq!(customers::find_by_address(&mut db, CLIENT, spelled).await.unwrap(), None);
    }
    // A change from one spelling to the other is none: both stay.
    let third = resolve(&mut db, CLIENT, &ids, of(std::slice::from_ref(&one)), moment(5)).await.unwrap();
    change_address(&mut db, CLIENT, &ids, &one, of(std::slice::from_ref(&other)), moment(6)).await.unwrap();
    for spelled in [&one, &other] {
        assert_eq!(customers::find_by_address(&mut db, CLIENT, spelled).await.unwrap().unwrap().id, third);
    }
}

#[tokio::test]
async fn a_block_and_a_marketing_stop_hold_for_both_spellings() {
    let (mut db, ids) = (database().await, ids());
    for (one, other) in PAIRS {
        assert_eq!(barred(&mut db, other).await, None);
        let who = customer_of(&mut db, &ids, one).await;
        marketing_stops::stop(&mut db, CLIENT, who, moment(1)).await.unwrap();
        assert_eq!(barred(&mut db, other).await, Some(SendBar::MarketingStopped));
        assert_eq!(blocklist::add(&mut db, CLIENT, &[phone(one)], None, moment(1)).await.unwrap(), 1);
        assert_eq!(blocklist::add(&mut db, CLIENT, &[phone(other)], None, moment(2)).await.unwrap(), 0, "it is there");
        for spelled in [one, other] {
            assert_eq!(barred(&mut db, spelled).await, Some(SendBar::Blocked));
            let sought = SearchText::parse(&format!("+{spelled}"));
            let (found, total) =
                blocklist::page(&mut db, CLIENT, sought.as_ref(), PageRequest::first(10)).await.unwrap();
            assert_eq!((found[0].address.value(), total), (one, 1));
        }
        assert!(!blocklist::remove(&mut db, STRANGER, &phone(other)).await.unwrap());
        assert!(blocklist::remove(&mut db, CLIENT, &phone(other)).await.unwrap());
        assert_eq!(barred(&mut db, one).await, Some(SendBar::MarketingStopped));
    }
}

#[tokio::test]
async fn blocked_recipients_are_found_by_a_part_however_it_is_written() {
    let mut db = database().await;
    let blocked = [phone("27830000001"), bsuid("ZA.Ab12")];
    assert_eq!(blocklist::add(&mut db, CLIENT, &blocked, None, moment(1)).await.unwrap(), 2);
    for (text, expected) in [
        ("+27 83 000", vec!["27830000001"]),
        ("0027 83", vec!["27830000001"]),
        ("(083) 000-0001", vec!["27830000001"]),
        ("0000001", vec!["27830000001"]),
        ("za.ab", vec!["ZA.Ab12"]),
        ("", vec!["ZA.Ab12", "27830000001"]),
        ("99", vec![]),
        ("%", vec![]),
    ] {
        let sought = SearchText::parse(text);
        let (found, total) = blocklist::page(&mut db, CLIENT, sought.as_ref(), PageRequest::first(10)).await.unwrap();
        let found: Vec<&str> = found.iter().map(|one| one.address.value()).collect();
        assert_eq!((found, total), (expected.clone(), i64::try_from(expected.len()).unwrap()), "{text}");
    }
}

#[tokio::test]
async fn a_user_id_whose_number_is_blocked_in_another_spelling_has_no_number_to_fall_back_on() {
    let (mut db, ids) = (database().await, ids());
    let (one, other) = PAIRS[0];
    let who = resolve(&mut db, CLIENT, &ids, of(&[phone(one), bsuid("BR.1")]), moment(1)).await.unwrap();
    let known = customers::find(&mut db, CLIENT, who).await.unwrap().unwrap();
    inbox_customers::record_inbound(&mut db, CLIENT, INBOX, &known, moment(1)).await.unwrap();
    let user_id = bsuid("BR.1");
    let phones = inbox_customers::phones(&mut db, CLIENT, INBOX, &[&user_id]).await.unwrap();
    assert_eq!(phones.get(&user_id), Some(&phone(one)));
    blocklist::add(&mut db, CLIENT, &[phone(other)], None, moment(2)).await.unwrap();
    assert!(inbox_customers::phones(&mut db, CLIENT, INBOX, &[&user_id]).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_subscriber_who_stopped_has_stopped_by_either_spelling() {
    let mut db = database().await;
    for (one, other) in PAIRS {
        let opt_out = StopRequest { source: "27600000001", subscriber: one, keyword: "STOP" };
        opt_outs::stop(&mut db, CLIENT, opt_out, moment(1)).await.unwrap();
        for spelled in [one, other] {
            let stopped = opt_outs::find_stopped(&mut db, CLIENT, &[("27600000001", spelled)]).await.unwrap();
            assert!(stopped.contains("27600000001", one) && stopped.contains("27600000001", other), "{spelled}");
            assert!(!stopped.contains("27600000001", "27820000001"));
        }
        assert_eq!(opt_outs::resume(&mut db, CLIENT, None, other).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn an_entry_of_the_address_book_and_a_conversation_are_found_by_either_spelling() {
    let (mut db, ids) = (database().await, ids());
    let (one, other) = PAIRS[0];
    let who = customer_of(&mut db, &ids, one).await;
    let known = customers::find(&mut db, CLIENT, who).await.unwrap().unwrap();
    let phones: Vec<&str> = known.addresses.iter().map(Address::value).collect();
    assert_eq!(phones, [one, other]);
    let contact = ContactId(Uuid::from_u128(700));
    let entry = contacts::NewEntry { contact, customer: who, name: "João", phones: &phones };
    contacts::insert(&mut db, CLIENT, entry, moment(1)).await.unwrap();
    assert_eq!(contacts::search(&mut db, CLIENT, other, other, PageRequest::first(10)).await.unwrap().1, 1);
    assert_eq!(
        contacts::search(&mut db, CLIENT, &search::fold("JOAO"), "", PageRequest::first(10)).await.unwrap().1,
        1
    );
    let new = conversations::NewConversation {
        id: domain::ids::ConversationId(Uuid::from_u128(1)),
        inbox: INBOX,
        customer: who,
        participant: domain::ids::ConversationParticipantId(Uuid::from_u128(2)),
        recipient: Some(one.to_owned()),
        customer_user_id: None,
        expires_at: moment(1_000),
    };
    assert!(conversations::open(&mut db, CLIENT, &new, moment(1)).await.unwrap());
    let active = conversations::active_with(&mut db, CLIENT, INBOX, &[&phone(other)], moment(2)).await.unwrap();
    assert_eq!(active[&phone(other)], new.id);
    let page = domain::page::PageRequest { page: 0, size: 10 };
    for (numbers, digits, expected) in [
        (numbering::spellings(other), 15, 1),
        (vec!["87654".to_owned()], 15, 1),
        (vec!["321".to_owned()], 3, 1),
        (vec!["4321".to_owned()], 3, 0),
        (numbering::spellings(other), 0, 0),
    ] {
        let looked = conversations::ConversationSearch { words: "+".to_owned(), numbers, recipient_digits: digits };
        assert_eq!(conversations::page(&mut db, CLIENT, &looked, page).await.unwrap().1, expected, "{looked:?}");
    }
    let chat = participants::of_address(&mut db, CLIENT, INBOX, &phone(other)).await.unwrap();
    assert_eq!(chat, None::<ParticipantId>);
}

#[tokio::test]
async fn a_chat_is_found_by_a_name_without_accents_and_by_either_spelling() {
    let (mut db, ids) = (database().await, ids());
    let (one, other) = PAIRS[0];
    let customer = customer_of(&mut db, &ids, other).await;
    let chat = ParticipantId(Uuid::from_u128(800));
    let new = participants::NewParticipant {
        id: chat,
        inbox: INBOX,
        customer,
        channel: Channel::Whatsapp,
        state: ParticipantState::Bot,
    };
    participants::insert(&mut db, CLIENT, new, moment(1)).await.unwrap().unwrap();
    sqlx::query("UPDATE customer SET full_name = 'İpek  Łoś', username = 'ﬁne' WHERE id = $1")
        .bind(customer.0)
        .execute(&mut db)
        .await
        .unwrap();

    chat_search::customer_changed(&mut db, CLIENT, customer).await.unwrap();

    let chat = participants::find(&mut db, CLIENT, chat).await.unwrap().unwrap();
    assert_eq!(chat.found_by, format!("ipek los\nfine\n{other}\n{one}"));
    let first = domain::page::PageRequest { page: 0, size: 10 };
    for words in ["ipek los", "fin", one, other] {
        let words = lists::ListSearch::Words(words.to_owned());
        let all = lists::ChatList { scope: ChatScope::All, caller: UserId(Uuid::nil()) };
        assert_eq!(lists::page(&mut db, CLIENT, all, &words, first).await.unwrap().total, 1, "{words:?}");
    }
}

#[tokio::test]
async fn the_database_folds_a_text_as_the_program_does() {
    let mut db = scratch::database().await.connection().await;
    for text in [
        "Thandi  MOKOENA ",
        "Álvaro ALVARO",
        "İpek ışık IŞIK",
        "Straße ẞ",
        "ΟΔΥΣΣΕΥΣ Ἀλέξανδρος",
        "Ёлкин Юлия Й",
        "e\u{301}lodie ﬁne ｆｕｌｌ",
        "Nguyễn Thị Đào",
        "Søren ÆRØ Œuvre Þór ĦAL Ŧ ð",
        "Łukasz",
        "مُحَمَّد أحمد",
        "שָׁלוֹם",
        "नेहा 한글 ばら 王小明",
        "th\u{200B}an\u{FEFF}di\u{3164}\u{2060}\u{202E}x\u{E0041}",
        "a\u{00A0}b\u{3000}c\td",
        "O’Brien-Smith (1) 100%",
        "\u{1F600}\u{FE0F}",
        "",
    ] {
        let folded: String = sqlx::query_scalar("SELECT folded($1)").bind(text).fetch_one(&mut db).await.unwrap();
        assert_eq!(folded, domain::search::fold(text), "{text:?}");
    }
}
