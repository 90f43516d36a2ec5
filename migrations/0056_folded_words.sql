-- Chats are searched as contacts are: composed, small letters in every script (up and down again: `ß` and `SS`, `ς` and `σ` are the
-- same then), one space between words. Where PostgreSQL has no ICU to do so, a chat is found by its old words until its customer
-- writes or is renamed.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') OR getdatabaseencoding() <> 'UTF8' THEN
        RETURN;
    END IF;
    CREATE TEMPORARY TABLE folded_words ON COMMIT DROP AS
    SELECT chat.client_id, chat.id, folded.words
    FROM participant chat
    CROSS JOIN LATERAL (
        SELECT string_agg(btrim(regexp_replace(
                   replace(lower(upper(normalize(line, NFKC) COLLATE "und-x-icu") COLLATE "und-x-icu"), 'ς', 'σ'),
                   '\s+', ' ', 'g')), E'\n' ORDER BY place) AS words
        FROM regexp_split_to_table(chat.found_by, E'\n') WITH ORDINALITY AS one (line, place)) folded
    WHERE chat.merged_into IS NULL AND folded.words <> chat.found_by;
    UPDATE participant SET found_by = folded_words.words
    FROM folded_words WHERE participant.client_id = folded_words.client_id AND participant.id = folded_words.id;
    UPDATE participant_search SET words = folded_words.words, grams = chat_grams(folded_words.client_id, folded_words.words)
    FROM folded_words
    WHERE participant_search.client_id = folded_words.client_id AND participant_search.participant_id = folded_words.id;
END
$$;
