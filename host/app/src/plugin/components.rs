//! Commands that make bindings and components.

use std::path::PathBuf;

use anyhow::Context as _;
use author::build::{self, GeneratedBindings};

use super::{
    arguments::{Bindings, Wrap},
    output::{Progress, say},
};

pub(super) async fn bindings(wanted: Bindings) -> anyhow::Result<()> {
    let Bindings { lang, world, out, json } = wanted;
    let made = tokio::task::spawn_blocking(move || {
        let mut progress = Progress::new();
        let made = build::bindings(lang, world, &out, &mut |step| progress.tell(step));
        progress.done();
        made.map(|made| (made, out))
    });
    let (made, out) = made.await??;
    if json {
        return say(serde_json::to_string_pretty(&made)?);
    }
    let GeneratedBindings { wit, files, command, done } = made;
    say(format_args!("interface of world {world}: {}", wit.display()))?;
    for file in &files {
        say(format_args!("bindings: {}", out.join(file).display()))?;
    }
    match (command, done) {
        (Some(command), true) => say(format_args!("made with: {command}")),
        (Some(command), false) => {
            say(format_args!("bindings for {lang} need the program wit-bindgen. Install it, then type:\n  {command}"))
        }
        (None, _) => Ok(()),
    }
}

pub(super) fn wrap(wanted: &Wrap) -> anyhow::Result<()> {
    let Wrap { module, out, world } = wanted;
    let bytes = std::fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let component = build::wrap(bytes, *world)?;
    let out = out.clone().unwrap_or_else(|| PathBuf::from(module).with_extension("component.wasm"));
    std::fs::write(&out, &component).with_context(|| format!("cannot write {}", out.display()))?;
    let size = component.len();
    say(format_args!("made {} ({size} bytes). Check it with: patchbay plugin check {}", out.display(), out.display()))
}
