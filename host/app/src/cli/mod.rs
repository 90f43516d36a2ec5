//! The command line (CONTRACT 1, 3 and 8).

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, value_parser};

pub(crate) mod accounts;
pub(crate) mod client_argument;
#[cfg(test)]
mod documents;
pub(crate) mod given_token;
mod person;

pub use accounts::{
    ClientCommand, ClientCreate, ClientList, ClientRemove, ClientSet, KeyCommand, UserArgument, UserCommand, UserCreate,
};
pub use person::{
    GivenAddress, GivenPerson, PersonCommand, PersonErase, PersonExport, PersonLedger, PersonRewrite, RewriteScope,
};

use crate::admin::{
    callbacks::CallbackCommand,
    messenger::PageCommand,
    operators::OperatorCommand,
    sms::{CreditsCommand, OptOutCommand, SenderCommand, SmsSourceCommand},
    telegram::TelegramCommand,
    web_chat::SiteCommand,
    whatsapp::{NumberCommand, TemplateCommand},
};
use crate::plugin::commands::PluginCommand;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PATCHBAY_COMMIT"), ")");

/// Omnichannel messaging and live chat with WebAssembly components that make the decisions.
#[derive(Debug, Parser)]
#[command(name = "patchbay", version = VERSION, about)]
pub struct Cli {
    /// Configuration file. Default: patchbay.toml in the working directory, if it exists
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The command. Default: serve
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Reads a command line. An error is also the text of `--help` and `--version`.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut matches = definition().try_get_matches_from(arguments)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|fault| fault.format(&mut definition()))
    }
}

fn definition() -> clap::Command {
    Cli::command().mut_subcommands(|command| {
        let is_for_plugins = command.get_name() == "plugin";
        if is_for_plugins { without_settings(command) } else { command }
    })
}

/// Leaves `--config` out of the help of the tools for plugins that have none of their own, because they read no settings.
fn without_settings(command: clap::Command) -> clap::Command {
    let command = command.mut_subcommands(without_settings);
    let has_its_own = command.get_arguments().any(|argument| argument.get_id().as_str() == "config");
    if has_its_own {
        return command;
    }
    let hidden = Arg::new("config").long("config").value_name("FILE").hide(true);
    command.arg(hidden.value_parser(value_parser!(PathBuf)))
}

/// The commands of `patchbay`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service: HTTP, background work and, without a database.url, the database
    Serve,
    /// Run background work only, together with servers that have server.workers = false
    Work,
    /// Print the effective settings as TOML, with secrets masked
    Config,
    /// Show the queues, the processes and the failures of providers
    Status(StatusArguments),
    /// Back up the database and the files of customers while the service runs
    #[command(after_help = BACKUP_EXAMPLE)]
    Backup(BackupArguments),
    /// Restore a backup into a new database. Stop the service first
    #[command(after_help = RESTORE_EXAMPLE)]
    Restore(RestoreArguments),
    /// Tools for authors of plugins
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Forward the webhooks of a client to an address on this machine
    #[command(
        after_help = "Examples:\n  PATCHBAY_URL=https://patchbay.example PATCHBAY_API_KEY=... patchbay listen --to http://127.0.0.1:3000/hooks\n  \
        patchbay listen --to http://127.0.0.1:3000/hooks --replay 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41\n\n\
        Without PATCHBAY_URL, the server is http://127.0.0.1:8080. The key is that of an ADMIN or DEVELOPER. The client needs\n\
        no webhook address. While this runs, `r` and Enter sends the last webhook again, and a number the one with that number."
    )]
    Listen(ListenArguments),
    /// The child process that compiles components
    #[command(hide = true)]
    CompilePlugin {
        /// The order, in JSON
        order: String,
    },
    /// Administration. It works while the server runs and prints one JSON object.
    #[command(flatten)]
    Admin(AdminCommand),
}

/// `patchbay status`
#[derive(Debug, Args)]
pub struct StatusArguments {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `patchbay backup`
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// A new folder, or - for a tar stream on standard output
    #[arg(value_name = "DIR")]
    pub place: String,
}

/// `patchbay restore`
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The folder of a backup, or - for a tar stream on standard input
    #[arg(value_name = "DIR")]
    pub place: String,
    /// The ledger of erasures, if it is not erasures.jsonl in data_dir: persons erased after the backup are erased again
    #[arg(long, value_name = "FILE")]
    pub erasures: Option<PathBuf>,
    /// Restore without a ledger. Persons that were erased after the backup come back
    #[arg(long, conflicts_with = "erasures")]
    pub without_erasures: bool,
}

const BACKUP_EXAMPLE: &str = "Examples:
  patchbay backup /backups/monday
  patchbay backup - | zstd > monday.tar.zst

The master key is not in the backup: keep it in another place.";

const RESTORE_EXAMPLE: &str = "Examples:
  patchbay restore /backups/monday
  zstd -d < monday.tar.zst | patchbay restore -
  patchbay restore /backups/monday --erasures /safe/erasures.jsonl

The master key of the backup must be in data_dir or in security.master_key.";

/// `patchbay listen`
#[derive(Debug, Args)]
pub struct ListenArguments {
    /// The receiver: http or https, also on this machine or a private network
    #[arg(long, value_name = "URL")]
    pub to: String,
    /// Send this recorded webhook once, by its webhook-id, and end. The exit status is 1 if the answer is not a 2xx
    #[arg(long, value_name = "ID")]
    pub replay: Option<String>,
}

/// Commands that change the database and print one JSON object on standard output.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Bring the database to the schema of this version
    Migrate,
    /// Clients
    #[command(subcommand)]
    Client(ClientCommand),
    /// Users of a client
    #[command(subcommand)]
    User(UserCommand),
    /// API keys of a client
    #[command(subcommand)]
    Key(KeyCommand),
    /// The key that seals secrets at rest
    #[command(subcommand)]
    MasterKey(MasterKeyCommand),
    /// WhatsApp numbers of a client
    #[command(subcommand)]
    Number(NumberCommand),
    /// Facebook pages of a client
    #[command(subcommand)]
    Page(PageCommand),
    /// Bots of Telegram of a client
    #[command(subcommand)]
    Telegram(TelegramCommand),
    /// Message templates of a client
    #[command(subcommand)]
    Template(TemplateCommand),
    /// Web sites of a client that show the chat widget
    #[command(subcommand)]
    Site(SiteCommand),
    /// SMS credits of a client
    #[command(subcommand)]
    Credits(CreditsCommand),
    /// Addresses that a client's SMS can be sent from
    #[command(subcommand)]
    SmsSource(SmsSourceCommand),
    /// Subscribers that opted out of SMS of a client
    #[command(subcommand)]
    OptOut(OptOutCommand),
    /// Addresses from which a client's mails become SMS
    #[command(subcommand)]
    Sender(SenderCommand),
    /// All data of one customer of a client
    #[command(subcommand)]
    Person(PersonCommand),
    /// The audit trail
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Items of providers' callbacks that were given up
    #[command(subcommand)]
    Callback(CallbackCommand),
    /// Keys of operators, which open the operators' API and pages and no data of clients
    #[command(subcommand)]
    Operator(OperatorCommand),
}

/// `patchbay audit ...`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Check that no entry was removed or changed. The exit status is 1 if one was
    Verify(AuditVerify),
}

/// `patchbay audit verify`
#[derive(Debug, Args)]
pub struct AuditVerify {
    /// The client. Default: all clients
    #[arg(long, value_name = "REF")]
    pub client: Option<String>,
}

/// `patchbay master-key ...`
#[derive(Debug, Subcommand)]
pub enum MasterKeyCommand {
    /// Seal all secrets with the new master key while the service runs. It can be interrupted and repeated
    Rotate,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Cli, clap::Error> {
        Cli::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_definition_of_the_commands_is_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn the_commands_of_the_contract_are_understood() {
        for line in [
            "patchbay",
            "patchbay serve --config other.toml",
            "patchbay client create --ref acme --name Acme --email a@acme.example --password pw --parent holding",
            "patchbay user create --client acme --email b@acme.example --password pw --name B --role AGENT --team sales",
            "patchbay client create --ref acme --name Acme --email a@acme.example --password-stdin",
            "patchbay person export --client acme --number 27820000001 --files exported",
            "patchbay person erase --client acme --user-id ZA.1234567890 --rewrite all",
            "patchbay person rewrite",
            "patchbay person ledger --file erasures.jsonl",
            "patchbay user create --client acme --email b@acme.example --password-stdin --name B --role API",
            "patchbay number add --client acme --number 27820000001 --provider WHATSAPP_CLOUD --phone-number-id 1 \
             --waba-id 2 --access-token-stdin",
            "patchbay number add --client acme --number 27820000001 --provider WHATSAPP_LITE",
            "patchbay number add --client acme --number 27820000001 --provider WHATSAPP_CLOUD --phone-number-id 1 \
             --waba-id 2 --access-token t",
            "patchbay page add --client acme --page-id 1 --access-token t",
            "patchbay page add --client acme --page-id 1 --access-token-stdin",
            "patchbay page renew-token --client acme --page-id 1 --access-token-stdin",
            "patchbay number renew-token --client acme --number 27820001001 --access-token t",
            "patchbay status --json",
            "patchbay callback retry --client acme",
            "patchbay callback retry --client acme --id 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
            "patchbay operator add --name ada",
            "patchbay operator list",
            "patchbay operator remove --name ada",
            "patchbay backup /backups/monday",
            "patchbay backup -",
            "patchbay audit verify",
            "patchbay audit verify --client acme",
            "patchbay user remove --client acme --email b@acme.example",
            "patchbay client set --client acme --at-most-once true",
            "patchbay client disable --client acme",
            "patchbay client remove --client acme --yes --force",
            "patchbay key remove --client acme --email b@acme.example",
            "patchbay key disable --client acme --email b@acme.example",
            "patchbay number enable --client acme --number 27820000001",
            "patchbay number remove --client acme --number 27820000001",
            "patchbay page remove --client acme --page-id 1",
            "patchbay page disable --client acme --page-id 1",
            "patchbay telegram disable --client acme --bot-id 1",
            "patchbay sender disable --client acme --email b@acme.example",
            "patchbay site disable --client acme --id 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
            "patchbay site remove --client acme --id 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
            "patchbay master-key rotate",
            "patchbay restore /backups/monday",
            "patchbay restore -",
            "patchbay restore - --erasures erasures.jsonl",
            "patchbay restore /backups/monday --without-erasures",
            "patchbay client list",
            "patchbay client list --client acme",
            "patchbay user list --client acme",
            "patchbay key list --client acme",
            "patchbay number list --client acme",
            "patchbay page list --client acme",
            "patchbay site list --client acme",
            "patchbay telegram add --client acme --token 1:a",
            "patchbay telegram add --client acme --token-stdin --polling",
            "patchbay telegram add --client acme --token 1:a --webhook",
            "patchbay telegram list --client acme",
            "patchbay sender list --client acme",
            "patchbay template sync --client acme",
            "patchbay site add --client acme --name Shop --origin https://shop.example --origin https://www.shop.example",
            "patchbay migrate",
            "patchbay plugin new --lang rust --world chatbot order-bot",
            "patchbay plugin build",
            "patchbay plugin check bot.wasm",
            "patchbay plugin test order-bot --filter menu",
            "patchbay plugin run order-bot",
            "patchbay plugin push order-bot",
            "patchbay plugin activate order-bot --version 2 --mode canary --percent 10 --allow-host api.example.org",
            "patchbay plugin activate order-bot --config config.json",
            "patchbay plugin run order-bot --config {}",
            "patchbay plugin rollback order-bot",
            "patchbay plugin rollback order-bot --to 3 --dry-run",
            "patchbay plugin deactivate order-bot --number 27110000000",
            "patchbay plugin dev order-bot --number 27110000000",
            "patchbay plugin give-back 27820000003 --number 27110000000",
            "patchbay plugin list --json",
            "patchbay plugin status order-bot",
            "patchbay plugin invoke order-bot hi --version 2 --json",
            "patchbay plugin events order-bot --limit 5",
            "patchbay plugin differences order-bot",
            "patchbay plugin kv order-bot --participant 0199f3c2-0000-7000-8000-000000000001 --json",
            "patchbay plugin record order-bot --for 1h --sample 0.5",
            "patchbay plugin record order-bot --stop",
            "patchbay plugin delete order-bot",
            "patchbay plugin bindings rust --world router --out bindings",
            "patchbay plugin wrap module.wasm --world chatbot",
            "patchbay plugin secret set crm-key --plugin order-bot --plugin crm-shaper",
            "patchbay plugin secret set crm-key --all-plugins --keep-value",
            "patchbay plugin secret list --json",
            "patchbay plugin secret remove crm-key",
            "patchbay plugin verify order-bot --version 3 --file build/order-bot.wasm",
            "patchbay plugin test order-bot --from-recording 0199f3c2-0000-7000-8000-000000000001",
            "patchbay plugin logs order-bot --event timer --participant 0199f3c2-0000-7000-8000-000000000001",
            "patchbay plugin logs order-bot --follow",
            "patchbay plugin replay order-bot --version 2",
            "patchbay plugin replay order-bot build/order-bot.wasm --limit 10",
        ] {
            let parsed = read(line);
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn the_configuration_of_a_plugin_is_that_of_its_command() {
        let line = "patchbay plugin activate order-bot --config {}";
        let parsed = read(line).unwrap();
        let Some(Command::Plugin(PluginCommand::Activate(activate))) = parsed.command else { panic!("not understood") };
        assert_eq!(activate.config, Some(PathBuf::from("{}")));
    }

    #[test]
    fn only_plugin_commands_that_take_a_configuration_show_that_option() {
        let help = |line: &str| read(line).unwrap_err().to_string();
        for tool in ["", "test", "check", "push", "trust", "trust show"] {
            let help = help(&format!("patchbay plugin {tool} --help"));
            assert!(help.contains("Usage: ") && !help.contains("--config"), "{help}");
        }
        for tool in ["activate", "run", "dev", "invoke"] {
            assert!(help(&format!("patchbay plugin {tool} --help")).contains("--config <JSON|FILE>"), "{tool}");
        }
        assert!(help("patchbay serve --help").contains("--config <FILE>"));
    }

    #[test]
    fn every_plugin_command_has_help_with_an_example() {
        let command = Cli::command();
        let plugin = command.find_subcommand("plugin").unwrap();
        for tool in plugin.get_subcommands() {
            let help = tool.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("patchbay plugin {}", tool.get_name())), "{}: {help}", tool.get_name());
        }
        assert_eq!(plugin.get_subcommands().count(), 28);
    }

    #[test]
    fn a_password_is_given_in_exactly_one_way() {
        let create = |rest: &str| {
            let line = format!("patchbay client create --ref a --name A --email a@a.example {rest}");
            read(&line).map_err(|error| error.to_string())
        };
        assert!(create("").unwrap_err().contains("--password-stdin"));
        assert!(create("--password p --password-stdin").unwrap_err().contains("cannot be used with"));
    }

    #[test]
    fn a_password_of_the_command_line_is_not_printed() {
        let line = "patchbay client create --ref a --name A --email a@a.example --password hunter2";
        let parsed = read(line).unwrap();
        assert!(!format!("{parsed:?}").contains("hunter2"));
    }
}
