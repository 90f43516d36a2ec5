//! Key-values of chatbots, in a real database.

use domain::{ids::ParticipantId, page::PageRequest};
use storage::chat::{
    chatbot_value_lists::{self, Erase, KeyQuery, StorePart},
    chatbot_values::{self, NewChatbotValue, ValueKey},
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, moment};
use storage::PgConnection;

const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(100));

#[tokio::test]
async fn a_key_that_changed_or_came_or_went_is_noticed() {
    let mut db = fixtures::database().await;
    let key = |name: &str| ValueKey { participant: None, name: name.to_owned() };
    let own = ValueKey { participant: Some(CHAT), name: "a".to_owned() };
    let write = async |db: &mut PgConnection, key: &ValueKey, value: Option<&[u8]>| {
        let writes = [(key.clone(), value.map(|value| value.to_vec().into()))];
        chatbot_values::write(db, CLIENT, "bot", &writes).await.unwrap();
    };
    write(&mut db, &key("a"), Some(b"1")).await;
    let read = chatbot_values::read(&mut db, CLIENT, "bot", &key("a"), moment(0)).await.unwrap().unwrap();
    assert_eq!(read.bytes, b"1");
    assert_eq!(chatbot_values::read(&mut db, CLIENT, "bot", &own, moment(0)).await.unwrap(), None);
    let reads = [(key("a"), Some(read.version)), (own.clone(), None)];
    assert!(chatbot_values::are_unchanged(&mut db, CLIENT, "bot", &reads, moment(0)).await.unwrap());

    write(&mut db, &own, Some(b"2")).await;
    assert!(!chatbot_values::are_unchanged(&mut db, CLIENT, "bot", &reads, moment(0)).await.unwrap(), "a key came");
    write(&mut db, &own, None).await;
    assert!(chatbot_values::are_unchanged(&mut db, CLIENT, "bot", &reads, moment(0)).await.unwrap());
    write(&mut db, &key("a"), None).await;
    assert!(!chatbot_values::are_unchanged(&mut db, CLIENT, "bot", &reads, moment(0)).await.unwrap(), "a key went");
    write(&mut db, &key("a"), Some(b"1")).await;
    assert!(
        !chatbot_values::are_unchanged(&mut db, CLIENT, "bot", &reads, moment(0)).await.unwrap(),
        "the same value, written again"
    );
    assert!(chatbot_values::read(&mut db, CLIENT, "another", &key("a"), moment(0)).await.unwrap().is_none());
    chatbot_values::lock_shared(&mut db, CLIENT, "bot").await.unwrap();
}

#[tokio::test]
async fn the_size_of_key_values_is_exact_to_the_byte() {
    let mut db = fixtures::database().await;
    let (own, shared) = (|name: &str| ValueKey { participant: Some(CHAT), name: name.to_owned() }, None);
    let shared = |name: &str| ValueKey { participant: shared, name: name.to_owned() };
    let overhead = chatbot_values::KEY_OVERHEAD;
    let write = async |db: &mut PgConnection, writes: &[(ValueKey, Option<NewChatbotValue>)]| {
        let grown = chatbot_values::write(db, CLIENT, "bot", writes).await.unwrap();
        (grown, chatbot_values::grow(db, CLIENT, CHAT, grown).await.unwrap())
    };

    let two = [(own("a"), Some(vec![0; 10].into())), (shared("bb"), Some(vec![0; 100].into()))];
    assert_eq!(write(&mut db, &two).await.0, 11 + 102 + 2 * overhead);
    let (grown, held) = write(&mut db, &[(own("a"), Some(vec![0; 4].into()))]).await;
    assert_eq!((grown, held), (-6, 107 + 2 * overhead), "a replaced value counts by the difference");
    let (grown, _) = write(&mut db, &[(own("a"), Some(vec![0; 4].into()))]).await;
    assert_eq!(grown, 0);
    assert_eq!(chatbot_values::keys_of(&mut db, CLIENT, "bot", CHAT, moment(0)).await.unwrap(), 1);
    let (grown, held) = write(&mut db, &[(own("a"), None), (own("never there"), None)]).await;
    assert_eq!((grown, held), (-5 - overhead, 102 + overhead));

    assert_eq!(chatbot_values::forget_plugin(&mut db, CLIENT, "bot").await.unwrap(), 102 + overhead);
    assert_eq!(chatbot_values::grow(&mut db, CLIENT, CHAT, 0).await.unwrap(), 0, "whichever rows hold the sum");
}

#[tokio::test]
async fn an_expired_value_is_gone_for_all_readers_and_frees_its_space() {
    let mut db = fixtures::database().await;
    let own = |name: &str| ValueKey { participant: Some(CHAT), name: name.to_owned() };
    let brief = NewChatbotValue { bytes: vec![0; 10], expires_at: Some(moment(60)) };
    let writes = [(own("brief"), Some(brief)), (own("lasting"), Some(vec![0; 10].into()))];
    let grown = chatbot_values::write(&mut db, CLIENT, "bot", &writes).await.unwrap();
    chatbot_values::grow(&mut db, CLIENT, CHAT, grown).await.unwrap();
    let there =
        async |db: &mut PgConnection, at| chatbot_values::read(db, CLIENT, "bot", &own("brief"), at).await.unwrap();
    let read = there(&mut db, moment(59)).await.unwrap();
    assert_eq!(there(&mut db, moment(60)).await, None, "the moment itself is over");
    let (seen, gone) = ([(own("brief"), Some(read.version))], [(own("brief"), None)]);
    let same = async |db: &mut PgConnection, reads: &[(ValueKey, Option<i64>)], at| {
        chatbot_values::are_unchanged(db, CLIENT, "bot", reads, at).await.unwrap()
    };
    assert!(same(&mut db, &seen, moment(59)).await && !same(&mut db, &gone, moment(59)).await);
    assert!(same(&mut db, &gone, moment(60)).await && !same(&mut db, &seen, moment(60)).await);
    assert_eq!(chatbot_values::keys_of(&mut db, CLIENT, "bot", CHAT, moment(60)).await.unwrap(), 1);

    assert_eq!(chatbot_value_lists::forget_expired(&mut db, moment(59), 100).await.unwrap(), 0);
    assert_eq!(chatbot_value_lists::forget_expired(&mut db, moment(60), 100).await.unwrap(), 1);

    let left = 17 + chatbot_values::KEY_OVERHEAD;
    assert_eq!(chatbot_values::grow(&mut db, CLIENT, CHAT, 0).await.unwrap(), left);
    let again = [(own("lasting"), Some(NewChatbotValue { bytes: vec![0; 10], expires_at: Some(moment(60)) }))];
    chatbot_values::write(&mut db, CLIENT, "bot", &again).await.unwrap();
    let lasting = [(own("lasting"), Some(vec![0; 10].into()))];
    chatbot_values::write(&mut db, CLIENT, "bot", &lasting).await.unwrap();
    assert_eq!(
        chatbot_value_lists::forget_expired(&mut db, moment(90), 100).await.unwrap(),
        0,
        "written again without an end"
    );
}

#[tokio::test]
async fn names_are_listed_in_the_order_of_their_bytes_and_erased_by_their_beginning() {
    let mut db = fixtures::database().await;
    let names = ["a", "B", "order/1", "order/10", "order/2", "orders", "é"];
    let key = |participant, name: &str| ValueKey { participant, name: name.to_owned() };
    let mut writes: Vec<(ValueKey, Option<NewChatbotValue>)> =
        names.iter().map(|name| (key(Some(CHAT), name), Some(vec![1].into()))).collect();
    writes.push((key(None, "order/shared"), Some(vec![1].into())));
    writes.push((key(Some(CHAT), "order/over"), Some(NewChatbotValue { bytes: vec![], expires_at: Some(moment(5)) })));
    let grown = chatbot_values::write(&mut db, CLIENT, "bot", &writes).await.unwrap();
    chatbot_values::grow(&mut db, CLIENT, CHAT, grown).await.unwrap();
    let list = async |db: &mut PgConnection, participant, prefix: &str, after: Option<&str>, most| {
        let wanted = KeyQuery { participant, prefix: prefix.to_owned(), after: after.map(str::to_owned), most };
        chatbot_value_lists::names(db, CLIENT, "bot", &wanted, moment(10)).await.unwrap()
    };
    assert_eq!(
        list(&mut db, Some(CHAT), "", None, 99).await,
        ["B", "a", "order/1", "order/10", "order/2", "orders", "é"]
    );
    assert_eq!(list(&mut db, Some(CHAT), "order/", None, 99).await, ["order/1", "order/10", "order/2"]);
    assert_eq!(list(&mut db, Some(CHAT), "order/", Some("order/1"), 1).await, ["order/10"]);
    assert_eq!(list(&mut db, None, "", None, 99).await, ["order/shared"]);
    let part = StorePart { participant: Some(CHAT), prefix: "order" };
    for (page, expected) in [(0, ["order/1", "order/10"]), (1, ["order/2", "orders"])] {
        let page = PageRequest { page, size: 2 };
        let (page, total) = chatbot_value_lists::page(&mut db, CLIENT, "bot", part, page, moment(10)).await.unwrap();
        assert_eq!((page.iter().map(|one| one.key.as_str()).collect::<Vec<_>>(), total), (expected.to_vec(), 4));
    }

    let erase = async |db: &mut PgConnection, participant, which| {
        chatbot_value_lists::erase(db, CLIENT, "bot", participant, which).await.unwrap()
    };
    assert_eq!(erase(&mut db, Some(CHAT), Erase::Key("order/1")).await, 1);
    assert_eq!(erase(&mut db, Some(CHAT), Erase::Prefix("order/")).await, 3, "those whose time is over go too");
    assert_eq!(erase(&mut db, None, Erase::Prefix("")).await, 1);
    assert_eq!(list(&mut db, Some(CHAT), "", None, 99).await, ["B", "a", "orders", "é"]);
    assert_eq!(erase(&mut db, Some(CHAT), Erase::Prefix("")).await, 4);
    assert_eq!(chatbot_values::grow(&mut db, CLIENT, CHAT, 0).await.unwrap(), 0);
}
