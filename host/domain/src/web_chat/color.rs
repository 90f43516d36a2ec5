//! Colours of the widget and their contrast with text (WCAG 2.2, 1.4.3).

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color([u8; 3]);

/// Least contrast of text and background (WCAG 2.2 AA).
const LEAST_CONTRAST: f64 = 4.5;

impl Color {
    pub const WHITE: Self = Self([255, 255, 255]);
    pub const BLACK: Self = Self([0, 0, 0]);

    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        // `from_str_radix` also accepts a sign.
        let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        plain.then_some(())?;
        Some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }

    /// The relative luminance, from 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of two colours, from 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    pub fn is_readable_on(self, ground: Self) -> bool {
        self.contrast(ground) >= LEAST_CONTRAST
    }

    /// Black or white: the one with more contrast. It is always readable.
    pub fn text_on(self) -> Self {
        if self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl TryFrom<String> for Color {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("is no colour: write #rrggbb")
    }
}

impl From<Color> for String {
    fn from(color: Color) -> Self {
        color.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_six_digits_after_a_hash() {
        assert_eq!(Color::parse("#0A7c66").unwrap().to_string(), "#0a7c66");
        for no_color in ["", "0a7c66", "#0a7", "#0a7c6g", "#+a7c66", "red", "#0a7c66;}", "#ééé"] {
            assert_eq!(Color::parse(no_color), None, "{no_color}");
        }
    }

    #[test]
    fn text_is_readable_from_a_contrast_of_four_and_a_half() {
        let gray = |text| Color::parse(text).unwrap();
        assert!(gray("#767676").is_readable_on(Color::WHITE));
        assert!(!gray("#777777").is_readable_on(Color::WHITE));
    }

    #[test]
    fn black_or_white_text_is_readable_on_every_gray() {
        for level in 0..=255 {
            let ground = Color([level; 3]);
            assert!(ground.text_on().is_readable_on(ground), "{ground}");
        }
    }
}
