-- The search of chats looks at the words before it looks up a chat: three characters each fit many chats that do not have them.

ALTER TABLE participant_search ADD COLUMN words text; -- null: written by a process of the release before
UPDATE participant_search found SET words = chat.found_by FROM participant chat
WHERE chat.client_id = found.client_id AND chat.id = found.participant_id;

-- A process of the release before writes the characters alone. The words that stood beside those before would hide the chat.
-- This goes with the next release.
CREATE FUNCTION participant_search_forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER participant_search_without_words BEFORE UPDATE ON participant_search FOR EACH ROW
    WHEN (NEW.grams IS DISTINCT FROM OLD.grams AND NEW.words IS NOT DISTINCT FROM OLD.words)
    EXECUTE FUNCTION participant_search_forget_words();
