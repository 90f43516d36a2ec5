//! The code in Markdown, for tests that run the documents as a reader would.

/// The code between two fences.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The line of the first fence, from 1.
    pub line: usize,
    pub text: String,
}

/// The blocks of a Markdown text in one language.
pub fn blocks(text: &str, language: &str) -> Vec<CodeBlock> {
    let (_, blocks) = parts(text);
    blocks.into_iter().filter(|(named, _)| *named == language).map(|(_, block)| block).collect()
}

/// The lines of a Markdown text outside all blocks.
pub fn prose(text: &str) -> Vec<&str> {
    parts(text).0
}

/// The prose, and all blocks with their languages. A fence may be indented.
fn parts(text: &str) -> (Vec<&str>, Vec<(&str, CodeBlock)>) {
    let (mut prose, mut blocks) = (vec![], vec![]);
    let mut open: Option<(&str, CodeBlock)> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(_), Some(ended)) => blocks.push(ended),
            (Some(language), None) => open = Some((language, CodeBlock { line: index + 1, text: String::new() })),
            (None, Some((language, mut block))) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some((language, block));
            }
            (None, None) => prose.push(line),
        }
    }
    assert!(open.is_none(), "the last block has no end:\n{text}");
    (prose, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str =
        "Begin:\n```sh\nmake run\n\nkill %1\n```\n1. Then\n   ```json\n   {}\n   ```\n```sh\n```\nthe end";

    fn block(line: usize, text: &str) -> CodeBlock {
        CodeBlock { line, text: text.to_owned() }
    }

    #[test]
    fn a_block_has_the_lines_between_its_fences_and_the_line_of_the_first() {
        assert_eq!(blocks(GUIDE, "sh"), [block(2, "make run\n\nkill %1\n"), block(11, "")]);
    }

    #[test]
    fn an_indented_block_keeps_its_indentation() {
        assert_eq!(blocks(GUIDE, "json"), [block(8, "   {}\n")]);
    }

    #[test]
    fn blocks_of_other_languages_are_left_out() {
        assert!(blocks(GUIDE, "s").is_empty());
        assert!(blocks(GUIDE, "").is_empty());
    }

    #[test]
    fn lines_outside_all_blocks_are_prose() {
        assert_eq!(prose(GUIDE), ["Begin:", "1. Then", "the end"]);
    }

    #[test]
    #[should_panic(expected = "the last block has no end")]
    fn a_block_without_an_end_is_a_fault() {
        prose("```sh\nmake run\n");
    }
}
