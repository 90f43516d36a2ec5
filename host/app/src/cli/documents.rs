//! The commands in the documents, read with the definition of the command line.

use std::{ffi::OsString, fs, mem, path::Path};

use clap::error::ErrorKind;
use fenced_blocks::{blocks, prose};

use super::{Cli, definition};

/// A command that a document shows.
struct ShownCommand {
    document: String,
    words: Vec<String>,
    /// Whether it stands in a block of commands: it is complete, and a reader runs it. Others may be shortened.
    complete: bool,
}

#[test]
fn every_command_in_the_documents_is_understood() {
    let mut shown = 0;
    for ShownCommand { document, words, complete } in documents().into_iter().flat_map(commands) {
        shown += 1;
        let Err(refused) = Cli::read(words.iter().map(OsString::from)) else { continue };
        let shortened = match refused.kind() {
            ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => true,
            ErrorKind::InvalidValue => refused.to_string().contains("a value is required"),
            // Such as `--id ID`.
            ErrorKind::ValueValidation => words.iter().any(|word| is_placeholder(word)),
            _ => false,
        };
        assert!(shortened && !complete, "{document}: {}\n{refused}", words.join(" "));
    }
    assert!(shown > 150, "only {shown} commands were found in the documents");
}

#[test]
fn every_option_in_the_documents_about_plugins_is_one_of_a_plugin_command() {
    let mut options = vec![];
    collect_options(definition().find_subcommand("plugin").unwrap(), &mut options);
    let mut shown = 0;
    for (document, text) in documents().into_iter().filter(|(document, _)| document.contains("plugin")) {
        let named = prose(&text).into_iter().flat_map(inline_code).filter_map(|code| code.strip_prefix("--"));
        for option in named.filter_map(|code| code.split([' ', '=']).next()) {
            shown += 1;
            assert!(options.iter().any(|known| known == option), "{document}: --{option}");
        }
    }
    assert!(shown > 10, "only {shown} options were found in the documents");
}

fn collect_options(command: &clap::Command, options: &mut Vec<String>) {
    options.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned));
    command.get_subcommands().for_each(|tool| collect_options(tool, options));
}

/// Whether a word stands for a value of the reader.
fn is_placeholder(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_uppercase())
}

/// The README and the Markdown files in `docs`, each with its path from the root of the repository.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut found = vec![];
    let mut waiting = vec![root.join("README.md"), root.join("docs")];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|kind| kind == "md") {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    found
}

fn commands((document, text): (String, String)) -> Vec<ShownCommand> {
    let mut found = vec![];
    let mut collect = |code: &str, complete: bool| {
        let commands = shell_commands(code).into_iter().filter_map(of_patchbay);
        found.extend(commands.map(|words| ShownCommand { document: document.clone(), words, complete }));
    };
    blocks(&text, "sh").iter().for_each(|block| collect(&block.text, true));
    for line in prose(&text) {
        match line.strip_prefix("    ").filter(|line| line.starts_with("patchbay ")) {
            Some(indented) => collect(indented, true),
            None => inline_code(line).for_each(|code| collect(&code.replace(['[', ']'], ""), false)),
        }
    }
    found
}

fn inline_code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The words of a command of this program, which packages install as `patchbay-admin` too.
fn of_patchbay(words: Vec<String>) -> Option<Vec<String>> {
    let is_variable = |word: &String| word.split_once('=').is_some_and(|(name, _)| !name.contains('-'));
    let words: Vec<String> = words.into_iter().skip_while(is_variable).collect();
    let is_ours = words.first().is_some_and(|program| program == "patchbay" || program == "patchbay-admin");
    is_ours.then_some(words)
}

/// The commands of a shell text, as words without quotes. A redirection ends a command here.
fn shell_commands(text: &str) -> Vec<Vec<String>> {
    let (mut commands, mut command, mut word) = (vec![], vec![], None::<String>);
    let (mut quote, mut letters) = (None, text.chars().peekable());
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (Some('"') | None, '\\') => {
                // A backslash at the end of a line continues the line and adds nothing.
                if let Some(next) = letters.next().filter(|next| *next != '\n') {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => while letters.next_if(|next| *next != '\n').is_some() {},
            (None, ' ' | '\t') => command.extend(word.take()),
            (None, '\n' | ';' | '|' | '&' | '(' | ')' | '<' | '>') => {
                command.extend(word.take());
                commands.push(mem::take(&mut command));
            }
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    command.extend(word);
    commands.push(command);
    commands
}
