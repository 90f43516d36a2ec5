//! The resources that a guest cannot reach, and their replacements.

use std::sync::Arc;

use plugin_host::{CallLimits, CallSeed, NoKeyValues, PluginCall};

use crate::support::{TestHost, call, client, limits, only_text, says, session};

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_sees_no_environment_files_or_sockets() {
    let test = TestHost::with_hostile_guests(limits()).await;
    assert_eq!(test.answer("environment").await, "0 variables, 0 arguments");
    assert_eq!(test.answer("files").await, "read false, written false");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_may_import_sockets_but_cannot_connect() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let post = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    post.set_nonblocking(true).unwrap();
    let (port, post_port) = (listener.local_addr().unwrap().port(), post.local_addr().unwrap().port());

    assert_eq!(test.answer(&format!("sockets {port}")).await, "connected false, bound false, resolved false");
    assert_eq!(test.answer(&format!("sockets {post_port}")).await, "connected false, bound false, resolved false");

    let nothing = std::io::ErrorKind::WouldBlock;
    assert_eq!(listener.accept().unwrap_err().kind(), nothing, "no connection came");
    assert_eq!(post.recv(&mut [0]).unwrap_err().kind(), nothing, "nothing was sent");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok(), "the port has a listener");
    assert!(
        test.host.find("hostile").unwrap().imports.iter().any(|import| import.starts_with("wasi:sockets/tcp@0.2")),
        "it does import them"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn http_is_there_but_nothing_is_granted() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let error = test.command("http").await.unwrap_err().to_string();
    assert!(error.contains("http-not-granted"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_left_in_memory_is_never_seen_by_the_next_instance() {
    // One call at a time, so that every instance gets the same slot of the pool.
    let test = TestHost::with_hostile_guests(CallLimits { calls: 1, ..limits() }).await;
    assert_eq!(test.answer("plant-and-seek").await, "found 1000", "the search does find what is there");
    for round in 0..20 {
        assert_eq!(test.answer("plant").await, "done");
        let found = test.command_of(client(2), "seek").await.unwrap();
        assert_eq!(only_text(&found.actions), "found 0", "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_show_the_moment_of_the_call() {
    let test = TestHost::with_hostile_guests(limits()).await;
    assert_eq!(test.answer("clock").await, "1760428800 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn randomness_follows_from_the_seed() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let random = async |number| {
        let seed = CallSeed::from_number(number);
        let call = PluginCall { seed, ..call("hostile") };
        let outcome = test.host.chatbot(call, &says("random"), &session(), Arc::new(NoKeyValues)).await;
        only_text(&outcome.unwrap().actions)
    };
    assert_eq!(random(1).await, random(1).await);
    assert_ne!(random(1).await, random(2).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_reads_the_configuration_of_the_call() {
    let test = TestHost::with_hostile_guests(limits()).await;
    let call = PluginCall { config: r#"{"greeting":"Ahoy"}"#, ..call("hostile") };
    let outcome = test.host.chatbot(call, &says("config"), &session(), Arc::new(NoKeyValues)).await.unwrap();
    assert_eq!(only_text(&outcome.actions), r#"{"greeting":"Ahoy"}"#);
}
