//! Live chat with a client that has very many chats: every list, the search, pages of a history, the search of tickets, and the
//! events of 500 agents (`live_events.rs`).
//!
//! `INBOX=1000000` says how many chats there are, 100,000 otherwise, each with twenty messages; half of them have a ticket. A
//! chat takes some 12 KB of disk with its messages and indexes.

use std::time::{Duration, Instant};

use harness::{PatchbaySetup, TestClient, inbound_text};
use serde_json::{Value, json};
use sqlx::Row;

use crate::{
    live_events,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

const CHATS: i64 = 100_000;
const MESSAGES_EACH: i64 = 20;
/// Chats in one statement of the filling.
const STEP: i64 = 25_000;
/// Agents of the client, in ten teams.
pub const AGENTS: i64 = 500;
/// Weeks over which the chats lie.
const WEEKS: i32 = 12;
const SAMPLES: usize = 200;
const PATIENCE: Duration = Duration::from_secs(10);
const BAR: f64 = 100.0;

const SCOPES: [&str; 9] =
    ["my", "team", "unassigned", "closed", "missed-agent", "missed-after-hours", "my-missed", "open", "all"];

pub async fn measure() -> Vec<Figure> {
    let stage = Stage::set(PatchbaySetup::new()).await;
    let chats = std::env::var("INBOX").ok().and_then(|count| count.parse().ok()).unwrap_or(CHATS);
    let began = Instant::now();
    let size = fill(&stage, chats).await;
    let filling = format!(
        "{chats} chats with {} messages and {} tickets, {size} MB, filled in {:.0?}",
        chats * MESSAGES_EACH,
        chats / 2,
        began.elapsed()
    );
    let before = scans(&stage).await;
    let mut figures = reads(&stage, chats, &filling).await;
    let scanned = scans(&stage).await - before;
    #[expect(clippy::cast_precision_loss, reason = "a handful, or none")]
    figures.push(Figure {
        name: "inbox: tables read as a whole during these lists",
        unit: "of chats, messages, customers and tickets",
        measured: scanned as f64,
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(0.0),
        notes: vec!["counted by PostgreSQL (`pg_stat_user_tables`)".to_owned()],
    });
    figures.extend(live_events::measure(&stage, chats).await);
    figures
}

/// A key of the n-th agent.
pub fn key_of(agent: i64) -> String {
    format!("a0000000-0000-4000-8000-{agent:012x}")
}

/// The number of the customer of the n-th chat.
pub fn number_of(chat: i64) -> String {
    format!("2783{chat:07}")
}

/// The usual reads of agents, each kind with the 99th percentile of its slowest.
async fn reads(stage: &Stage, chats: i64, filling: &str) -> Vec<Figure> {
    let mut agent = stage.client.clone();
    agent.key = key_of(7);
    let list = |query: String| format!("/chat-service/api/v2/chats?{query}");
    let lists = SCOPES.map(|scope| (format!("scope={scope}"), vec![list(format!("scope={scope}&size=50"))]));
    let some = |at: i64| (at * 7919 + 13) % chats;
    let each = |path: &dyn Fn(i64) -> String| (0..50).map(path).collect::<Vec<_>>();
    let searches = [
        ("a whole number".to_owned(), each(&|at| list(format!("scope=all&search={}", number_of(some(at)))))),
        ("the end of a number".to_owned(), each(&|at| list(format!("scope=all&search={:07}", some(at))))),
        ("a surname, in `open`".to_owned(), each(&|at| list(format!("scope=open&search=surname{}", at % 50)))),
        ("a full name".to_owned(), each(&|at| list(format!("scope=all&search=name{}%20surname{}", at % 20, at % 50)))),
        ("the first digits of all numbers".to_owned(), vec![list("scope=all&search=2783".to_owned())]),
        ("the same in `my`".to_owned(), vec![list("scope=my&search=2783".to_owned())]),
        ("a name that no customer has".to_owned(), vec![list("scope=all&search=nobody".to_owned())]),
    ];
    let past = |at: i64, more: &str| format!("/chat-service/api/v2/messages?participantId={}{more}", chat_id(some(at)));
    let histories = [
        ("the last 50".to_owned(), each(&|at| past(at, "&size=50"))),
        ("those before".to_owned(), each(&|at| past(at, "&size=10&beforeSequence=11"))),
    ];
    let client_ref = &stage.client.client_ref;
    let times = "startDateTime=2020-01-01T00:00:00Z&endDateTime=2100-01-01T00:00:00Z";
    let ticket =
        |more: String| format!("/chat-service/ticket/search?page=0&size=50&{times}&clientRef={client_ref}&{more}");
    let number = &stage.client.number;
    let tickets = [
        ("all".to_owned(), vec![ticket(String::new())]),
        ("of a number".to_owned(), vec![ticket(format!("whatsAppNumber={number}"))]),
        ("by ticket number".to_owned(), each(&|at| ticket(format!("ticketNumber={}", 1 + some(at) / 2)))),
        ("of an agent".to_owned(), each(&|at| ticket(format!("agentId={}", agent_id(at))))),
        ("open".to_owned(), vec![ticket("selectedStatus=open".to_owned())]),
        ("rated poor".to_owned(), vec![ticket("rating=poor".to_owned())]),
        ("closed and excellent".to_owned(), vec![ticket("selectedStatus=closed&rating=excellent".to_owned())]),
    ];
    vec![
        slowest(&agent, "inbox: a list of chats, the slowest scope", &lists, filling).await,
        slowest(&agent, "inbox: a search of chats, the slowest kind", &searches, filling).await,
        slowest(&agent, "inbox: a page of a history", &histories, filling).await,
        slowest(&agent, "inbox: a search of tickets, the slowest filter", &tickets, filling).await,
    ]
}

async fn slowest(client: &TestClient, name: &'static str, kinds: &[(String, Vec<String>)], filling: &str) -> Figure {
    let mut notes = vec![filling.to_owned()];
    let mut worst: f64 = 0.0;
    for (kind, paths) in kinds {
        let mut found = Value::Null;
        let mut ask = async |at: usize| {
            let began = Instant::now();
            let reply = client.get(&paths[at % paths.len()]).await;
            let took = began.elapsed();
            assert_eq!(reply.status, 200, "{}: {}", paths[at % paths.len()], reply.text);
            found = reply.json()["totalElements"].clone();
            Some(took)
        };
        for at in 0..10 {
            ask(at).await;
        }
        let times = Times::of(SAMPLES, PATIENCE, &mut ask).await;
        worst = worst.max(times.p99());
        let found = if found.is_null() { String::new() } else { format!(" ({found} found)") };
        notes.push(format!("{kind}{found}: {times}"));
    }
    Figure {
        name,
        unit: "ms, 99th percentile",
        measured: worst,
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(BAR),
        notes,
    }
}

fn chat_id(chat: i64) -> String {
    format!("d0000000-0000-7000-8000-{chat:012x}")
}

fn agent_id(agent: i64) -> String {
    format!("b0000000-0000-7000-8000-{agent:012x}")
}

/// How often one of the tables was read from its beginning to its end.
async fn scans(stage: &Stage) -> i64 {
    // Sessions report their actions a second later.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let statement = "SELECT COALESCE(sum(seq_scan), 0)::bigint FROM pg_stat_user_tables
                     WHERE relname IN ('participant', 'participant_search', 'customer', 'customer_address', 'ticket')
                        OR relname LIKE 'chat_message%'";
    sqlx::query(statement).fetch_one(&stage.db).await.unwrap().get(0)
}

/// Fills the tables; answers how many megabytes they take.
async fn fill(stage: &Stage, chats: i64) -> i64 {
    pattern(stage).await;
    sqlx::raw_sql(HELPERS).execute(&stage.db).await.unwrap();
    for week in 1..=WEEKS {
        partition(stage, week).await;
    }
    for statement in PEOPLE {
        sqlx::query(statement).bind(AGENTS).execute(&stage.db).await.unwrap();
    }
    let mut first = 0;
    while first < chats {
        let last = (first + STEP).min(chats) - 1;
        for statement in FILLING {
            sqlx::query(statement).bind(first).bind(last).bind(chats).bind(AGENTS).execute(&stage.db).await.unwrap();
        }
        first = last + 1;
    }
    sqlx::raw_sql(
        "INSERT INTO ticket_counter (client_id, last_number) SELECT client_id, max(number) FROM ticket GROUP BY client_id
         ON CONFLICT (client_id) DO UPDATE SET last_number = excluded.last_number",
    )
    .execute(&stage.db)
    .await
    .unwrap();
    // Maintenance that PostgreSQL does by itself within minutes after such a filling.
    for statement in [
        "VACUUM (ANALYZE) customer, customer_address, participant, participant_search, chat_message, ticket, client_user",
        "CHECKPOINT",
    ] {
        sqlx::query(statement).execute(&stage.db).await.unwrap();
    }
    let size = "SELECT pg_database_size(current_database()) / 1000000";
    sqlx::query(size).fetch_one(&stage.db).await.unwrap().get(0)
}

/// A message that a customer really wrote and one that really answered it: the others are like them.
async fn pattern(stage: &Stage) {
    let body = stage.client.callback(inbound_text("wamid.pattern", Some("27849999999"), None, "hello there"));
    assert_eq!(stage.patchbay.callback(&body).await.status, 200);
    let list = "/chat-service/api/v2/chats?scope=all";
    let first = |page: Value| page["content"][0]["id"].as_str().map(str::to_owned);
    let chat = harness::eventually("the chat", || async { first(stage.client.get(list).await.ok()) }).await;
    let answer = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "how can I help?" });
    stage.client.post("/chat-service/api/v2/messages", &answer).await.ok();
}

/// A partition for messages of a week that is over, unless the program's present one goes back to it.
async fn partition(stage: &Stage, weeks_ago: i32) {
    // Where the program's own partitions begin and end: at the least id of a Monday.
    let bounds =
        "SELECT to_char(week, 'YYYYMMDD'), bench_bound(week)::text, bench_bound(week + interval '1 week')::text
                  FROM (SELECT date_trunc('week', now()) - interval '1 week' * $1) AS of (week)";
    let row = sqlx::query(bounds).bind(weeks_ago).fetch_one(&stage.db).await.unwrap();
    let (name, from, to): (String, String, String) = (row.get(0), row.get(1), row.get(2));
    let statement = format!(
        "DO $$ BEGIN
             CREATE TABLE chat_message_bench_{name} PARTITION OF chat_message FOR VALUES FROM ('{from}') TO ('{to}');
         EXCEPTION WHEN invalid_object_definition THEN NULL;
         END $$"
    );
    sqlx::raw_sql(&statement).execute(&stage.db).await.unwrap();
}

/// The client and its number, ids by moment, and the n-th chat.
const HELPERS: &str = "
    CREATE OR REPLACE FUNCTION bench_id(at timestamptz, message bigint, chat bigint) RETURNS uuid LANGUAGE sql AS $$
        SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8'
                || lpad(to_hex(message), 3, '0') || lpad(to_hex(chat), 12, '0'))::uuid
    $$;
    CREATE OR REPLACE FUNCTION bench_bound(at timestamptz) RETURNS uuid LANGUAGE sql AS $$
        SELECT rpad(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
    $$;
    CREATE TABLE bench_client AS SELECT client_id, inbox_id FROM participant LIMIT 1;
    CREATE TABLE bench_pattern AS
        SELECT DISTINCT ON (direction) direction, content, owner, state FROM chat_message ORDER BY direction, created_at;
    CREATE OR REPLACE FUNCTION bench_chats(first bigint, last bigint, chats bigint, agents bigint)
    RETURNS TABLE (number bigint, chat uuid, customer uuid, phone text, called text, began timestamptz, state text, agent uuid)
    LANGUAGE sql AS $$
        SELECT n, ('d0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
               ('c0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '2783' || lpad(n::text, 7, '0'),
               'Name' || n % 20 || ' Surname' || n / 20 % 50,
               date_trunc('week', now()) - interval '12 weeks' + interval '12 weeks' * (n::float8 / chats),
               CASE WHEN n % 20 < 15 THEN 'CLOSED' WHEN n % 20 < 17 THEN 'QUEUED' WHEN n % 20 < 19 THEN 'BOT' ELSE 'ACTIVE' END,
               ('b0000000-0000-7000-8000-' || lpad(to_hex(n / 20 % agents), 12, '0'))::uuid
        FROM generate_series(first, last) AS n
    $$";

/// `$1` = how many agents there are.
const PEOPLE: [&str; 3] = [
    "INSERT INTO team (client_id, id, name, created_at)
     SELECT client_id, ('e0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Team ' || n, now()
     FROM bench_client, generate_series(0, 9) AS n WHERE $1::bigint > 0",
    "INSERT INTO client_user (client_id, id, email, name, role, team_id, available, password_hash, created_at)
     SELECT client_id, ('b0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'agent' || n || '@bench.example',
            'Agent ' || n, 'AGENT', ('e0000000-0000-7000-8000-' || lpad(to_hex(n % 10), 12, '0'))::uuid, true, 'x', now()
     FROM bench_client, generate_series(0, $1 - 1) AS n",
    "INSERT INTO api_key (key_hash, client_id, user_id, sealed, created_at)
     SELECT sha256(convert_to('a0000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'), 'UTF8')), client_id,
            ('b0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '\\x00', now()
     FROM bench_client, generate_series(0, $1 - 1) AS n",
];

/// `$1` and `$2` = the numbers of the chats, `$3` = how many there will be, `$4` = how many agents there are.
const FILLING: [&str; 6] = [
    "INSERT INTO customer (client_id, id, full_name, created_at)
     SELECT client_id, customer, called, began FROM bench_client, bench_chats($1, $2, $3, $4)",
    "INSERT INTO customer_address (client_id, kind, value, customer_id, seen_at)
     SELECT client_id, 'PHONE', phone, customer, began FROM bench_client, bench_chats($1, $2, $3, $4)",
    "INSERT INTO participant (client_id, id, inbox_id, customer_id, channel, state, next_sequence, missed, after_hours,
                              assigned_agent_id, last_assigned_agent_id, team_id, last_message_at, created_at, found_by,
                              missed_agent_id)
     SELECT client_id, chat, inbox_id, customer, 'WHATSAPP', state, 21, number % 50 = 0, number % 70 = 0,
            CASE state WHEN 'ACTIVE' THEN agent END, CASE state WHEN 'CLOSED' THEN agent END,
            CASE state WHEN 'ACTIVE' THEN member.team_id END, began + interval '20 minutes', began, lower(called || E'\\n' || phone),
            CASE WHEN number % 50 = 0 THEN agent END
     FROM bench_client JOIN bench_chats($1, $2, $3, $4) ON true
     JOIN client_user member USING (client_id) WHERE member.id = agent",
    "INSERT INTO participant_search (client_id, participant_id, grams, words)
     SELECT client_id, chat, chat_grams(client_id, words), words
     FROM bench_client, bench_chats($1, $2, $3, $4), LATERAL (SELECT lower(called || E'\\n' || phone) AS words) given",
    "INSERT INTO chat_message (client_id, id, participant_id, sequence_number, direction, content_type, channel, body, content,
                               owner, gst_id, provider_id, state, created_at)
     SELECT client_id, given.id, chat, n, one.direction, 'TEXT', 'WHATSAPP', 'message ' || n || ' of ' || number, one.content,
            one.owner, given.id::text, 'wamid.bench.' || number || '.' || n, one.state, began + interval '1 minute' * n
     FROM bench_client JOIN bench_chats($1, $2, $3, $4) ON true JOIN generate_series(1, 20) AS n ON true
     JOIN bench_pattern one ON (one.direction = 'INCOMING') = (n % 2 = 1)
     JOIN LATERAL (SELECT bench_id(began + interval '1 minute' * n, n, number) AS id) given ON true",
    "INSERT INTO ticket (client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at, closed_at)
     SELECT client_id, bench_id(began, 0, number), 1 + number / 2, chat, inbox_id,
            CASE state WHEN 'CLOSED' THEN 'CLOSED' WHEN 'ACTIVE' THEN 'OPEN' ELSE 'RESOLVED' END, agent,
            CASE number % 40 WHEN 3 THEN 'POOR' WHEN 5 THEN 'EXCELLENT' END, began, began + interval '20 minutes',
            CASE state WHEN 'ACTIVE' THEN NULL ELSE began + interval '20 minutes' END
     FROM bench_client, bench_chats($1, $2, $3, $4) WHERE number % 2 = 1",
];
