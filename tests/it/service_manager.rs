//! The messages to systemd.

use std::{path::Path, time::Duration};

use harness::PatchbaySetup;
use tokio::{net::UnixDatagram, time::timeout};

/// A service manager that waits for messages at a socket, as systemd does.
struct ServiceManager(UnixDatagram);

impl ServiceManager {
    fn at(socket: &Path) -> Self {
        Self(UnixDatagram::bind(socket).unwrap())
    }

    async fn next(&self) -> String {
        let mut message = [0; 100];
        let length = timeout(Duration::from_secs(60), self.0.recv(&mut message)).await.expect("a message").unwrap();
        String::from_utf8(message[..length].to_vec()).unwrap().trim().to_owned()
    }
}

#[tokio::test]
async fn the_service_manager_learns_that_the_service_is_ready_alive_and_stopping() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("notify");
    let manager = ServiceManager::at(&socket);
    let setup =
        PatchbaySetup::new().variable("NOTIFY_SOCKET", socket.to_str().unwrap()).variable("WATCHDOG_USEC", "200000");
    let mut patchbay = setup.start().await;
    assert_eq!(manager.next().await, "READY=1");
    assert_eq!(manager.next().await, "WATCHDOG=1");
    assert_eq!(manager.next().await, "WATCHDOG=1");
    let (stopped, last) = tokio::join!(patchbay.terminate(), async {
        loop {
            match manager.next().await.as_str() {
                "WATCHDOG=1" => {}
                other => return other.to_owned(),
            }
        }
    });
    assert_eq!((stopped, last.as_str()), (Some(0), "STOPPING=1"));
}
