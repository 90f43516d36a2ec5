//! The printed table.

/// One line of the table.
pub struct Figure {
    /// Name of the measurement.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The value of the program.
    pub measured: f64,
    /// The value of the floor. `None` if the bar is a plain number.
    pub floor: Option<f64>,
    /// The floor in a few words.
    pub floor_name: String,
    /// The goal: a ratio to the floor, or a number.
    pub bar: Bar,
    /// Anything else of interest.
    pub notes: Vec<String>,
}

/// The goal of a figure.
#[derive(Clone, Copy)]
pub enum Bar {
    /// Measured / floor, or more.
    AtLeast(f64),
    /// Measured / floor, or less.
    AtMostTimes(f64),
    /// In the unit of the figure, or less.
    AtMost(f64),
    /// In the unit of the figure, or more.
    From(f64),
    /// Nothing but to be looked at.
    Watch,
}

impl Figure {
    fn ratio(&self) -> Option<f64> {
        self.floor.map(|floor| self.measured / floor)
    }

    fn verdict(&self) -> (String, &'static str) {
        let ratio = self.ratio().unwrap_or(f64::NAN);
        let (bar, met) = match self.bar {
            Bar::AtLeast(bar) => (format!(">= {bar:?}x"), ratio >= bar),
            Bar::AtMostTimes(bar) => (format!("<= {bar:.1}x"), ratio <= bar),
            Bar::AtMost(bar) => (format!("<= {bar:.0}"), self.measured <= bar),
            Bar::From(bar) => (format!(">= {bar:.0}"), self.measured >= bar),
            Bar::Watch => return ("-".to_owned(), "-"),
        };
        (bar, if met { "met" } else { "MISSED" })
    }
}

/// Middle of an odd number of rounds.
pub fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}

/// The table, as Markdown.
pub fn print(figures: &[Figure]) {
    println!("\n| figure | unit | measured | floor | ratio | bar | | floor is |");
    println!("|---|---|---:|---:|---:|---:|---|---|");
    for figure in figures {
        let number = |value: f64| if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        let (bar, verdict) = figure.verdict();
        println!(
            "| {} | {} | {} | {} | {} | {bar} | {verdict} | {} |",
            figure.name,
            figure.unit,
            number(figure.measured),
            figure.floor.map_or("-".to_owned(), number),
            figure.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}x")),
            figure.floor_name,
        );
    }
    println!();
    for figure in figures {
        for note in &figure.notes {
            println!("- {}: {note}", figure.name);
        }
    }
}
