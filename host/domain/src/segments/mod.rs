//! How a text becomes SMS segments (SPEC 8, PROVIDERS C.4): alphabet, limits, and the header that joins the parts.

mod gsm;
mod numbering;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use numbering::{NUMBERED_LIMIT, split_numbered};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Encoding {
    /// GSM 03.38 default alphabet: 160 septets in one segment, 153 in each of several.
    Gsm7,
    /// UTF-16, big endian: 70 units in one segment, 67 in each of several.
    Ucs2,
}

impl Encoding {
    /// Units that fit in a message of one segment.
    pub fn single_limit(self) -> usize {
        match self {
            Self::Gsm7 => 160,
            Self::Ucs2 => 70,
        }
    }

    /// Units of each of several segments, next to the joining header.
    pub fn part_limit(self) -> usize {
        match self {
            Self::Gsm7 => 153,
            Self::Ucs2 => 67,
        }
    }

    /// The SMPP `data_coding` (PROVIDERS C.2).
    pub fn data_coding(self) -> u8 {
        match self {
            Self::Gsm7 => 0x00,
            Self::Ucs2 => 0x08,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentedText {
    pub encoding: Encoding,
    /// At least one part; each is billed as one SMS.
    pub parts: Vec<Segment>,
}

/// One segment, without its header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    /// One octet per GSM septet (the SMSC packs them; escapes included), or UTF-16 big endian.
    pub octets: Vec<u8>,
    /// Septets or UTF-16 units.
    pub units: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text needs {parts} SMS segments and at most {MAX_PARTS} can be joined; shorten it")]
pub struct TooManySegments {
    pub parts: usize,
}

/// Most segments that an 8-bit reference can join.
pub const MAX_PARTS: usize = 255;

/// Cuts a text. `unicode` forces UTF-16; otherwise one character outside the GSM alphabet does. An escape and its
/// character stay together, and so do surrogates. An empty text is one empty part.
pub fn split(text: &str, unicode: bool) -> Result<SegmentedText, TooManySegments> {
    if !unicode && let Some(segmented) = split_gsm(text) {
        return check_count(segmented);
    }
    let mut cutter = Cutter::new(Encoding::Ucs2, text.encode_utf16().count());
    for character in text.chars() {
        let mut units = [0_u16; 2];
        let units = character.encode_utf16(&mut units);
        cutter.make_room(units.len());
        for unit in units {
            cutter.push(&unit.to_be_bytes());
        }
    }
    check_count(cutter.finish())
}

fn split_gsm(text: &str) -> Option<SegmentedText> {
    let septets = text.chars().map(gsm::septets).collect::<Option<Vec<_>>>()?;
    let total = septets.iter().map(|character| character.len()).sum();
    let mut cutter = Cutter::new(Encoding::Gsm7, total);
    for character in septets {
        cutter.make_room(character.len());
        for octet in character.octets() {
            cutter.push(&[octet]);
        }
    }
    Some(cutter.finish())
}

fn check_count(segmented: SegmentedText) -> Result<SegmentedText, TooManySegments> {
    match segmented.parts.len() {
        parts if parts > MAX_PARTS => Err(TooManySegments { parts }),
        _ => Ok(segmented),
    }
}

struct Cutter {
    encoding: Encoding,
    limit: usize,
    done: Vec<Segment>,
    current: Segment,
}

impl Cutter {
    fn new(encoding: Encoding, total: usize) -> Self {
        let fits = total <= encoding.single_limit();
        let limit = if fits { encoding.single_limit() } else { encoding.part_limit() };
        Self { encoding, limit, done: Vec::new(), current: Segment::default() }
    }

    fn make_room(&mut self, units: usize) {
        if self.current.units + units > self.limit {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    fn push(&mut self, unit: &[u8]) {
        self.current.octets.extend_from_slice(unit);
        self.current.units += 1;
    }

    fn finish(mut self) -> SegmentedText {
        self.done.push(self.current);
        SegmentedText { encoding: self.encoding, parts: self.done }
    }
}

/// The header that joins parts: 8-bit reference, number, position from 1, before [`Segment::octets`] with `esm_class`
/// 0x40 (PROVIDERS C.4).
pub fn udh(reference: u8, total: u8, seq: u8) -> [u8; 6] {
    [0x05, 0x00, 0x03, reference, total, seq]
}
