//! Log lines on standard error, as text or JSON. Standard output is for the output of commands.

use std::io::{self, IsTerminal};

use settings::{LogFormat, Logging};
use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt};

/// The reader of the log, which determines the default level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogAudience {
    /// A server: `info`. Statements of the SQL client are logged at `debug`.
    Server,
    /// A user of a command: `warn`.
    Command,
}

#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    #[error(
        "logging.filter is {filter:?}; expected a level such as \"info\" or levels per module such as \"info,api=debug\""
    )]
    Filter {
        filter: String,
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    #[error("the log was set up before")]
    Twice(#[from] tracing_subscriber::util::TryInitError),
}

pub fn init(logging: &Logging, audience: LogAudience) -> Result<(), LoggingError> {
    let filter = filter(logging, audience)?;
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = match logging.format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_ansi(false).with_filter(filter).boxed(),
    };
    tracing_subscriber::registry().with(layer).try_init()?;
    Ok(())
}

/// The SMPP codec logs whole PDUs with texts and passwords, so no filter can turn it on.
const ALWAYS_QUIET: &str = "rusmpp=off,rusmpp_core=off";

fn filter(logging: &Logging, audience: LogAudience) -> Result<EnvFilter, LoggingError> {
    let default = match audience {
        LogAudience::Server => "info",
        LogAudience::Command => "warn",
    };
    let wanted = if logging.filter.is_empty() { default } else { &logging.filter };
    EnvFilter::try_new(format!("{wanted},{ALWAYS_QUIET}"))
        .map_err(|source| LoggingError::Filter { filter: wanted.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quieter_than_servers_unless_a_filter_is_set() {
        let settings = Logging::default();
        let level = |logging: &Logging, audience| {
            let text = filter(logging, audience).unwrap().to_string();
            text.split(',').find(|part| !part.contains('=')).unwrap().to_owned()
        };
        assert_eq!(level(&settings, LogAudience::Server), "info");
        assert_eq!(level(&settings, LogAudience::Command), "warn");
        let settings = Logging { filter: "debug".to_owned(), ..settings };
        assert_eq!(level(&settings, LogAudience::Command), "debug");
    }

    #[test]
    fn no_filter_turns_on_the_codec_that_logs_passwords() {
        let settings = Logging { filter: "trace,rusmpp=trace".to_owned(), ..Logging::default() };
        assert!(filter(&settings, LogAudience::Server).unwrap().to_string().contains("rusmpp=off"));
    }

    #[test]
    fn a_filter_that_is_none_is_refused_by_its_key() {
        let settings = Logging { filter: "api=loudly".to_owned(), ..Logging::default() };
        let error = filter(&settings, LogAudience::Server).unwrap_err();
        assert!(error.to_string().starts_with("logging.filter is \"api=loudly\""), "{error}");
    }
}
