//! Kannel from the packages of the system: `bearerbox` with its spool on the disk, and `smsbox` before it.

use std::{
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::{load::Connection, smsc::Account};

/// A running Kannel; it ends with this.
pub struct Kannel {
    boxes: Vec<Child>,
    /// Where messages are taken.
    pub address: SocketAddr,
    _folder: TempDir,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Where a program of Kannel is: Debian keeps them from the path of users.
fn program(name: &str) -> Option<String> {
    let places = ["/usr/sbin", "/usr/bin", "/usr/local/sbin"];
    places.iter().map(|place| format!("{place}/{name}")).find(|path| std::path::Path::new(path).exists())
}

impl Kannel {
    /// Starts it with one bind of this window; `None` where it is not installed.
    pub async fn start(account: &Account, window: usize) -> Option<Self> {
        let (bearerbox, smsbox) = (program("bearerbox")?, program("smsbox")?);
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        std::fs::create_dir(&spool).unwrap();
        let (admin, between, send) = (free_port(), free_port(), free_port());
        let (host, port) = account.address.split_once(':').unwrap();
        let configuration = format!(
            "group = core\nadmin-port = {admin}\nadmin-password = bench\nsmsbox-port = {between}\nlog-level = 4\n\
             store-type = spool\nstore-location = {}\ndlr-storage = internal\nbox-allow-ip = 127.0.0.1\n\n\
             group = smsc\nsmsc = smpp\nsmsc-id = bench\nhost = {host}\nport = {port}\nsmsc-username = {}\n\
             smsc-password = secret\nsystem-type = VMA\ntransceiver-mode = true\nmax-pending-submits = {window}\n\
             enquire-link-interval = 30\n\n\
             group = smsbox\nbearerbox-host = 127.0.0.1\nsendsms-port = {send}\nglobal-sender = PATCHBAY\n\
             log-level = 4\n\n\
             group = sendsms-user\nusername = bench\npassword = bench\nmax-messages = 9\nconcatenation = true\n",
            spool.display(),
            account.system_id,
        );
        let file = folder.path().join("kannel.conf");
        std::fs::write(&file, configuration).unwrap();
        let run = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-v").arg("4").arg(&file).current_dir(folder.path());
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut boxes = vec![run(&bearerbox)];
        wait_for(between).await;
        boxes.push(run(&smsbox));
        wait_for(send).await;
        // It binds to the SMSC during that time.
        tokio::time::sleep(Duration::from_secs(2)).await;
        Some(Self { boxes, address: ([127, 0, 0, 1], send).into(), _folder: folder })
    }

    /// The path that sends a text to these numbers.
    pub fn path(to: &[String], text: &str) -> String {
        let text = text.replace(' ', "+");
        format!("/cgi-bin/sendsms?username=bench&password=bench&from=PATCHBAY&to={}&text={text}", to.join("+"))
    }

    /// A connection to it.
    pub async fn connection(&self) -> Connection {
        Connection::open_at(self.address, "/").await
    }
}

async fn wait_for(port: u16) {
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("Kannel does not listen on {port}");
}

impl Drop for Kannel {
    fn drop(&mut self) {
        for one in self.boxes.iter_mut().rev() {
            drop(one.kill());
            drop(one.wait());
        }
    }
}
