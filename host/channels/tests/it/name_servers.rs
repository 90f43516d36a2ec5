//! Name servers that do not answer delay only the client that named them.

use std::{
    collections::HashSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use channels::http::{GuardedClient, GuardedSettings, NameResolver, PostError, SystemResolver};
use domain::ids::ClientId;
use tokio::net::UdpSocket;
use uuid::Uuid;

use crate::support::{Answer, Server};

/// Look-ups of one client at once.
const AT_ONCE: usize = 8;

/// A name server that knows every name under `here.example`, knows that there is nothing under `nowhere.example`, and says
/// nothing about others.
struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<HashSet<String>>>,
}

impl NameServer {
    async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(HashSet::new()));
        let names = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut packet = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut packet).await {
                let (name, question) = question(&packet[..length]);
                names.lock().unwrap().insert(name.clone());
                if let Some(answer) = answer(&packet[..2], &name, question) {
                    socket.send_to(&answer, from).await.unwrap();
                }
            }
        });
        Self { address, asked }
    }

    fn silent_names(&self) -> usize {
        self.asked.lock().unwrap().iter().filter(|name| name.ends_with("silent.example")).count()
    }
}

/// The name that a packet asks about, in lower case, and the question as it stands there.
fn question(packet: &[u8]) -> (String, &[u8]) {
    let (mut labels, mut at) = (Vec::new(), 12);
    while packet[at] != 0 {
        let end = at + 1 + usize::from(packet[at]);
        labels.push(String::from_utf8(packet[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    (labels.join(".").to_ascii_lowercase(), &packet[12..at + 5])
}

fn answer(id: &[u8], name: &str, question: &[u8]) -> Option<Vec<u8>> {
    let for_ipv4 = question[question.len() - 4..question.len() - 2] == [0, 1];
    let (code, answers): (u8, u8) = match name {
        name if name.ends_with("here.example") && !name.ends_with("nowhere.example") => (0, u8::from(for_ipv4)),
        name if name.ends_with("nowhere.example") => (3, 0),
        _ => return None,
    };
    let mut packet = [id, &[0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0], question].concat();
    if answers == 1 {
        // The name of the question, an IPv4 address, for a minute.
        packet.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    Some(packet)
}

fn guarded(servers: &NameServer) -> GuardedClient {
    let resolver = Arc::new(SystemResolver::of_server(servers.address).unwrap());
    GuardedClient::new(GuardedSettings { resolver, ..GuardedSettings::default() }).unwrap()
}

fn client(id: u128) -> ClientId {
    ClientId(Uuid::from_u128(id))
}

#[tokio::test]
async fn names_are_found_and_unknown_ones_are_not() {
    let servers = NameServer::start().await;
    let resolver = SystemResolver::of_server(servers.address).unwrap();
    assert_eq!(
        resolver.resolve("shop.here.example").await.unwrap(),
        ["127.0.0.1".parse::<std::net::IpAddr>().unwrap()]
    );
    let refused = resolver.resolve("shop.nowhere.example").await.unwrap_err();
    assert_eq!(refused.to_string(), "the name has no address");
}

#[tokio::test]
async fn localhost_is_resolved_without_a_name_server() {
    let found = SystemResolver::default().resolve("localhost").await.unwrap();
    assert!(!found.is_empty() && found.iter().all(std::net::IpAddr::is_loopback), "{found:?}");
}

/// As many threads as a look-up of the system's library would need one of.
#[test]
fn silent_name_servers_block_no_thread_and_delay_no_other_client() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).enable_all().build();
    runtime.unwrap().block_on(async {
        let servers = NameServer::start().await;
        let http = guarded(&servers);
        let mut waiting = tokio::task::JoinSet::new();
        for (caller, name) in (1..=5).flat_map(|caller| (0..40).map(move |name| (caller, name))) {
            let http = http.on_behalf_of(client(caller));
            let url = format!("http://c{caller}-n{name}.silent.example/");
            waiting.spawn(async move { http.fetch(&url, 10, true).await });
        }
        while servers.silent_names() < 5 * AT_ONCE {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }

        let target = Server::start().await;
        target.answer(Answer::new(200, "ok"));
        let url = target.url("/").replace("127.0.0.1", "shop.here.example");
        let quiet = http.on_behalf_of(client(6));
        let fetched = tokio::time::timeout(Duration::from_secs(1), quiet.fetch(&url, 10, true)).await;
        assert_eq!(fetched.expect("it waits for the names of others").unwrap().status, 200);
        let hashing = tokio::task::spawn_blocking(|| "done");
        let hashed = tokio::time::timeout(Duration::from_secs(1), hashing).await;
        assert_eq!(hashed.expect("a look-up has the thread").unwrap(), "done");

        assert_eq!(servers.silent_names(), 5 * AT_ONCE, "each client has its share, and no more");
        waiting.shutdown().await;
    });
}

#[tokio::test]
async fn a_name_without_a_dns_answer_fails_within_the_connect_timeout() {
    let servers = NameServer::start().await;
    let resolver = Arc::new(SystemResolver::of_server(servers.address).unwrap());
    let settings =
        GuardedSettings { resolver, connect_timeout: Duration::from_millis(200), ..GuardedSettings::default() };
    let http = GuardedClient::new(settings).unwrap();
    let failed = http.fetch("http://shop.silent.example/", 10, true).await.unwrap_err();
    assert!(matches!(failed, PostError::Connect(_)), "{failed:?}");
}
