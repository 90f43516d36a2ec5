//! Rules of every request: ids, error bodies, unknown paths, body types and sizes, TLS, panics.

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::service::{Call, MAX_BODY, Options, Service};

const SEND: &str = "/whatsapp-api-service/v2/messages";
const SMS: &str = "/whatsapp-api-service/v2/channels/sms";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";

#[tokio::test]
async fn every_response_carries_an_id_of_its_own() {
    let service = Service::start().await;
    let mut seen = std::collections::HashSet::new();
    for path in ["/healthz", "/nowhere", NUMBERS] {
        let answer = service.send(Call::get(path).header("x-request-id", "theirs")).await;
        let id = answer.headers["x-request-id"].to_str().unwrap().to_owned();
        assert_eq!(id.parse::<uuid::Uuid>().unwrap().get_version_num(), 7);
        assert!(seen.insert(id));
    }
}

#[tokio::test]
async fn an_unknown_path_is_404_and_a_known_one_with_another_method_405() {
    let service = Service::start().await;
    assert_eq!(service.get("/nowhere").await.error(), (404, "Not found".to_owned()));
    let answer = service.get(SEND).await;
    assert_eq!(answer.error(), (405, "Method not allowed".to_owned()));
    assert_eq!(answer.headers["allow"], "POST");
    assert_eq!(answer.json()["path"], SEND);
}

#[tokio::test]
async fn a_trailing_slash_never_matters() {
    let service = Service::start().await;
    assert_eq!(service.get(&format!("{NUMBERS}/")).await.status, 200);
    let answer = service.get(&format!("{NUMBERS}/?size=1")).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["size"]), (200, &json!(1)));
    assert_eq!(service.get("/healthz//").await.status, 200);
    assert_eq!(service.get("/").await.status, 200);
}

#[tokio::test]
async fn a_nul_character_anywhere_in_a_path_matches_no_object() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let names: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
        let odd = names.iter().fold(path.clone(), |odd, name| odd.replace(name, "a%00b"));
        for method in methods.as_object().unwrap().keys().filter(|method| !names.is_empty() && *method != "options") {
            let mut call = Call::post(&odd, "{}").key(&service.key).header("x-api-key", &service.key);
            *call.0.method_mut() = method.to_uppercase().parse().unwrap();
            let answer = service.send(call).await;
            assert!(answer.status.is_client_error(), "{method} {odd}: {}", answer.status);
            asked += 1;
        }
    }
    assert!(asked > 40, "only {asked} operations have something in their path");
}

#[tokio::test]
async fn a_body_of_another_type_is_415() {
    let service = Service::start().await;
    for other in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        let call = Call::post(SEND, "{}").without("content-type").header("content-type", other).key(&service.key);
        assert_eq!(service.send(call).await.error(), (415, "Unsupported media type".to_owned()), "{other}");
    }
    let call = Call::post(SEND, "{}").without("content-type").key(&service.key);
    assert_eq!(service.send(call).await.error().0, 415);
    let named =
        Call::post(SEND, "{}").without("content-type").header("content-type", "Application/JSON; charset=utf-8");
    assert_eq!(service.send(named.key(&service.key)).await.error().0, 400);
}

#[tokio::test]
async fn a_body_is_taken_up_to_the_limit_and_not_one_byte_further() {
    let service = Service::start().await;
    let body = |length: usize| {
        let start = r#"{"channel":"WHATSAPP","padding":""#;
        format!("{start}{}\"}}", "x".repeat(length - start.len() - 2))
    };
    let fits = service.send(Call::post(SEND, body(MAX_BODY)).key(&service.key)).await;
    assert_eq!(fits.error().0, 400);
    let too_long = Call::post(SEND, body(MAX_BODY + 1)).key(&service.key);
    assert_eq!(service.send(too_long).await.error(), (413, "Payload too large".to_owned()));
}

#[tokio::test]
async fn a_body_without_a_declared_length_is_measured_while_it_comes() {
    let service = Service::start().await;
    let chunks = stream::iter((0..100).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 1000]))));
    let call = Call::post(SEND, Body::from_stream(chunks)).key(&service.key);
    assert_eq!(service.send(call).await.error().0, 413);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_408() {
    let service = Service::start().await;
    let call = Call::post(SEND, Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>()));
    assert_eq!(service.send(call.key(&service.key)).await.error(), (408, "Request timeout".to_owned()));
}

#[tokio::test]
async fn a_body_that_is_no_json_is_400_and_names_the_body() {
    let service = Service::start().await;
    for bad in ["", "{", "{\"channel\":}", "[1,2", "{} {}"] {
        let answer = service.send(Call::post(SEND, bad).key(&service.key)).await;
        assert_eq!(answer.field(), "body", "{bad:?}");
    }
    let not_utf8 = Call::post(SEND, vec![b'"', 0xff, b'"']).key(&service.key);
    assert_eq!(service.send(not_utf8).await.field(), "body");
}

#[tokio::test]
async fn a_handler_that_panics_is_a_500_like_any_other() {
    let service = Service::start().await;
    let answer = service.send(Call::post("/testing/clock/advance", r#"{"seconds":13}"#)).await;
    assert_eq!(answer.error(), (500, "Internal server error".to_owned()));
    assert!(!answer.json()["message"].as_str().unwrap().contains("unlucky"));
}

#[tokio::test]
async fn the_testing_clock_moves_forward_only_and_only_when_it_is_configured() {
    let service = Service::start().await;
    let before = service.context.now();
    let answer = service.send(Call::post("/testing/clock/advance", r#"{"seconds":90}"#)).await;
    assert_eq!((answer.status.as_u16(), (service.context.now() - before).num_seconds()), (200, 90));
    for bad in [r#"{"seconds":-1}"#, r#"{"seconds":1.5}"#, r#"{"seconds":"1"}"#, r#"{"seconds":400000000}"#] {
        assert_eq!(service.send(Call::post("/testing/clock/advance", bad)).await.field(), "seconds", "{bad}");
    }
    let without = Service::with(Options { testing_clock: false, ..Options::default() }).await;
    assert_eq!(without.send(Call::post("/testing/clock/advance", "{}")).await.error().0, 404);
}

#[tokio::test]
async fn plain_http_is_refused_where_https_is_required() {
    let options = Options { require_https: true, trusted_proxies: &["10.0.0.0/8"], ..Options::default() };
    let service = Service::with(options).await;
    let from =
        |peer: &str, proto: &str| Call::get(NUMBERS).key(&service.key).from(peer).header("x-forwarded-proto", proto);
    assert_eq!(service.get(NUMBERS).await.error(), (403, "HTTPS required".to_owned()));
    assert_eq!(service.send(from("192.0.2.1", "https")).await.status, 403);
    assert_eq!(service.send(from("10.1.2.3", "http")).await.status, 403);
    assert_eq!(service.send(from("10.1.2.3", "https")).await.status, 200);
    assert_eq!(service.send(from("[::ffff:10.1.2.3]", "https")).await.status, 200);
    assert_eq!(service.get("/healthz").await.status, 200);
    let mut over_tls = Call::get(NUMBERS).key(&service.key);
    over_tls.0.extensions_mut().insert(api::OverTls);
    assert_eq!(service.send(over_tls).await.status, 200);
}

#[tokio::test]
async fn a_process_that_stops_is_alive_and_not_ready() {
    let service = Service::start().await;
    assert_eq!(service.get("/readyz").await.json()["status"], "READY");
    service.readiness.stop();
    let answer = service.get("/readyz").await;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (503, &json!("NOT_READY")));
    assert_eq!(service.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn an_unreachable_database_is_503_and_not_401() {
    let service = Service::start().await;
    service.context.db.close().await;
    let answer = service.get(NUMBERS).await;
    assert_eq!(answer.error(), (503, "Service unavailable".to_owned()));
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(service.get("/readyz").await.json()["checks"]["database"], false);
}

#[tokio::test]
async fn a_process_is_not_ready_while_sends_cannot_be_stored_and_is_again_when_they_can() {
    let service = Service::start().await;
    assert_eq!(service.get("/readyz").await.json()["checks"]["writable"], true);
    // As with a full disk: the database answers, and takes nothing of a send.
    sqlx::raw_sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON idempotency FOR EACH ROW EXECUTE FUNCTION full_disk()",
    )
    .execute(&service.context.db)
    .await
    .unwrap();
    let body = json!({"messages": [{"recipients": [{"to": "+27830000001"}], "messageText": "hello"}]});
    let send = || service.send(Call::post(SMS, body.to_string()).key(&service.key).header("idempotency-key", "k"));

    assert_eq!(send().await.status, 503);
    for _ in 0..2 {
        let answer = service.get("/readyz").await;
        let said = answer.json();
        assert_eq!((answer.status.as_u16(), &said["checks"]["writable"]), (503, &json!(false)), "{said}");
        assert_eq!(said["checks"]["database"], true);
    }

    // No client sends to a process that is not ready, so it must find out by itself.
    sqlx::raw_sql("DROP TRIGGER full_disk ON idempotency").execute(&service.context.db).await.unwrap();
    let mut looks = 0;
    while service.get("/readyz").await.status != 200 {
        looks += 1;
        assert!(looks < 100, "it does not become ready");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(send().await.status, 202);
}

#[tokio::test]
async fn a_database_that_only_reads_is_not_ready() {
    let service = Service::start().await;
    // Every session from now on, as those of a replica would be.
    let mut last = service.context.db.acquire().await.unwrap();
    let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&mut *last).await.unwrap();
    let change = format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on");
    sqlx::raw_sql(&change).execute(&mut *last).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::raw_sql(end).execute(&mut *last).await.unwrap();
    last.close().await.unwrap();

    assert_eq!(service.get("/readyz").await.json()["checks"]["writable"], false);
}

#[tokio::test]
async fn a_hundred_simultaneous_calls_of_readyz_query_the_database_once() {
    let service = Service::start().await;
    // Counts the queries of the list of migrations.
    sqlx::raw_sql(
        "CREATE SEQUENCE looks;
         ALTER TABLE _sqlx_migrations RENAME TO applied;
         CREATE VIEW _sqlx_migrations AS
             WITH look AS MATERIALIZED (SELECT nextval('looks')) SELECT applied.* FROM look, applied",
    )
    .execute(&service.context.db)
    .await
    .unwrap();

    let answers = futures::future::join_all((0..100).map(|_| service.send(Call::get("/readyz")))).await;

    assert!(answers.iter().all(|answer| answer.json()["checks"]["migrations"] == true));
    let looks: i64 = sqlx::query_scalar("SELECT last_value FROM looks").fetch_one(&service.context.db).await.unwrap();
    assert_eq!(looks, 1);
}

#[tokio::test]
async fn a_caller_that_writes_all_before_it_reads_gets_the_413() {
    let service = Service::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, service.router).await.unwrap() });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = MAX_BODY * 4;
    let head = format!(
        "POST {SEND} HTTP/1.1\r\nHost: test\r\nAuthorization: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        service.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; length]).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn metrics_are_for_callers_on_this_machine() {
    let service = Service::start().await;
    let metrics = || Call::get("/metrics");
    for peer in ["127.0.0.1", "127.0.0.2"] {
        assert_eq!(service.send(metrics().from(peer)).await.status, 200, "{peer}");
    }
    let through_a_proxy = metrics().from("127.0.0.1").header("x-forwarded-for", "127.0.0.1");
    for call in [metrics(), metrics().from("192.0.2.1"), metrics().from("10.0.0.1").key(&service.key), through_a_proxy]
    {
        assert_eq!(service.send(call).await.error(), (403, "Forbidden".to_owned()));
    }
}

#[tokio::test]
async fn metrics_with_an_address_of_their_own_are_served_there_only() {
    let service = Service::with(Options { metrics_elsewhere: true, ..Options::default() }).await;
    assert_eq!(service.send(Call::get("/metrics").from("127.0.0.1")).await.error().0, 404);
    let own = api::metrics_router(std::sync::Arc::new(
        metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder().handle(),
    ));
    let status = async |path: &str| {
        let answer = tower::ServiceExt::oneshot(own.clone(), Call::get(path).from("192.0.2.1").0).await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!((status("/metrics").await, status("/healthz").await), (200, 404));
}
