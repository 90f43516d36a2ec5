//! Long lists of chats and searches of tickets: results, counts and indexes.

use domain::{
    chat::{ChatScope, Rating, TicketStatus},
    ids::{ParticipantId, UserId},
    page::{Page, PageRequest},
};
use serde_json::Value;
use sqlx::Row;
use storage::{
    Db, PgConnection,
    chat::{
        common_words,
        lists::{self, COUNTED, ChatList, ListSearch},
        participants::Participant,
        tickets::{self, Filter},
    },
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, moment};

/// Chats of the client, of which each sixth waits, and tickets, of which each tenth is of the second inbox.
const CHATS: u64 = 60_000;
const ME: UserId = UserId(Uuid::from_u128(1));
const FIRST: PageRequest = PageRequest { page: 0, size: 10 };

/// A client's chats and tickets, the newest with the number 1. Each is named after its number, each thousandth `rare`, and all
/// numbers begin with `2782`.
async fn many() -> Db {
    let pool = scratch::database().await.pool(1).await;
    let mut db = pool.acquire().await.unwrap();
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *db).await.unwrap();
    sqlx::query(
        "INSERT INTO participant (client_id, id, inbox_id, customer_id, channel, state, last_message_at, created_at, found_by)
         SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'WHATSAPP',
                CASE i % 6 WHEN 0 THEN 'QUEUED' ELSE 'CLOSED' END, now() - i * interval '1 second', now(),
                CASE i % 1000 WHEN 999 THEN 'rare' ELSE 'someone' END || E'\n2782' || lpad(i::text, 7, '0')
         FROM generate_series(1, $2) i",
    )
    .bind(CLIENT.0)
    .bind(i64::try_from(CHATS).unwrap())
    .execute(&mut *db)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO ticket (client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at)
         SELECT $1, gen_random_uuid(), i, gen_random_uuid(),
                CASE i % 10 WHEN 0 THEN '00000000-0000-0000-0000-0000000000ff' ELSE $2 END,
                (ARRAY['OPEN', 'AWAITING_AGENT', 'AWAITING_CUSTOMER', 'RESOLVED', 'CLOSED', 'CLOSED'])[1 + i % 6],
                ('00000000-0000-0000-0000-00000000' || lpad((i % 300)::text, 4, '0'))::uuid,
                CASE i % 40 WHEN 0 THEN 'POOR' END, $3 - i * interval '1 second', $3
         FROM generate_series(1, 60000) i",
    )
    .bind(CLIENT.0)
    .bind(INBOX.0)
    .bind(moment(100_000))
    .execute(&mut *db)
    .await
    .unwrap();
    sqlx::raw_sql(
        "INSERT INTO participant_search SELECT client_id, id, chat_grams(client_id, found_by), found_by FROM participant;
         ANALYZE participant; ANALYZE participant_search; ANALYZE ticket;",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    drop(db);
    pool
}

async fn list(db: &mut PgConnection, scope: ChatScope, words: &str, page: PageRequest) -> Page<Participant> {
    lists::page(db, CLIENT, ChatList { scope, caller: ME }, &ListSearch::Words(words.to_owned()), page).await.unwrap()
}

/// The indexes and tables that a plan reads.
async fn read_by(db: &mut PgConnection, statement: &str, arguments: &str) -> Vec<String> {
    fn nodes(plan: &Value, found: &mut Vec<String>) {
        let text = |key: &str| plan[key].as_str().unwrap_or_default();
        found.push(format!("{} {}{}", text("Node Type"), text("Index Name"), text("Relation Name")));
        for child in plan["Plans"].as_array().into_iter().flatten() {
            nodes(child, found);
        }
    }
    sqlx::raw_sql(&format!("PREPARE looked_at AS {statement}")).execute(&mut *db).await.unwrap();
    let explain = format!("EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE looked_at({arguments})");
    let row = sqlx::raw_sql(&explain).fetch_one(&mut *db).await.unwrap();
    let plan: Value = row.get(0);
    sqlx::raw_sql("DEALLOCATE looked_at").execute(&mut *db).await.unwrap();
    let mut found = Vec::new();
    nodes(plan.pointer("/0/Plan").unwrap(), &mut found);
    found
}

#[tokio::test]
async fn frequent_and_rare_words_are_found_and_counted_alike() {
    let pool = many().await;
    let db = &mut *pool.acquire().await.unwrap();
    let common = list(db, ChatScope::All, "278", FIRST).await;
    assert_eq!((common.items.len(), common.total), (10, COUNTED), "more than are counted");
    let all = ChatList { scope: ChatScope::All, caller: ME };
    let newest = lists::page(db, CLIENT, all, &ListSearch::Everything, FIRST).await.unwrap();
    let ids = |page: &Page<Participant>| page.items.iter().map(|chat| chat.id).collect::<Vec<_>>();
    assert_eq!(ids(&common), ids(&newest));
    let later = list(db, ChatScope::All, "278", PageRequest { page: 1_200, size: 10 }).await;
    assert_eq!((later.items.len(), later.total), (10, 12_011), "always more than the pages so far");

    let few = list(db, ChatScope::All, "rare", FIRST).await;
    assert_eq!((few.items.len(), few.total), (10, 60), "counted exactly over the whole list");
    let last = list(db, ChatScope::All, "rare", PageRequest { page: 5, size: 10 }).await;
    assert_eq!((last.items.len(), last.total), (10, 60));
    let one = list(db, ChatScope::All, "27820060000", FIRST).await;
    assert_eq!((one.items.len(), one.total), (1, 1));
    let some = list(db, ChatScope::All, "00012", FIRST).await;
    assert_eq!((some.items.len(), some.total), (10, 111), "12, 120 to 129 and 1,200 to 1,299");
    assert_eq!(list(db, ChatScope::All, "nobody", FIRST).await.total, 0);
    let waiting = list(db, ChatScope::Unassigned, "278", FIRST).await;
    assert_eq!((waiting.items.len(), waiting.total), (10, COUNTED), "{CHATS} / 6 = {COUNTED}");
    assert_eq!(list(db, ChatScope::Open, "2782000000", FIRST).await.total, 1, "of nine one waits");
    assert_eq!(list(db, ChatScope::My, "278", FIRST).await.total, 0);
}

#[tokio::test]
async fn the_ids_of_a_search_are_those_of_its_list_up_to_a_bound() {
    let pool = many().await;
    let db = &mut *pool.acquire().await.unwrap();
    for (words, most, found) in [("278", 1_000, 1_000), ("rare", 50, 50), ("rare", 1_000, 60), ("nobody", 10, 0)] {
        let search = ListSearch::Words(words.to_owned());
        let ids = lists::find_ids(db, CLIENT, &search, most).await.unwrap();
        let listed = list(db, ChatScope::All, words, PageRequest { page: 0, size: most }).await;
        assert_eq!(ids.len(), found, "{words}");
        assert_eq!(ids, listed.items.iter().map(|chat| chat.id).collect::<Vec<_>>(), "{words}");
    }
    assert_eq!(lists::find_ids(db, STRANGER, &ListSearch::Words("278".to_owned()), 10).await.unwrap(), []);
    assert_eq!(lists::find_ids(db, CLIENT, &ListSearch::Nothing, 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_list_read_page_by_page_keeps_its_order_and_is_never_read_as_a_whole() {
    let pool = many().await;
    let db = &mut *pool.acquire().await.unwrap();
    for scope in ChatScope::ALL {
        let page = (common_words::page_statement(scope), "NULL, NULL, NULL, 0, 10, 5000");
        let count = (common_words::count_statement(scope), "NULL, NULL, NULL, 50000");
        let ids = (common_words::ids_statement(scope), "NULL, NULL, NULL, 5000, 1000");
        for (statement, arguments) in [page, count, ids] {
            let found = read_by(db, &statement, arguments).await;
            assert!(!found.iter().any(|node| node.starts_with("Seq Scan")), "{scope:?}: {found:#?}");
            let few = matches!(scope, ChatScope::My | ChatScope::Team | ChatScope::MyMissed);
            let sorts = found.iter().any(|node| node.starts_with("Sort") || node.starts_with("Incremental"));
            assert!(few || !sorts, "{scope:?}: {found:#?}");
        }
    }
}

#[tokio::test]
async fn each_filter_of_tickets_is_read_from_its_index_in_the_order_of_the_search() {
    let pool = many().await;
    let db = &mut *pool.acquire().await.unwrap();
    let everything = || Filter {
        from: moment(0),
        until: moment(200_000),
        inbox_address: None,
        rating: None,
        number: None,
        agent: None,
        status: None,
        chats: None,
    };
    let chats = "SELECT participant_id FROM ticket WHERE number IN (7, 8)";
    let chats: Vec<Uuid> = sqlx::query_scalar(chats).fetch_all(&mut *db).await.unwrap();
    let chats = chats.into_iter().map(ParticipantId).collect();
    let inboxes = [INBOX.0];
    let asked: [(Filter, Option<&[Uuid]>, &str); 7] = [
        (everything(), None, "ticket_by_age"),
        (everything(), Some(&inboxes), "ticket_of_inbox"),
        (Filter { rating: Some(Rating::Poor), ..everything() }, None, "ticket_of_rating"),
        (Filter { number: Some(7), ..everything() }, None, "ticket_counted_once"),
        (Filter { agent: Some(ME), ..everything() }, None, "ticket_of_agent"),
        (Filter { status: Some(TicketStatus::Open), ..everything() }, None, "ticket_of_status"),
        (Filter { chats: Some(chats), ..everything() }, None, "ticket_of_participant"),
    ];
    for (filter, inboxes, index) in asked {
        let page = (tickets::page_statement(&filter, inboxes), ["NULL"; 11].join(", "));
        let count = (tickets::count_statement(&filter, inboxes), ["NULL"; 10].join(", "));
        for (statement, arguments) in [page, count] {
            let found = read_by(db, &statement, &arguments).await;
            assert!(found.iter().any(|node| node.contains(index)), "{index}: {found:#?}");
            let sorts = found.iter().any(|node| node.starts_with("Sort"));
            assert!(!sorts || ["ticket_counted_once", "ticket_of_participant"].contains(&index), "{index}: {found:#?}");
        }
        let found = tickets::search(db, CLIENT, &filter, FIRST).await.unwrap();
        assert!(!found.items.is_empty() && found.total <= COUNTED, "{filter:?}");
    }
    assert_eq!(tickets::search(db, CLIENT, &everything(), FIRST).await.unwrap().total, COUNTED);
    let poor = Filter { rating: Some(Rating::Poor), ..everything() };
    assert_eq!(tickets::search(db, CLIENT, &poor, FIRST).await.unwrap().total, 1_500, "exact below the bound");
    let nowhere = Filter { inbox_address: Some("nowhere".to_owned()), ..everything() };
    assert_eq!(tickets::search(db, CLIENT, &nowhere, FIRST).await.unwrap().total, 0);
}
