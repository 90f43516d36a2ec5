//! Our SMS segments against two third-party libraries: PyPI `smpplib` and `smsutil` (PROVIDERS C.6).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic, in its helper functions too")]

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use domain::segments::{Encoding, split};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize)]
struct Case {
    text: String,
    unicode: bool,
}

#[derive(Debug, Deserialize)]
struct Answers {
    smpplib: Option<Segments>,
    smsutil: Segments,
}

/// Parts in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Segments {
    encoding: Encoding,
    parts: Vec<String>,
}

impl Segments {
    fn ours(case: &Case) -> Self {
        let segmented = split(&case.text, case.unicode).unwrap();
        let hex = |octets: &[u8]| octets.iter().map(|octet| format!("{octet:02x}")).collect::<String>();
        Self { encoding: segmented.encoding, parts: segmented.parts.iter().map(|part| hex(&part.octets)).collect() }
    }

    /// A part ends in an escape without its character, or in half of a surrogate pair.
    fn cuts_a_character(&self) -> bool {
        let parted = |part: &String| match self.encoding {
            Encoding::Gsm7 => part.ends_with("1b"),
            Encoding::Ucs2 => part.len() >= 4 && ("d800".."dc00").contains(&&part[part.len() - 4..]),
        };
        self.parts.iter().any(parted)
    }
}

#[test]
fn our_segments_equal_those_of_smpplib_and_smsutil() {
    let cases = cases();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    let answers = ask(&cases);
    assert_eq!(answers.len(), cases.len());
    let (mut like_smpplib, mut like_smsutil, mut cut_by_smpplib) = (0, 0, 0);
    for (case, answer) in cases.iter().zip(answers) {
        let ours = Segments::ours(case);
        // smsutil takes an empty text for UCS-2.
        if !case.text.is_empty() {
            assert_eq!(ours, answer.smsutil, "smsutil, {case:?}");
            like_smsutil += 1;
        }
        // Holes in smpplib's table: it has no `§` and no form feed, and takes a backtick for `§`.
        if !case.unicode && case.text.contains(['§', '\u{c}', '`']) {
            continue;
        }
        let Some(theirs) = answer.smpplib else { continue };
        if theirs.cuts_a_character() {
            // It parts escapes and surrogate pairs; the text must still be the same as a whole.
            assert_eq!(ours.parts.concat(), theirs.parts.concat(), "smpplib, {case:?}");
            assert!(!ours.cuts_a_character(), "{case:?}");
            cut_by_smpplib += 1;
        } else {
            assert_eq!(ours, theirs, "smpplib, {case:?}");
            like_smpplib += 1;
        }
    }
    assert!(like_smsutil >= 200 && like_smpplib >= 200, "compared: {like_smsutil} and {like_smpplib}");
    assert!(cut_by_smpplib >= 2, "the cases that smpplib cuts are gone: {cut_by_smpplib}");
}

/// Texts around every limit, then generated ones.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |text: String| {
        cases.push(Case { text: text.clone(), unicode: false });
        cases.push(Case { text, unicode: true });
    };
    add(String::new());
    for length in [1, 69, 70, 71, 133, 134, 135, 152, 153, 154, 159, 160, 161, 305, 306, 307, 459, 460, 1377, 1378] {
        add("a".repeat(length));
        add("é".repeat(length));
        add("ж".repeat(length));
        add(format!("{}€", "a".repeat(length - 1)));
        add(format!("{}ж", "a".repeat(length - 1)));
    }
    for length in [34, 35, 36, 66, 67, 68, 79, 80, 81] {
        add("€".repeat(length));
        add("😀".repeat(length));
        add(format!("{}€{}", "a".repeat(length), "b".repeat(160)));
        add(format!("{}😀{}", "ж".repeat(length), "ж".repeat(10)));
    }
    for before in 150..155 {
        add(format!("{}{{{}", "a".repeat(before), "b".repeat(20)));
    }
    let mut randomness = StdRng::seed_from_u64(31);
    let alphabets = [
        "abcdefghij klmnop\nqrst 0123456789",
        "aé@£$¥ΔΦΓΛΩΠΨΣΘΞ§ÄÖÑÜ¿¡ßÆæÅåØø\r\n",
        "ab€[]{}^~|\\\u{c}",
        "ab`ç\tжの😀🇿🇦é",
    ];
    for _ in 0..60 {
        for alphabet in alphabets {
            let alphabet: Vec<char> = alphabet.chars().collect();
            let length = randomness.random_range(1..500);
            add((0..length).map(|_| alphabet[randomness.random_range(0..alphabet.len())]).collect());
        }
    }
    cases
}

fn peer() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers/segments")
}

fn ask(cases: &[Case]) -> Vec<Answers> {
    let installed = Command::new("sh").arg(peer().join("install.sh")).stderr(Stdio::inherit()).output().unwrap();
    assert!(installed.status.success(), "tests/peers/segments/install.sh failed; see its message above");
    let folder = String::from_utf8(installed.stdout).unwrap();
    let mut python = Command::new(Path::new(folder.trim()).join("bin/python"))
        .arg(peer().join("segment.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let questions = serde_json::to_vec(cases).unwrap();
    python.stdin.take().unwrap().write_all(&questions).unwrap();
    let answered = python.wait_with_output().unwrap();
    assert!(answered.status.success(), "segment.py failed");
    serde_json::from_slice(&answered.stdout).unwrap()
}
