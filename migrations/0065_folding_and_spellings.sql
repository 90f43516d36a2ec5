-- People and chats are found without accents, and by either spelling of a number that has two.

-- A text as `domain::search::fold` folds it: without accents and invisible characters, composed, small letters in every script, one
-- space between words. For lists that are short; what is long is stored folded. Where PostgreSQL has no ICU, or another encoding, it
-- is the text in small letters.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AND getdatabaseencoding() = 'UTF8' THEN
        CREATE FUNCTION folded(line text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $folded$
            SELECT btrim(regexp_replace(normalize(
                replace(replace(replace(translate(
                    lower(upper(regexp_replace(
                        normalize(line, NFKD),
                        '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670'
                        '\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F'
                        '\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164'
                        '\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
                        '\U000E0000-\U000E0FFF]', '', 'g') COLLATE "und-x-icu") COLLATE "und-x-icu"),
                    'ςøłđðħŧı', 'σolddhti'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
                NFKC), '\s+', ' ', 'g'))
        $folded$;
    ELSE
        CREATE FUNCTION folded(line text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $folded$
            SELECT btrim(regexp_replace(lower(line), '\s+', ' ', 'g'))
        $folded$;
    END IF;
END
$$;

-- What the address book looks up of a text (`domain::search::parts`): every run of one to three characters, hashed with its client.
CREATE FUNCTION pg_temp.contact_parts(client uuid, of_what bytea, line text) RETURNS bigint[] STABLE LANGUAGE sql AS $$
    SELECT COALESCE(array_agg(DISTINCT ('x' || encode(substring(sha256(uuid_send(client) || of_what || (
               SELECT string_agg(int4send(ascii(substr(line, place + step, 1))), ''::bytea ORDER BY step)
               FROM generate_series(0, size - 1) AS step)) FROM 1 FOR 8), 'hex'))::bit(64)::bigint), '{}')
    FROM generate_series(1, 3) AS size, generate_series(1, char_length(line) - size + 1) AS place
$$;

-- Words in ASCII are folded already.
CREATE TEMPORARY TABLE refolded ON COMMIT DROP AS
SELECT chat.client_id, chat.id, folded_words.words
FROM participant chat
CROSS JOIN LATERAL (
    SELECT string_agg(one.line, E'\n' ORDER BY one.place) AS words
    FROM (SELECT folded(split.line) AS line, split.place
          FROM regexp_split_to_table(chat.found_by, E'\n') WITH ORDINALITY AS split (line, place)) one
    WHERE one.line <> '') folded_words
WHERE chat.merged_into IS NULL AND octet_length(chat.found_by) <> char_length(chat.found_by)
  AND folded_words.words <> chat.found_by;
UPDATE participant SET found_by = refolded.words
FROM refolded WHERE participant.client_id = refolded.client_id AND participant.id = refolded.id;
UPDATE participant_search SET words = refolded.words, grams = chat_grams(refolded.client_id, refolded.words)
FROM refolded
WHERE participant_search.client_id = refolded.client_id AND participant_search.participant_id = refolded.id;
-- Parts that are of the old form only find nothing that is not compared again.
UPDATE contact SET folded_name = folded(full_name),
                   parts = parts || pg_temp.contact_parts(client_id, 'a'::bytea, folded(full_name))
WHERE octet_length(full_name) <> char_length(full_name) AND folded_name <> folded(full_name);

-- The order of the address book for those who see of a name its first letter only.
CREATE INDEX contact_by_initial ON contact (client_id, translate(left(folded_name, 1), '0123456789', ''), id);

-- Numbers of mobile phones in Brazil, Argentina and Mexico have two spellings (`domain::numbering`). Both are addresses of one
-- customer; the one that has not been used is older than all others. Of two customers who have one each, an event makes one.
CREATE FUNCTION pg_temp.other_spelling(number text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE
        WHEN number ~ '^55[1-9]{2}9[16-9]\d{7}$' THEN left(number, 4) || substr(number, 6)
        WHEN number ~ '^55[1-9]{2}[16-9]\d{7}$' THEN left(number, 4) || '9' || substr(number, 5)
        WHEN number ~ '^549[1-3]\d{9}$' THEN '54' || substr(number, 4)
        WHEN number ~ '^54[1-3]\d{9}$' THEN '549' || substr(number, 3)
        WHEN number ~ '^521[2-9]\d{9}$' THEN '52' || substr(number, 4)
        WHEN number ~ '^52[2-9]\d{9}$' THEN '521' || substr(number, 3)
    END
$$;
CREATE TEMPORARY TABLE spelled ON COMMIT DROP AS
SELECT known.client_id, known.customer_id, pg_temp.other_spelling(known.value) AS value
FROM customer_address known
WHERE known.kind = 'PHONE' AND known.value ~ '^5[245]'
  AND NOT EXISTS (SELECT FROM customer_address other
                  WHERE other.client_id = known.client_id AND other.kind = 'PHONE'
                    AND other.value = pg_temp.other_spelling(known.value));
DELETE FROM spelled WHERE value IS NULL;
INSERT INTO customer_address (client_id, kind, value, customer_id, seen_at)
SELECT client_id, 'PHONE', value, customer_id, 'epoch' FROM spelled ON CONFLICT DO NOTHING;
CREATE TEMPORARY TABLE found_by_both ON COMMIT DROP AS
SELECT chat.client_id, chat.id, chat.found_by || E'\n' || numbers.of_customer AS words
FROM (SELECT client_id, customer_id, string_agg(value, E'\n' ORDER BY value) AS of_customer
      FROM spelled GROUP BY client_id, customer_id) numbers
JOIN participant chat ON chat.client_id = numbers.client_id AND chat.customer_id = numbers.customer_id
WHERE chat.merged_into IS NULL;
UPDATE participant SET found_by = found_by_both.words
FROM found_by_both WHERE participant.client_id = found_by_both.client_id AND participant.id = found_by_both.id;
UPDATE participant_search SET words = found_by_both.words, grams = chat_grams(found_by_both.client_id, found_by_both.words)
FROM found_by_both
WHERE participant_search.client_id = found_by_both.client_id AND participant_search.participant_id = found_by_both.id;
UPDATE contact SET parts = contact.parts || more.parts
FROM (SELECT spelled.client_id, spelled.customer_id, array_agg(part) AS parts
      FROM spelled CROSS JOIN LATERAL unnest(pg_temp.contact_parts(spelled.client_id, '0'::bytea, spelled.value)) AS part
      GROUP BY spelled.client_id, spelled.customer_id) more
WHERE contact.client_id = more.client_id AND contact.customer_id = more.customer_id;
