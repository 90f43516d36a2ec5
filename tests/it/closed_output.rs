//! Commands that print until they are ended, such as `patchbay listen | head -1`: if the reader of standard output has
//! gone, that is their normal end.

use std::{
    future::ready,
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStderr, Command, Stdio},
};

use harness::{WebhookSink, binary, eventually, guest};

use crate::plugin_commands::{Machine, NUMBER, office};

/// A command whose standard output has no reader from the beginning. Its standard input stays open.
struct UnreadCommand {
    child: Child,
    errors: BufReader<ChildStderr>,
}

impl UnreadCommand {
    fn start(command: &mut Command) -> Self {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        Self { child, errors }
    }

    /// Reads standard error until a line contains `words`.
    fn until(&mut self, words: &str) {
        let found = self.errors.by_ref().lines().any(|line| line.unwrap().contains(words));
        assert!(found, "the command ended before it said: {words}");
    }

    async fn ends_normally(mut self) {
        let ended = eventually("the end of the command", || ready(self.child.try_wait().unwrap())).await;
        let mut errors = String::new();
        self.errors.read_to_string(&mut errors).unwrap();
        assert!(ended.success() && !errors.contains("cannot write"), "{ended}\n{errors}");
    }
}

impl Drop for UnreadCommand {
    fn drop(&mut self) {
        // After a failed test it still runs.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_chat_in_the_terminal_ends_normally_if_its_reader_has_gone() {
    let machine = Machine::new();
    machine.write("clerk.wasm", guest("clerk"));
    UnreadCommand::start(&mut machine.command(&["run", "clerk.wasm"])).ends_normally().await;
}

#[tokio::test]
async fn commands_that_follow_a_server_end_normally_if_their_reader_has_gone() {
    let (patchbay, client, machine) = office().await;
    let sink = WebhookSink::start().await;
    machine.write("clerk.wasm", guest("clerk"));
    UnreadCommand::start(&mut machine.command(&["dev", "clerk.wasm", "--number", NUMBER])).ends_normally().await;
    assert_eq!(client.in_force("clerk").await.len(), 1, "the session has activated its plugin");

    let logs = UnreadCommand::start(&mut machine.command(&["logs", "clerk", "--follow"]));
    let mut listening = Command::new(binary());
    listening.args(["listen", "--to", &sink.url("hook")]);
    listening.env("PATCHBAY_URL", patchbay.url()).env("PATCHBAY_API_KEY", &client.key);
    let mut listen = UnreadCommand::start(&mut listening);
    listen.until("listening to ");
    patchbay.phone("27820000051").write(NUMBER, "say hello").await;

    logs.ends_normally().await;
    listen.ends_normally().await;
    sink.receives_many("hook", 1).await;
}
