use std::path::PathBuf;

use anyhow::Context as _;
use author::build::{self, GeneratedBindings};

use super::{
    arguments::{Bindings, WrapArguments},
    output::{StepProgress, print_line},
};

pub(super) async fn bindings(wanted: Bindings) -> anyhow::Result<()> {
    let Bindings { lang, world, validates, out, json } = wanted;
    let made = tokio::task::spawn_blocking(move || {
        let mut progress = StepProgress::new();
        let made = build::bindings(lang, world, validates, &out, &mut |step| progress.tell(step));
        progress.done();
        made.map(|made| (made, out))
    });
    let (made, out) = made.await??;
    if json {
        return print_line(serde_json::to_string_pretty(&made)?);
    }
    let GeneratedBindings { wit, files, command, done } = made;
    print_line(format_args!("interface of world {world}: {}", wit.display()))?;
    for file in &files {
        print_line(format_args!("bindings: {}", out.join(file).display()))?;
    }
    match (command, done) {
        (Some(command), true) => print_line(format_args!("made with: {command}")),
        (Some(command), false) => print_line(format_args!(
            "bindings for {lang} need the program wit-bindgen. Install it, then type:\n  {command}"
        )),
        (None, _) => Ok(()),
    }
}

pub(super) fn wrap(wanted: &WrapArguments) -> anyhow::Result<()> {
    let WrapArguments { module, out, world } = wanted;
    let bytes = std::fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let component = build::wrap(bytes, *world)?;
    let out = out.clone().unwrap_or_else(|| PathBuf::from(module).with_extension("component.wasm"));
    std::fs::write(&out, &component).with_context(|| format!("cannot write {}", out.display()))?;
    let size = component.len();
    print_line(format_args!(
        "made {} ({size} bytes). Check it with: patchbay plugin check {}",
        out.display(),
        out.display()
    ))
}
