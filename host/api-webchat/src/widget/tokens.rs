//! The values of the design of the console (`console/ui/tokens.css`) for the widget. It runs on pages of others, where a `rem` has any
//! size, in browsers of visitors, which may lack `light-dark()`. So lengths are in pixels, and each scheme has its own values.

/// The declarations of the design, of which the console and the phones of the simulator use the file itself.
const DESIGN: &str = include_str!("../../../../console/ui/tokens.css");
/// Pixels of a `rem` in the console.
const REM_PIXELS: f64 = 16.0;

/// Declarations of custom properties, each with its semicolon.
#[derive(Debug, Default, PartialEq)]
pub(super) struct WidgetTokens {
    /// All, with the values of the light scheme.
    pub(super) light: String,
    /// Those with other values in the dark scheme.
    pub(super) dark: String,
}

impl WidgetTokens {
    pub(super) fn of_the_console() -> Self {
        Self::read(DESIGN)
    }

    fn read(css: &str) -> Self {
        let css = without_comments(css);
        let block = css.split_once(":root {").and_then(|(_, rest)| rest.split_once('}'));
        let declarations = block.map_or("", |(inside, _)| inside).split(';').filter_map(|one| one.split_once(':'));
        let mut tokens = Self::default();
        for (name, value) in declarations {
            let (name, value) = (name.trim(), in_pixels(value.trim()));
            if !name.starts_with("--") {
                continue;
            }
            let (light, dark) = (in_scheme(&value, SchemeSide::Light), in_scheme(&value, SchemeSide::Dark));
            if light != dark {
                tokens.dark.push_str(&format!("{name}:{dark};"));
            }
            tokens.light.push_str(&format!("{name}:{light};"));
        }
        tokens
    }
}

#[derive(Clone, Copy)]
enum SchemeSide {
    Light,
    Dark,
}

fn without_comments(css: &str) -> String {
    let mut parts = css.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once("*/")).fold(first, |text, (_, after)| text + after)
}

/// A length in `rem` as one in pixels, anything else as it is.
fn in_pixels(value: &str) -> String {
    let rems = value.strip_suffix("rem").and_then(|number| number.parse::<f64>().ok());
    rems.map_or_else(|| value.to_owned(), |number| format!("{}px", number * REM_PIXELS))
}

/// A value in which each `light-dark(..)` is one of its two arguments.
fn in_scheme(value: &str, side: SchemeSide) -> String {
    let Some((before, rest)) = value.split_once("light-dark(") else { return value.to_owned() };
    let (light, rest) = split_argument(rest);
    let (dark, rest) = split_argument(rest);
    let chosen = match side {
        SchemeSide::Light => light,
        SchemeSide::Dark => dark,
    };
    format!("{before}{}{}", chosen.trim(), in_scheme(rest, side))
}

/// The text before the comma or the bracket that ends an argument, and the text after it.
fn split_argument(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let ends = |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ')' | ',' => return depth == 0,
            _ => {}
        }
        false
    };
    text.split_once(ends).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_pixels_and_each_scheme_has_its_own_values() {
        let css = "/* a: comment; */ :root {
            color-scheme: light dark;
            --ground: light-dark(#fff, #111); /* a } of a comment */
            --size: 0.6875rem;
            --shadow: 0 1px 2px light-dark(rgb(1 2 3 / 0.1), rgb(0, 0, 0)), 0 0 1px light-dark(red, blue);
            --quick: 120ms ease-out;
        }
        @media print { :root { --quick: 0s; } }";
        let expected = WidgetTokens {
            light: "--ground:#fff;--size:11px;--shadow:0 1px 2px rgb(1 2 3 / 0.1), 0 0 1px red;--quick:120ms ease-out;"
                .to_owned(),
            dark: "--ground:#111;--shadow:0 1px 2px rgb(0, 0, 0), 0 0 1px blue;".to_owned(),
        };
        assert_eq!(WidgetTokens::read(css), expected);
    }

    #[test]
    fn every_value_of_the_design_is_there_without_rem_and_without_a_choice_of_schemes() {
        let WidgetTokens { light, dark } = WidgetTokens::of_the_console();
        let names: Vec<&str> =
            DESIGN.lines().filter_map(|line| line.trim().strip_prefix("--")?.split(':').next()).collect();
        assert!(names.len() > 40, "{names:?}");
        for name in names {
            assert!(light.contains(&format!("--{name}:")), "{name}");
        }
        for declarations in [light, dark] {
            assert!(!declarations.contains("light-dark") && !declarations.contains("rem;"), "{declarations}");
            assert!(declarations.contains("--surface:#"), "{declarations}");
        }
    }
}
