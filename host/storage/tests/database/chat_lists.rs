//! The lists of chats: their members, the results of searches, and plans that never read the whole table.

use domain::{
    channel::Channel,
    chat::{ChatScope, ChatStanding, ParticipantState},
    clock::IdSource,
    ids::{CustomerId, NoteId, ParticipantId, TeamId, UserId},
    page::{Page, PageRequest},
};
use people::Introduction;
use serde_json::Value;
use sqlx::Row;
use storage::{
    PgConnection,
    chat::{
        list_counts,
        lists::{self, ChatList, ListSearch},
        notes::{self, ChatNote},
        participants::{self, Participant},
        search,
    },
    people::customers,
};
use uuid::Uuid;

use crate::{
    agents::{add_team, add_user},
    fixtures::{CLIENT, INBOX, STRANGER, bsuid, database, moment, phone, resolve},
};

const ME: UserId = UserId(Uuid::from_u128(1));
const MATE: UserId = UserId(Uuid::from_u128(2));
const OTHER: UserId = UserId(Uuid::from_u128(3));
const FIRST: PageRequest = PageRequest { page: 0, size: 500 };

async fn customer(db: &mut PgConnection, number: usize, name: Option<&str>) -> CustomerId {
    let addresses = vec![phone(&format!("2782{number:07}"))];
    let known = Introduction { addresses, name: name.map(str::to_owned), ..Introduction::default() };
    resolve(db, CLIENT, &IdSource::new([u8::try_from(number).unwrap(); 32]), known, moment(0)).await.unwrap()
}

async fn chat(db: &mut PgConnection, number: usize, name: Option<&str>, state: ParticipantState) -> Participant {
    let customer = customer(db, number, name).await;
    let id = ParticipantId(Uuid::from_u128(1_000 + number as u128));
    let at = moment(i64::try_from(number).unwrap());
    let new = participants::NewParticipant { id, inbox: INBOX, customer, channel: Channel::Whatsapp, state };
    let mut chat = participants::insert(db, CLIENT, new, at).await.unwrap().unwrap();
    chat.found_by = search::words(&customers::find(db, CLIENT, customer).await.unwrap().unwrap());
    search::remember(db, CLIENT, id, &chat.found_by).await.unwrap();
    participants::save(db, CLIENT, &chat).await.unwrap();
    chat
}

async fn list(db: &mut PgConnection, scope: ChatScope, search: &ListSearch, page: PageRequest) -> Page<Participant> {
    lists::page(db, CLIENT, ChatList { scope, caller: ME }, search, page).await.unwrap()
}

async fn found(db: &mut PgConnection, words: &str) -> Vec<u128> {
    let found = list(db, ChatScope::All, &ListSearch::Words(words.to_owned()), FIRST).await;
    found.items.iter().map(|chat| chat.id.0.as_u128() - 1_000).collect()
}

#[tokio::test]
async fn every_state_is_in_the_lists_that_the_table_names() {
    let mut db = database().await;
    let team = TeamId(Uuid::from_u128(70));
    add_team(&mut db, CLIENT, team, "sales").await;
    for (user, of) in [(ME, Some(team)), (MATE, Some(team)), (OTHER, None)] {
        add_user(&mut db, CLIENT, user, "AGENT", of).await;
    }
    let states = [ParticipantState::Bot, ParticipantState::Queued, ParticipantState::Active, ParticipantState::Closed];
    let agents = [None, Some(ME), Some(MATE), Some(OTHER)];
    let mut all = Vec::new();
    for state in states {
        // Only a chat that is active has an agent.
        let assigned = if state == ParticipantState::Active { &agents[1..] } else { &agents[..1] };
        for assigned in assigned {
            for last_assigned in agents {
                // The agent that missed it is neither the present nor the last agent.
                for (flags, missed_by) in
                    [(0, None), (2, None), (1, None), (3, Some(ME)), (1, Some(ME)), (1, Some(OTHER)), (0, Some(ME))]
                {
                    let mut chat = chat(&mut db, all.len(), None, state).await;
                    (chat.missed, chat.after_hours) = (flags & 1 != 0, flags & 2 != 0);
                    (chat.assigned_agent, chat.last_assigned_agent) = (*assigned, last_assigned);
                    chat.missed_by = missed_by;
                    participants::save(&mut db, CLIENT, &chat).await.unwrap();
                    all.push(chat);
                }
            }
        }
    }
    assert_eq!(all.len(), 168);
    for scope in ChatScope::ALL {
        let held = |chat: &&Participant| {
            let standing = ChatStanding {
                state: chat.state,
                missed: chat.missed,
                after_hours: chat.after_hours,
                assigned: chat.assigned_agent,
                missed_by: chat.missed_by,
            };
            scope.holds(&standing, ME, &[ME, MATE])
        };
        // The last one that was written in first.
        let expected: Vec<ParticipantId> = all.iter().rev().filter(held).map(|chat| chat.id).collect();
        assert!(!expected.is_empty(), "{scope:?}");
        let listed = list(&mut db, scope, &ListSearch::Everything, FIRST).await;
        let ids: Vec<ParticipantId> = listed.items.iter().map(|chat| chat.id).collect();
        assert_eq!((ids, listed.total), (expected.clone(), expected.len() as u64), "{scope:?}");
        let list = ChatList { scope, caller: ME };
        let strangers = lists::page(&mut db, STRANGER, list, &ListSearch::Everything, FIRST).await.unwrap();
        assert!(strangers.items.is_empty(), "{scope:?}");
    }
    let of_no_team = ChatList { scope: ChatScope::Team, caller: OTHER };
    let unteamed = lists::page(&mut db, CLIENT, of_no_team, &ListSearch::Everything, FIRST).await.unwrap();
    assert_eq!(unteamed.total, 0, "an agent without a team sees the chats of no team");
}

#[tokio::test]
async fn a_page_has_the_total_and_the_flag_of_a_next_page() {
    let mut db = database().await;
    for number in 0..5 {
        chat(&mut db, number, None, ParticipantState::Queued).await;
    }
    let page = |page| PageRequest { page, size: 2 };
    let second = list(&mut db, ChatScope::Unassigned, &ListSearch::Everything, page(1)).await;
    assert_eq!((second.items.len(), second.total), (2, 5));
    let beyond = list(&mut db, ChatScope::Unassigned, &ListSearch::Everything, page(9)).await;
    assert_eq!((beyond.items.len(), beyond.total), (0, 5));
}

#[tokio::test]
async fn chats_are_found_by_part_of_a_name_in_any_script_and_by_part_of_a_number() {
    let mut db = database().await;
    let names = ["Zoë Adams", "ЖАННА Иванова", "محمد علي", "王小明", "Zoë's 50% _off"];
    for (number, name) in names.into_iter().enumerate() {
        chat(&mut db, number, Some(name), ParticipantState::Queued).await;
    }
    for (words, expected) in [
        ("zoe", vec![4, 0]),
        ("жанна", vec![1]),
        ("иван", vec![1]),
        ("محمد", vec![2]),
        ("王小明", vec![3]),
        ("小明", vec![3]),
        ("王", vec![3]),
        ("0% _o", vec![4]),
        ("%", vec![4]),
        ("0000003", vec![3]),
        ("27820000001", vec![1]),
        ("nobody", vec![]),
        // Lines are apart.
        ("adams27", vec![]),
    ] {
        assert_eq!(found(&mut db, words).await, expected, "{words}");
    }
}

#[tokio::test]
async fn masked_chats_are_found_by_the_parts_that_are_shown() {
    let mut db = database().await;
    for (number, name) in [(1, Some("Zoë Adams")), (12, Some("Álvaro")), (123, Some("adaeze")), (5, None)] {
        chat(&mut db, number, name, ParticipantState::Queued).await;
    }
    let masked = async |db: &mut PgConnection, search: ListSearch| {
        let listed = list(db, ChatScope::All, &search, FIRST).await;
        assert_eq!(u64::try_from(listed.items.len()).unwrap(), listed.total, "{search:?}");
        listed.items.iter().map(|chat| chat.id.0.as_u128() - 1_000).collect::<Vec<_>>()
    };
    for (letter, expected) in [("a", vec![123, 12]), ("z", vec![1]), ("d", vec![]), ("é", vec![])] {
        assert_eq!(masked(&mut db, ListSearch::Initial(letter.to_owned())).await, expected, "{letter}");
    }
    for (digits, expected) in
        [("001", vec![1]), ("12", vec![123, 12]), ("23", vec![123]), ("5", vec![5]), ("000", vec![]), ("82", vec![])]
    {
        assert_eq!(masked(&mut db, ListSearch::Ending(digits.to_owned())).await, expected, "{digits}");
    }
    assert!(masked(&mut db, ListSearch::Nothing).await.is_empty());
}

#[tokio::test]
async fn a_customer_who_changed_is_found_by_the_new_name_and_number_and_by_its_exact_id() {
    let mut db = database().await;
    let zo = chat(&mut db, 1, Some("Zo"), ParticipantState::Queued).await;
    sqlx::query("UPDATE customer SET full_name = 'Adaeze'").execute(&mut db).await.unwrap();
    search::customer_changed(&mut db, CLIENT, zo.customer).await.unwrap();
    assert_eq!((found(&mut db, "adaeze").await, found(&mut db, "zo").await), (vec![1], vec![]));
    let known = Introduction { addresses: vec![phone("27820000001"), bsuid("ZA.99")], ..Introduction::default() };
    resolve(&mut db, CLIENT, &IdSource::new([200; 32]), known, moment(1)).await.unwrap();
    assert_eq!(lists::customer_by_user_id(&mut db, CLIENT, "ZA.99").await.unwrap(), Some(zo.customer));
    assert_eq!(lists::customer_by_user_id(&mut db, CLIENT, "ZA.9").await.unwrap(), None);
    assert_eq!(lists::customer_by_user_id(&mut db, CLIENT, "27820000001").await.unwrap(), None);
    assert_eq!(lists::customer_by_user_id(&mut db, STRANGER, "ZA.99").await.unwrap(), None);
    let of_zo = list(&mut db, ChatScope::All, &ListSearch::Customer(zo.customer), FIRST).await;
    assert_eq!(of_zo.items.len(), 1);
    let shown = lists::customers(&mut db, CLIENT, &[zo.customer]).await.unwrap();
    let shown = &shown[&zo.customer];
    assert_eq!((shown.phone.as_deref(), shown.user_id.as_deref()), (Some("27820000001"), Some("ZA.99")));
}

/// The kinds of nodes of a plan, with the index or table that each reads.
fn nodes(plan: &Value, found: &mut Vec<String>) {
    let text = |key: &str| plan[key].as_str().unwrap_or_default();
    found.push(format!("{} {}{}", text("Node Type"), text("Index Name"), text("Relation Name")));
    for child in plan["Plans"].as_array().into_iter().flatten() {
        nodes(child, found);
    }
}

#[tokio::test]
async fn no_list_reads_the_table_or_sorts_more_than_agents_have() {
    let pool = scratch::database().await.pool(1).await;
    let mut db = pool.acquire().await.unwrap();
    sqlx::raw_sql(
        "SET session_replication_role = replica;
         INSERT INTO participant (client_id, id, inbox_id, customer_id, channel, state, missed, after_hours,
                                  assigned_agent_id, missed_agent_id, last_message_at, created_at, found_by)
         SELECT ('00000000-0000-0000-0000-0000000000' || lpad((i % 20)::text, 2, '0'))::uuid, gen_random_uuid(),
                gen_random_uuid(), gen_random_uuid(), 'WHATSAPP',
                (ARRAY['CLOSED', 'CLOSED', 'CLOSED', 'BOT', 'QUEUED', 'ACTIVE'])[1 + i % 6], i % 50 = 0, i % 70 = 0,
                CASE WHEN i % 6 = 5 THEN ('00000000-0000-0000-0000-00000000' || lpad((i % 300)::text, 4, '0'))::uuid END,
                CASE WHEN i % 100 = 0 THEN ('00000000-0000-0000-0000-00000000' || lpad((i % 300)::text, 4, '0'))::uuid END,
                now() - i * interval '1 second', now(), 'someone ' || i || E'\\n27' || (820000000 + i)
         FROM generate_series(1, 60000) i;
         INSERT INTO participant_search SELECT client_id, id, chat_grams(client_id, found_by), found_by FROM participant;
         ANALYZE participant; ANALYZE participant_search;",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    let searches = [
        ListSearch::Everything,
        ListSearch::Words("82005".to_owned()),
        ListSearch::Customer(CustomerId(Uuid::nil())),
        ListSearch::Initial("s".to_owned()),
    ];
    let counts = list_counts::statement();
    sqlx::raw_sql(&format!("PREPARE counts AS {counts}")).execute(&mut *db).await.unwrap();
    let explain = "EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE counts(NULL, NULL, NULL, 1000)";
    let plan: Value = sqlx::raw_sql(explain).fetch_one(&mut *db).await.unwrap().get(0);
    let mut found = Vec::new();
    nodes(plan.pointer("/0/Plan").unwrap(), &mut found);
    assert!(!found.iter().any(|node| node.starts_with("Seq Scan") || node.starts_with("Sort")), "counts: {found:#?}");
    for scope in ChatScope::ALL {
        for search in &searches {
            let page = (lists::page_statement(scope, search), "NULL, NULL, NULL, 0, 10");
            let count = (lists::count_statement(scope, search), "NULL, NULL, NULL, 10000");
            let ids = (lists::ids_statement(search), "NULL, NULL, NULL, 1000");
            for (statement, arguments) in [page, count, ids] {
                sqlx::raw_sql(&format!("PREPARE list AS {statement}")).execute(&mut *db).await.unwrap();
                let explain = format!("EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE list({arguments})");
                let row = sqlx::raw_sql(&explain).fetch_one(&mut *db).await.unwrap();
                let plan: Value = row.get(0);
                sqlx::raw_sql("DEALLOCATE list").execute(&mut *db).await.unwrap();
                let mut found = Vec::new();
                nodes(plan.pointer("/0/Plan").unwrap(), &mut found);
                assert!(!found.iter().any(|node| node.starts_with("Seq Scan")), "{scope:?} {search:?}: {found:#?}");
                let few = matches!(scope, ChatScope::My | ChatScope::Team | ChatScope::MyMissed);
                let sorts = found.iter().any(|node| node.starts_with("Sort"));
                assert!(few || *search != ListSearch::Everything || !sorts, "{scope:?} {search:?}: {found:#?}");
                if !few && matches!(search, ListSearch::Words(_)) {
                    let by_grams = found.iter().any(|node| node.contains("participant_search_grams"));
                    assert!(by_grams, "{scope:?} {search:?}: {found:#?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn mentions_and_their_total_leave_out_whispers_to_others() {
    let mut db = database().await;
    let participant = chat(&mut db, 1, None, ParticipantState::Queued).await.id;
    for (id, whisper_to) in [(1, None), (2, Some(ME)), (3, Some(MATE))] {
        let note = ChatNote {
            id: NoteId(Uuid::from_u128(id)),
            participant,
            author: OTHER,
            text: "look".to_owned(),
            mentions: vec![ME],
            whisper_to,
            created_at: moment(0),
        };
        notes::insert(&mut db, CLIENT, &note).await.unwrap();
    }
    for (page, shown) in [(0, 2), (1, 1)] {
        let found = notes::mentions(&mut db, CLIENT, ME, PageRequest { page, size: 1 }).await.unwrap();
        let ids: Vec<NoteId> = found.items.iter().map(|note| note.id).collect();
        assert_eq!((ids, found.total), (vec![NoteId(Uuid::from_u128(shown))], 2));
    }
}
