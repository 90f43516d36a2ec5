//! A provider that costs next to nothing: it takes every send of the Cloud API and reports its statuses, each in a callback of
//! its own. In a process of its own (this program under another role) where throughput is measured, in this one where it
//! is timed when a send arrives.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    ops::Range,
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

use crate::{
    load::{Connection, content_length},
    role,
};

/// The argument that makes this program a provider; the address of the program, its app secret and the number of statuses follow.
pub const ROLE: &str = "--be-a-provider";

/// Callbacks under way at once; those of one message go over the same connection, one after the other.
const CONNECTIONS: usize = 64;
const CALLBACKS: &str = "/providers/whatsapp-cloud/webhook";
const STATUSES: [&str; 3] = ["sent", "delivered", "read"];
/// Before a callback that was not taken is posted once more.
const AGAIN: Duration = Duration::from_millis(50);

/// A provider in a process of its own; it ends with this.
pub struct Provider {
    child: Child,
    /// Base URL of its Graph API.
    pub url: String,
}

impl Provider {
    /// Starts one that reports the first `statuses` of sent, delivered and read to the program at `address`.
    pub fn start(address: SocketAddr, app_secret: &str, statuses: usize) -> Self {
        let (child, url) = role::start([ROLE, &address.to_string(), app_secret, &statuses.to_string()]);
        Self { child, url }
    }

    /// Id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Serves until standard input ends, which it does with the process that started it.
pub async fn serve(arguments: &[String]) {
    let at = arguments.iter().position(|argument| argument == ROLE).unwrap();
    let [address, app_secret, statuses] = &arguments[at + 1..at + 4] else { panic!("three arguments") };
    let host = Host { address: address.parse().unwrap(), app_secret: app_secret.clone() };
    let statuses: usize = statuses.parse().unwrap();
    let queues = (0..CONNECTIONS).map(|_| {
        let (queue, messages) = mpsc::unbounded_channel();
        tokio::spawn(report(host.clone(), statuses, messages));
        queue
    });
    let desk = Desk { counter: AtomicUsize::new(0), queues: queues.collect(), arrivals: None };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    std::thread::spawn(|| {
        drop(std::io::stdin().read_line(&mut String::new()));
        std::process::exit(0);
    });
    take_connections(listener, Arc::new(desk)).await;
}

/// A provider in this process that reports nothing and says when a send came.
pub struct Watch {
    /// Base URL of its Graph API.
    pub url: String,
    arrivals: mpsc::UnboundedReceiver<(String, Instant)>,
}

impl Watch {
    /// Starts one.
    pub async fn start() -> Self {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let desk = Desk { counter: AtomicUsize::new(0), queues: Vec::new(), arrivals: Some(sender) };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(take_connections(listener, Arc::new(desk)));
        Self { url, arrivals }
    }

    /// The time of a send to this phone. `None` if none comes in `patience`. Sends to other phones are forgotten.
    pub async fn arrival(&mut self, phone: &str, patience: Duration) -> Option<Instant> {
        let find = async {
            loop {
                let (to, when) = self.arrivals.recv().await.unwrap();
                if to == phone {
                    return when;
                }
            }
        };
        tokio::time::timeout(patience, find).await.ok()
    }
}

/// Where sends are taken.
struct Desk {
    counter: AtomicUsize,
    /// One for each connection to the program.
    queues: Vec<mpsc::UnboundedSender<Message>>,
    arrivals: Option<mpsc::UnboundedSender<(String, Instant)>>,
}

/// The fields of a send that are read.
#[derive(Deserialize)]
struct Sent {
    to: String,
    #[serde(default)]
    biz_opaque_callback_data: String,
}

/// A send that was taken.
struct Message {
    /// Sends that came before it.
    number: usize,
    wamid: String,
    /// Id of the business number with the provider: `1` and its digits, as the harness makes it.
    node: String,
    send: Sent,
}

async fn take_connections(listener: TcpListener, desk: Arc<Desk>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(take_sends(stream, Arc::clone(&desk)));
    }
}

/// Answers one request after the other until the program closes the connection.
async fn take_sends(mut stream: TcpStream, desk: Arc<Desk>) {
    let mut buffer = Vec::with_capacity(16 * 1024);
    loop {
        let Some((line, body)) = request(&buffer) else {
            match stream.read_buf(&mut buffer).await {
                Ok(1..) => continue,
                _ => return,
            }
        };
        let (answer, message) = desk.take(line, &buffer[body.clone()]);
        buffer.drain(..body.end);
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
        if let (Some(message), false) = (message, desk.queues.is_empty()) {
            // After the program has ended no task listens.
            drop(desk.queues[message.number % CONNECTIONS].send(message));
        }
    }
}

/// The first line of the request at the front, and where its body is, once it is all there.
fn request(buffer: &[u8]) -> Option<(&str, Range<usize>)> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&buffer[..end]).unwrap();
    let body = end + 4..end + 4 + content_length(head).unwrap_or(0);
    (buffer.len() >= body.end).then(|| (head.lines().next().unwrap(), body))
}

impl Desk {
    /// The answer to a request, and the message if it was a send.
    fn take(&self, line: &str, body: &[u8]) -> (String, Option<Message>) {
        let path = line.split(' ').nth(1).unwrap_or_default();
        let node = path.strip_suffix("/messages").and_then(|path| path.rsplit('/').next());
        let (Some(node), Ok(send)) = (node, serde_json::from_slice::<Sent>(body)) else {
            return ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(), None);
        };
        if let Some(arrivals) = &self.arrivals {
            drop(arrivals.send((send.to.clone(), Instant::now())));
        }
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        // Unlike any of another run.
        let wamid = format!("wamid.{}.{number}", std::process::id());
        let answer = format!(
            "{{\"messaging_product\":\"whatsapp\",\"contacts\":[{{\"input\":\"{to}\",\"wa_id\":\"{to}\"}}],\
             \"messages\":[{{\"id\":\"{wamid}\",\"message_status\":\"accepted\"}}]}}",
            to = send.to
        );
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        (answer, Some(Message { number, wamid, node: node.to_owned(), send }))
    }
}

/// The receiver of statuses.
#[derive(Clone)]
struct Host {
    address: SocketAddr,
    app_secret: String,
}

/// Reports over one connection: a message's statuses in their order, and between them those of the others that wait here.
async fn report(host: Host, statuses: usize, mut messages: mpsc::UnboundedReceiver<Message>) {
    let mut connection: Option<Connection> = None;
    let mut waiting: VecDeque<(Message, usize)> = VecDeque::new();
    loop {
        if waiting.is_empty() {
            let Some(message) = messages.recv().await else { return };
            waiting.push_back((message, 0));
        }
        while let Ok(message) = messages.try_recv() {
            waiting.push_back((message, 0));
        }
        let Some((message, step)) = waiting.pop_front() else { continue };
        let body = callback(&message, STATUSES[step]);
        let signature = format!("X-Hub-Signature-256: {}\r\n", signature(&host.app_secret, &body));
        if connection.is_none() {
            connection = Some(Connection::open_at(host.address, CALLBACKS).await);
        }
        while connection.as_mut().unwrap().post_with(&signature, &body).await != 200 {
            tokio::time::sleep(AGAIN).await;
        }
        if step + 1 < statuses {
            waiting.push_back((message, step + 1));
        }
    }
}

fn signature(app_secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

/// As Meta writes it.
fn callback(message: &Message, status: &str) -> String {
    let (node, number) = (&message.node, &message.node[1..]);
    let (wamid, to, opaque) = (&message.wamid, &message.send.to, &message.send.biz_opaque_callback_data);
    let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    format!(
        "{{\"object\":\"whatsapp_business_account\",\"entry\":[{{\"id\":\"2{number}\",\"changes\":[{{\"field\":\"messages\",\
         \"value\":{{\"messaging_product\":\"whatsapp\",\"metadata\":{{\"display_phone_number\":\"{number}\",\
         \"phone_number_id\":\"{node}\"}},\"contacts\":[{{\"profile\":{{\"name\":\"Zo\"}},\"user_id\":\"ZA.{to}\",\
         \"wa_id\":\"{to}\"}}],\"statuses\":[{{\"id\":\"{wamid}\",\"status\":\"{status}\",\"timestamp\":\"{timestamp}\",\
         \"recipient_id\":\"{to}\",\"recipient_user_id\":\"ZA.{to}\",\"biz_opaque_callback_data\":\"{opaque}\",\
         \"pricing\":{{\"billable\":true,\"pricing_model\":\"PMP\",\"type\":\"regular\",\"category\":\"utility\"}}}}]}}}}]}}]}}"
    )
}
