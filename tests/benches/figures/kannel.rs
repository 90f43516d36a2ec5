//! Kannel from the packages of the system: `bearerbox` with its spool on the disk, and `smsbox` before it. Kannel does not
//! call `fsync`, so a spool that is as durable as a commit is on a file system that is mounted `sync,dirsync`.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use crate::{load::Connection, smsc::Account};

/// Bytes of the file system of a synchronous spool, as `truncate` takes them.
const SPOOL_SIZE: &str = "1G";

/// How the file system of the spool treats a write.
#[derive(Clone, Copy)]
pub enum Spool {
    /// A write returns when it is on the disk.
    Synchronous,
    /// A write returns when it is in the memory of the kernel.
    Buffered,
}

/// A running Kannel; it ends with this.
pub struct Kannel {
    boxes: Vec<Child>,
    /// Where messages are taken.
    pub address: SocketAddr,
    mounted: Option<PathBuf>,
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
    /// Starts it with one bind of this window; `None` if it is not installed, or if its spool cannot be mounted.
    pub async fn start(account: &Account, window: usize, spool: Spool) -> Option<Self> {
        let (bearerbox, smsbox) = (program("bearerbox")?, program("smsbox")?);
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let place = home.join("spool");
        std::fs::create_dir(&place).unwrap();
        let mounted = match spool {
            Spool::Synchronous => Some(mount(&home.join("disk"), &place)?),
            Spool::Buffered => None,
        };
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
            place.display(),
            account.system_id,
        );
        let file = home.join("kannel.conf");
        std::fs::write(&file, configuration).unwrap();
        let run = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-v").arg("4").arg(&file).current_dir(&home);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut kannel =
            Self { boxes: vec![run(&bearerbox)], address: ([127, 0, 0, 1], send).into(), mounted, _folder: folder };
        wait_for(between).await;
        kannel.boxes.push(run(&smsbox));
        wait_for(send).await;
        // It binds to the SMSC during that time.
        tokio::time::sleep(Duration::from_secs(2)).await;
        Some(kannel)
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
        if let Some(place) = &self.mounted {
            is_done("umount", &[place]);
        }
    }
}

/// Makes a file system in this file and mounts it `sync,dirsync`; `None` without the rights or the tools.
fn mount(disk: &Path, place: &Path) -> Option<PathBuf> {
    let made = is_done("truncate", &[Path::new("-s"), Path::new(SPOOL_SIZE), disk])
        && is_done("mkfs.ext4", &[Path::new("-q"), disk])
        && is_done("mount", &[Path::new("-o"), Path::new("loop,sync,dirsync"), disk, place]);
    made.then(|| place.to_owned())
}

/// Whether a command succeeds.
fn is_done(program: &str, arguments: &[&Path]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
