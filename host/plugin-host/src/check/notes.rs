//! Reads the notes of authors and tools: the sections `producers` and those with the names of annotations of OCI images.

use domain::plugin_origin::{ComponentNotes, ToolNote, note_line};
use wasmparser::{CustomSectionReader, KnownCustom, Parser, Payload, ProducersSectionReader};

/// Most sections and functions that are visited.
const MOST_PARTS: usize = 4_000_000;
const MOST_TOOLS: usize = 50;
const MOST_LICENSES: usize = 20;

/// Section with the reason why the build of a component took no snapshot of its initialisation (ADR 0074).
pub const SNAPSHOT_NOTE: &str = "patchbay:no-snapshot";

/// The reason why a component has no snapshot, in one line. `None` if it has one, or if its build tried to take none.
pub fn snapshot_note(bytes: &[u8]) -> Option<String> {
    Parser::new(0).parse_all(bytes).take(MOST_PARTS).map_while(Result::ok).find_map(|part| match part {
        Payload::CustomSection(section) if section.name() == SNAPSHOT_NOTE => {
            std::str::from_utf8(section.data()).ok().map(note_line)
        }
        _ => None,
    })
}

/// The notes in a component. Faults of its form are none of this function: it returns the notes before the fault.
pub fn component_notes(bytes: &[u8]) -> ComponentNotes {
    let (mut notes, mut depth) = (ComponentNotes::default(), 0_usize);
    for part in Parser::new(0).parse_all(bytes).take(MOST_PARTS) {
        match part {
            Ok(Payload::ModuleSection { .. } | Payload::ComponentSection { .. }) => depth += 1,
            Ok(Payload::End(_)) => depth = depth.saturating_sub(1),
            Ok(Payload::CustomSection(section)) => add(&mut notes, &section, depth == 0),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    notes
}

fn add(notes: &mut ComponentNotes, section: &CustomSectionReader<'_>, is_outermost: bool) {
    if let KnownCustom::Producers(tools) = section.as_known() {
        add_tools(&mut notes.tools, tools);
        return;
    }
    let Some(text) = std::str::from_utf8(section.data()).ok().map(note_line).filter(|text| !text.is_empty()) else {
        return;
    };
    if section.name() == "licenses" {
        if notes.licenses.len() < MOST_LICENSES && !notes.licenses.contains(&text) {
            notes.licenses.push(text);
        }
        return;
    }
    let field = match section.name() {
        "authors" => &mut notes.authors,
        "description" => &mut notes.description,
        "version" => &mut notes.version,
        "revision" => &mut notes.revision,
        "source" => &mut notes.source,
        "homepage" => &mut notes.homepage,
        _ => return,
    };
    // Those of the modules in a component are about libraries.
    if is_outermost {
        *field = Some(text);
    }
}

fn add_tools(tools: &mut Vec<ToolNote>, section: ProducersSectionReader<'_>) {
    for field in section.into_iter().map_while(Result::ok) {
        for value in field.values.into_iter().map_while(Result::ok) {
            let tool = ToolNote {
                role: note_line(field.name),
                name: note_line(value.name),
                version: note_line(value.version),
            };
            if tools.len() < MOST_TOOLS && !tools.contains(&tool) {
                tools.push(tool);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section in the binary format. All lengths are below 128.
    fn section(name: &str, data: &[u8]) -> Vec<u8> {
        let length = |length: usize| u8::try_from(length).unwrap();
        let content = [&[length(name.len())], name.as_bytes(), data].concat();
        [&[0, length(content.len())], content.as_slice()].concat()
    }

    fn component(sections: &[Vec<u8>]) -> Vec<u8> {
        [b"\0asm\x0d\0\x01\0".to_vec(), sections.concat()].concat()
    }

    /// A nested module with these sections.
    fn module(sections: &[Vec<u8>]) -> Vec<u8> {
        let content = [b"\0asm\x01\0\0\0".to_vec(), sections.concat()].concat();
        [vec![1, u8::try_from(content.len()).unwrap()], content].concat()
    }

    fn producers(role: &str, name: &str, version: &str) -> Vec<u8> {
        let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        section("producers", &[&[1][..], &text(role), &[1], &text(name), &text(version)].concat())
    }

    #[test]
    fn tools_and_licences_are_those_of_the_component_and_its_modules_and_other_notes_its_own() {
        let inner = module(&[
            producers("language", "Rust", ""),
            section("licenses", b"MIT"),
            section("description", b"a library"),
        ]);
        let outer = [
            inner.clone(),
            inner,
            producers("processed-by", "wit-component", "0.262.0"),
            section("licenses", b"Apache-2.0 WITH LLVM-exception"),
            section("description", b"answers\0 orders\n"),
            section("revision", b"de978e17"),
            section("other", b"not a note"),
        ];
        let notes = component_notes(&component(&outer));
        let tool = |role: &str, name: &str, version: &str| ToolNote {
            role: role.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
        };
        assert_eq!(notes.tools, [tool("language", "Rust", ""), tool("processed-by", "wit-component", "0.262.0")]);
        assert_eq!(notes.licenses, ["MIT", "Apache-2.0 WITH LLVM-exception"]);
        assert_eq!(notes.description.as_deref(), Some("answers  orders"));
        assert_eq!((notes.revision.as_deref(), notes.source), (Some("de978e17"), None));
    }

    #[test]
    fn the_reason_against_a_snapshot_is_one_line() {
        let noted = component(&[section("other", b"x"), section(SNAPSHOT_NOTE, b"it prints:\nhello")]);
        assert_eq!(snapshot_note(&noted).as_deref(), Some("it prints: hello"));
        assert_eq!(snapshot_note(&component(&[section("other", b"x")])), None);
        assert_eq!(snapshot_note(b"nonsense"), None);
    }

    #[test]
    fn broken_files_and_many_notes_have_bounded_notes() {
        assert_eq!(component_notes(b"nonsense"), ComponentNotes::default());
        let mut broken = component(&[section("licenses", b"MIT"), section("licenses", b"\xff")]);
        broken.push(0);
        assert_eq!(component_notes(&broken).licenses, ["MIT"]);
        let many: Vec<Vec<u8>> = (0..100).map(|one| section("licenses", format!("L{one}").as_bytes())).collect();
        assert_eq!(component_notes(&component(&many)).licenses.len(), MOST_LICENSES);
        let lines = component(&[section("licenses", b"MIT \n")]);
        assert_eq!(component_notes(&lines).licenses, ["MIT"]);
    }
}
