//! Keeps the first and the last bytes of a guest's output and drops the middle. The end holds the reason of a failure.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes that a guest may write in one go.
const PERMIT: usize = 64 << 10;

#[derive(Clone)]
pub(crate) struct OutputSink {
    kept: Arc<Mutex<Kept>>,
    most_first: usize,
    most_last: usize,
}

#[derive(Default)]
struct Kept {
    first: Vec<u8>,
    last: VecDeque<u8>,
    dropped: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Gaps {
    pub(crate) output: Option<Gap>,
    pub(crate) last_log: Option<Gap>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PrintedText {
    pub(crate) text: String,
    pub(crate) gap: Option<Gap>,
}

/// The place where a text has a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) first_ends: usize,
    pub(crate) last_begins: usize,
    /// The end starts within a line.
    pub(crate) within_line: bool,
}

impl PrintedText {
    pub(crate) fn of(text: &str, most: usize) -> Self {
        let output = OutputSink::new(most);
        output.keep(text.as_bytes());
        output.text()
    }
}

impl OutputSink {
    pub(crate) fn new(most: usize) -> Self {
        let most_last = most / 2;
        Self { kept: Arc::default(), most_first: most - most_last, most_last }
    }

    pub(crate) fn text(&self) -> PrintedText {
        let kept = self.lock();
        let last: Vec<u8> = kept.last.iter().copied().collect();
        if kept.dropped == 0 {
            let all = [kept.first.as_slice(), last.as_slice()].concat();
            return PrintedText { text: String::from_utf8_lossy(&all).into_owned(), gap: None };
        }
        let line = last.iter().position(|byte| *byte == b'\n').map(|at| at + 1).filter(|at| *at < last.len());
        // If no line begins here, start at least at a character.
        let begins = line.or_else(|| last.iter().position(|byte| byte & 0xc0 != 0x80)).unwrap_or(last.len());
        let mut text = String::from_utf8_lossy(&kept.first).into_owned();
        let first_ends = text.len();
        let dropped = kept.dropped.saturating_add(u64::try_from(begins).unwrap_or(u64::MAX));
        text.push_str(&format!("\n[{dropped} bytes are left out here]\n"));
        let last_begins = text.len();
        text.push_str(&String::from_utf8_lossy(last.get(begins..).unwrap_or_default()));
        PrintedText { text, gap: Some(Gap { first_ends, last_begins, within_line: line.is_none() }) }
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.lock().dropped > 0
    }

    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let (first, rest) = bytes.split_at(bytes.len().min(self.most_first.saturating_sub(kept.first.len())));
        kept.first.extend_from_slice(first);
        let (passed, rest) = rest.split_at(rest.len().saturating_sub(self.most_last));
        let displaced = (kept.last.len() + rest.len()).saturating_sub(self.most_last);
        // Bytes that pass through displace the whole kept end.
        let displaced = if passed.is_empty() { displaced } else { kept.last.len() };
        kept.last.drain(..displaced);
        kept.last.extend(rest);
        kept.dropped += u64::try_from(passed.len() + displaced).unwrap_or(u64::MAX);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }
}

impl IsTerminal for OutputSink {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for OutputSink {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Only WASI 0.2 is linked, and it uses `p2_stream`.
        Box::new(tokio::io::sink())
    }
}

impl OutputStream for OutputSink {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.keep(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PERMIT)
    }
}

#[async_trait]
impl Pollable for OutputSink {
    async fn ready(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(most: usize, pieces: &[&str]) -> PrintedText {
        let output = OutputSink::new(most);
        pieces.iter().for_each(|piece| output.keep(piece.as_bytes()));
        output.text()
    }

    #[test]
    fn output_up_to_the_limit_is_whole() {
        for pieces in [&["0123456789"][..], &["0123", "456789"], &["0", "123456", "789"]] {
            assert_eq!(output(10, pieces), PrintedText { text: "0123456789".into(), gap: None });
        }
        assert!(output(10, &["0123456789", "x"]).gap.is_some());
    }

    #[test]
    fn the_beginning_and_the_last_lines_of_long_output_are_kept() {
        let frames = "  File \"main.py\", line 1, in walk\n    walk(rest)\n".repeat(1_000);
        let traceback = format!("Traceback (most recent call last):\n{frames}KeyError: 'order'\n");
        let whole = output(1_000, &[&traceback]);
        let byte_by_byte: Vec<String> = traceback.chars().map(String::from).collect();
        let byte_by_byte: Vec<&str> = byte_by_byte.iter().map(String::as_str).collect();
        assert_eq!(whole, output(1_000, &byte_by_byte), "in pieces of any size");
        assert!(whole.text.starts_with("Traceback (most recent call last):\n  File"), "{}", whole.text);
        assert!(whole.text.ends_with("\nKeyError: 'order'\n") && whole.text.len() <= 1_050, "{}", whole.text);
        let gap = whole.gap.unwrap();
        assert!(!gap.within_line && whole.text[gap.last_begins..].starts_with("  "), "{}", whole.text);
        assert!(whole.text[gap.first_ends..gap.last_begins].contains("bytes are left out here"));
    }

    #[test]
    fn the_bytes_that_are_left_out_are_counted() {
        let text = output(10, &["aaaaa", "bbb", "ccccc\ndd\n"]).text;
        assert_eq!(text, "aaaaa\n[8 bytes are left out here]\ndd\n".replace("[8", "[9"));
    }

    #[test]
    fn a_long_last_line_is_kept_from_a_character_on() {
        let one = output(10, &["aaaaa", &"\u{e9}".repeat(50)]);
        assert!(one.gap.unwrap().within_line);
        assert!(one.text.ends_with("]\n\u{e9}\u{e9}"), "{}", one.text);
    }
}
