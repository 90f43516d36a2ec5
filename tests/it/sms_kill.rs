//! SIGKILL at random moments while SMS are sent over two binds: nothing acknowledged is lost, and only SMS in flight
//! arrive twice. `PATCHBAY_KILL_SEED` repeats a run; the test prints the seed and the counts.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use harness::{Patchbay, PatchbaySetup, TestClient};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::task::JoinSet;

/// Kills of the process in the test; `make soak` continues for minutes.
pub const KILLS: usize = 2;
/// The windows of both binds together.
const WINDOW: usize = 16;
/// Minimum of requests that are acknowledged between two kills.
const REQUESTS: usize = 15;
const SENDERS: usize = 4;
const PHONES: usize = 30;
/// Pause of a sender. The simulated phones keep 50,000 messages, and a run of two minutes must not reach that.
const PAUSE: Duration = Duration::from_millis(50);
/// Limit of a step on a busy machine; the usual time is seconds.
const PATIENCE: Duration = Duration::from_secs(180);

/// Number and text of each acknowledged message.
type Ledger = Arc<Mutex<Vec<(String, String)>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sms_is_lost_when_the_process_is_killed_at_random() {
    let seed = std::env::var("PATCHBAY_KILL_SEED").map_or(20_251_122, |seed| seed.parse().unwrap());
    println!("{}", killed_at_random(seed, |kills| kills < KILLS).await);
}

/// Kills the process under load while `goes_on` is true for the number of kills. Then checks all promises and returns
/// the counts.
///
/// # Panics
///
/// If a message is lost, or arrives twice for another reason than a submit in flight.
pub async fn killed_at_random(seed: u64, goes_on: impl Fn(usize) -> bool) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut patchbay = start().await;
    let sending = Sending::start(&patchbay).await;
    let mut kills = 0;
    while goes_on(kills) {
        sending.until(3 * REQUESTS * (kills + 1)).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..400))).await;
        patchbay.kill();
        tokio::time::sleep(Duration::from_millis(random.random_range(0..200))).await;
        patchbay.launch().await;
        kills += 1;
    }
    let counts = sending.stop_and_judge(&patchbay).await;
    // SMS in flight, and answered ones that are not stored yet: one window in total (ADR 0043).
    assert!(counts.doubles <= kills * WINDOW, "{} came twice in {kills} kills", counts.doubles);
    format!("SMS kill test: seed {seed}, {kills} kills; {counts}")
}

pub async fn start() -> Patchbay {
    let setup = PatchbaySetup::new().set("limits.unknown_after", "2s");
    let patchbay = setup.bind("name=pair&window=8").bind("name=pair&window=8").start().await;
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptDelayMillis": 300 })).await;
    patchbay
}

/// Two clients that send, each in its own lane. They share the windows.
pub struct Sending {
    ledger: Ledger,
    over: Arc<AtomicBool>,
    senders: JoinSet<()>,
}

pub struct Counts {
    pub acknowledged: usize,
    pub arrived: usize,
    pub doubles: usize,
    pub in_doubt: usize,
    pub given_up: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { acknowledged, arrived, doubles, in_doubt, given_up } = self;
        write!(
            f,
            "{acknowledged} acknowledged, 0 lost; {arrived} arrived, {doubles} of them twice; {in_doubt} legs in doubt, \
             {given_up} given up"
        )
    }
}

impl Sending {
    pub async fn start(patchbay: &Patchbay) -> Self {
        let clients = ["acme", "beta"].map(|name| patchbay.bare_client(name));
        for client in &clients {
            patchbay.credits(client, 1_000_000);
        }
        let mut sending = Self { ledger: Ledger::default(), over: Arc::default(), senders: JoinSet::new() };
        for name in 0..SENDERS {
            let client = clients[name % clients.len()].clone();
            let (ledger, over) = (Arc::clone(&sending.ledger), Arc::clone(&sending.over));
            sending.senders.spawn(send(patchbay.url(), client, name, ledger, over));
        }
        sending
    }

    pub async fn until(&self, messages: usize) {
        let began = Instant::now();
        while self.ledger.lock().unwrap().len() < messages {
            assert!(began.elapsed() < PATIENCE, "requests are not taken");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Lets every sender finish its request, and checks all promises.
    ///
    /// # Panics
    ///
    /// If a message is lost, or stored or charged twice.
    pub async fn stop_and_judge(self, patchbay: &Patchbay) -> Counts {
        self.over.store(true, Ordering::SeqCst);
        self.senders.join_all().await;
        let db = PgPool::connect(patchbay.database_url()).await.unwrap();
        drain(&db).await;
        let acknowledged = self.ledger.lock().unwrap().clone();
        let told = given_up(&db).await;
        let (arrived, doubles) = on_phones(patchbay, &acknowledged, &told).await;
        stored_and_charged_once(&db, &acknowledged).await;
        let in_doubt: i64 =
            sqlx::query_scalar("SELECT count(*) FROM outbound_leg WHERE ambiguous").fetch_one(&db).await.unwrap();
        Counts {
            acknowledged: acknowledged.len(),
            arrived,
            doubles,
            in_doubt: usize::try_from(in_doubt).unwrap(),
            given_up: told.len(),
        }
    }
}

/// Sends request after request, and repeats each until it is answered. The `ctid` prevents a second send.
#[expect(clippy::disallowed_methods, reason = "calls nothing but the program under test")]
async fn send(url: String, client: TestClient, name: usize, ledger: Ledger, over: Arc<AtomicBool>) {
    let http = reqwest::Client::new();
    for round in 0.. {
        let text = format!("{name}-{round} for you");
        let numbers: Vec<String> =
            (0..3).map(|at| format!("2782{:07}", (name * 7 + round * 3 + at) % PHONES)).collect();
        let recipients: Vec<Value> = numbers.iter().map(|to| json!({ "to": to })).collect();
        let body = json!({ "ctid": text, "recipients": recipients, "messageText": text }).to_string();
        loop {
            let request = http.post(format!("{url}/sms/json")).header("X-API-Key", &client.key);
            let request = request.header("Content-Type", "application/json").body(body.clone());
            match request.timeout(Duration::from_secs(10)).send().await {
                Ok(answer) if answer.status().is_success() => break,
                Ok(answer) => assert!(answer.status().is_server_error(), "{}", answer.text().await.unwrap()),
                Err(_) => {}
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        ledger.lock().unwrap().extend(numbers.into_iter().map(|number| (number, text.clone())));
        if over.load(Ordering::SeqCst) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until every SMS is sent and has its receipt, or is given up.
async fn drain(db: &PgPool) {
    let began = Instant::now();
    loop {
        let left: Vec<Value> = sqlx::query_scalar(
            "SELECT jsonb_build_array(sms.state, leg.state, work.phase, (SELECT string_agg(to_jsonb(part)::text, ' ') FROM sms_part part
                                                       WHERE part.message_id = sms.id))
             FROM sms_message sms
             LEFT JOIN outbound_leg leg ON leg.client_id = sms.client_id AND leg.message_id = sms.id
             LEFT JOIN outbound_work work ON work.client_id = sms.client_id AND work.message_id = sms.id
             WHERE sms.state NOT IN ('DELIVERED', 'FAILED') OR work.phase IS NOT NULL",
        )
        .fetch_all(db)
        .await
        .unwrap();
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "after {PATIENCE:?} there is still work: {left:#?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// SMS that were in flight at two kills and failed with the code for a possible arrival: a message is sent twice at
/// most (ADR 0004).
async fn given_up(db: &PgPool) -> HashSet<(String, String)> {
    let failed: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT sms.recipient, sms.ct_id, step.error_code FROM sms_message sms
         JOIN delivery_receipt step ON step.client_id = sms.client_id AND step.message_id = sms.id
         WHERE sms.state = 'FAILED' AND step.state = 'FAILED'",
    )
    .fetch_all(db)
    .await
    .unwrap();
    let odd: Vec<_> = failed.iter().filter(|(_, _, code)| code != "900451").collect();
    assert!(odd.is_empty(), "failed for another reason: {odd:?}");
    failed.into_iter().map(|(recipient, text, _)| (recipient, text)).collect()
}

/// Checks that every acknowledged SMS is on its phone or in `told`. Returns the number of SMS on phones, and of those
/// that arrived twice.
async fn on_phones(
    patchbay: &Patchbay,
    acknowledged: &[(String, String)],
    told: &HashSet<(String, String)>,
) -> (usize, usize) {
    let mut got: HashMap<(String, String), usize> = HashMap::new();
    for number in 0..PHONES {
        let number = format!("2782{number:07}");
        for message in patchbay.phone(&number).inbox().await {
            *got.entry((number.clone(), message["text"].as_str().unwrap().to_owned())).or_default() += 1;
        }
    }
    let lost: Vec<_> = acknowledged.iter().filter(|one| !got.contains_key(*one) && !told.contains(one)).collect();
    assert!(lost.is_empty(), "acknowledged and not arrived: {lost:?}");
    let more = got.values().filter(|count| **count > 2).count();
    assert_eq!(more, 0, "nothing comes three times");
    (got.values().sum(), got.values().filter(|count| **count == 2).count())
}

async fn stored_and_charged_once(db: &PgPool, acknowledged: &[(String, String)]) {
    let stored: Vec<(String, String, i64)> =
        sqlx::query_as("SELECT recipient, ct_id, count(*) FROM sms_message GROUP BY recipient, ct_id")
            .fetch_all(db)
            .await
            .unwrap();
    let twice: Vec<_> = stored.iter().filter(|(_, _, count)| *count != 1).collect();
    assert!(twice.is_empty(), "stored more than once: {twice:?}");
    assert!(stored.len() >= acknowledged.len());
    let (balance, ledger, charged, units): (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT sum(balance)::bigint FROM credit_account), (SELECT sum(amount)::bigint FROM credit_entry),
                (SELECT -sum(amount)::bigint FROM credit_entry WHERE reason = 'SEND'),
                (SELECT sum(units)::bigint FROM sms_message)",
    )
    .fetch_one(db)
    .await
    .unwrap();
    assert_eq!(
        (balance, charged),
        (ledger, units),
        "the balance is the sum of the ledger, and what was charged is stored"
    );
}
