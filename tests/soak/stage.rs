//! The program with a neighbour, whose service is timed, and a client that attacks.

use std::{net::SocketAddr, sync::Arc};

use harness::{Authority, NodeProcess, Patchbay, PatchbaySetup, TestClient, TestSite};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::sources::Sources;

/// Where the pages are that show the widget.
pub const ORIGIN: &str = "https://shop.example";
/// The password of the first user of a client.
pub const PASSWORD: &str = "correct horse";

/// The logged warnings and errors that are shown after a case.
const TROUBLES: usize = 5;

/// Everything that a case stands on.
pub struct Stage {
    pub patchbay: Patchbay,
    pub sources: Sources,
    pub neighbour: TestClient,
    pub attacker: TestClient,
    pub neighbours_site: TestSite,
    pub attackers_site: TestSite,
    /// The node under attack, if it is not the first one.
    node: Option<NodeProcess>,
    /// The SMS centre of that node.
    smsc: Option<Arc<TcpListener>>,
    /// Where files of customers are kept: a folder, so that a download is an open file.
    _media: TempDir,
}

/// The entrances of the program, and the key of the client that attacks.
#[derive(Debug, Clone)]
pub struct Ground {
    pub sources: Sources,
    /// All HTTP products.
    pub http: SocketAddr,
    /// The mail listener.
    pub mail: SocketAddr,
    pub key: String,
    /// The site of the attacker.
    pub site: TestSite,
}

impl Stage {
    /// Starts the program.
    pub async fn set() -> Self {
        let sources = Sources::find();
        let media = tempfile::tempdir().unwrap();
        let mut setup = PatchbaySetup::new()
            .set("email.listen", "127.0.0.1:0")
            .set("email.domain", "sms.example.com")
            .set("media.store", media.path().to_str().expect("temporary folders have plain names"))
            .set("logging.filter", "warn,app=info,sqlx=error");
        if sources == Sources::Forwarded {
            setup = setup.set("server.trusted_proxies", r#"["127.0.0.0/8"]"#);
        }
        let patchbay = setup.start().await;
        let neighbour = patchbay.client("neighbour", "27110000001").await;
        let attacker = patchbay.client("attacker", "27110000002").await;
        let neighbours_site = neighbour.new_site(ORIGIN, json!({})).await;
        let attackers_site = attacker.new_site(ORIGIN, json!({})).await;
        Self {
            patchbay,
            sources,
            neighbour,
            attacker,
            neighbours_site,
            attackers_site,
            node: None,
            smsc: None,
            _media: media,
        }
    }

    /// From now on, the attack and the neighbour are at a second node, which speaks TLS.
    pub async fn move_to_tls(&mut self) {
        let authority = Authority::new();
        let (certificate, key) = authority.of_this_machine();
        let settings = [("server.tls_cert", certificate.as_str()), ("server.tls_key", key.as_str())];
        self.node = Some(self.patchbay.second_node_with(&settings).await);
    }

    /// From now on, the attack and the neighbour are at a second node, whose SMS centre is the attacker.
    pub async fn move_to_hostile_smsc(&mut self) {
        let smsc = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smpp://patchbay:secret@{}?mode=trx", smsc.local_addr().unwrap());
        self.node = Some(self.patchbay.second_node_with(&[("smpp.url", &url)]).await);
        self.smsc = Some(Arc::new(smsc));
    }

    /// The SMS centre that the attacker has.
    pub fn hostile_smsc(&self) -> Arc<TcpListener> {
        Arc::clone(self.smsc.as_ref().expect("the node has a hostile SMS centre"))
    }

    /// Base URL of the node under attack.
    pub fn base(&self) -> String {
        self.node.as_ref().map_or_else(|| self.patchbay.url(), |node| node.url.clone())
    }

    /// The process of the node under attack.
    pub fn process(&self) -> u32 {
        self.node.as_ref().map_or_else(|| self.patchbay.process_id(), NodeProcess::process_id)
    }

    /// The facts that an attack needs.
    pub fn ground(&self) -> Ground {
        let base = self.base();
        let (_, address) = base.split_once("://").unwrap();
        Ground {
            sources: self.sources,
            http: address.parse().unwrap(),
            mail: self.mail(),
            key: self.attacker.key.clone(),
            site: self.attackers_site.clone(),
        }
    }

    /// Prints the last warnings and errors that the program has logged, with their number.
    pub fn print_troubles(&self) {
        let log = self.patchbay.log();
        let troubles: Vec<&str> =
            log.lines().filter(|line| line.contains(" WARN ") || line.contains(" ERROR ")).collect();
        for line in troubles.iter().rev().take(TROUBLES) {
            eprintln!("  {line}");
        }
        if troubles.len() > TROUBLES {
            eprintln!("  and {} more", troubles.len() - TROUBLES);
        }
    }

    fn mail(&self) -> SocketAddr {
        let log = self.patchbay.log();
        let (_, rest) = log.split_once("listening on smtp://").expect("the log names the mail listener");
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap_or(rest.len());
        rest[..end].parse().unwrap()
    }
}
