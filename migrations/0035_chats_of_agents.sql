-- Agents work on chats: the team of a chat is a row, a chat is found by its customer's name and number, and each list of
-- chats has its index. `participant.team`, a name, is written by the release before this one only, and goes with the next.

ALTER TABLE participant
    -- The team that it waits for or belongs to.
    ADD COLUMN team_id uuid,
    -- What the search of chats looks through: names and numbers of the customer in lower case, one a line.
    ADD COLUMN found_by text NOT NULL DEFAULT '',
    ADD CONSTRAINT participant_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id);
INSERT INTO team (client_id, id, name, created_at)
SELECT client_id, gen_random_uuid(), min(btrim(team)), min(created_at) FROM participant WHERE btrim(team) <> ''
GROUP BY client_id, lower(btrim(team)) ON CONFLICT DO NOTHING;
UPDATE participant SET team_id = team.id FROM team
WHERE team.client_id = participant.client_id AND lower(team.name) = lower(btrim(participant.team));

-- One list of chats each, in the order in which they are shown.
CREATE INDEX participant_open ON participant (client_id, last_message_at DESC, id)
    WHERE state <> 'CLOSED' AND merged_into IS NULL;
CREATE INDEX participant_of_agent ON participant (client_id, assigned_agent_id, last_message_at DESC, id)
    WHERE state = 'ACTIVE';
CREATE INDEX participant_by_team ON participant (client_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX participant_of_team ON participant (client_id, team_id, last_message_at, id) WHERE state = 'QUEUED';
CREATE INDEX participant_missed ON participant (client_id, last_message_at DESC, id) WHERE missed AND NOT after_hours;
CREATE INDEX participant_after_hours ON participant (client_id, last_message_at DESC, id) WHERE after_hours;
CREATE INDEX participant_missed_by ON participant (client_id, assigned_agent_id) WHERE missed;
CREATE INDEX participant_missed_before_by ON participant (client_id, last_assigned_agent_id) WHERE missed;

-- Three characters each of what a chat is found by, as numbers that differ between clients.
CREATE TABLE participant_search (
    client_id uuid NOT NULL,
    participant_id uuid NOT NULL,
    grams integer[] NOT NULL,
    CONSTRAINT participant_search_pk PRIMARY KEY (client_id, participant_id),
    CONSTRAINT participant_search_participant_fk
        FOREIGN KEY (client_id, participant_id) REFERENCES participant (client_id, id) ON DELETE CASCADE
);
CREATE INDEX participant_search_grams ON participant_search USING gin (grams);
CREATE FUNCTION chat_grams(client uuid, words text) RETURNS integer[] IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $$
    SELECT COALESCE(array_agg(DISTINCT
               ('x' || encode(substring(sha256(convert_to(client::text || gram, 'UTF8')) FROM 1 FOR 4), 'hex'))::bit(32)::integer),
           '{}')
    FROM regexp_split_to_table(words, E'\n') AS line, generate_series(1, char_length(line) - 2) AS place,
         substr(line, place, 3) AS gram
$$;
UPDATE participant SET found_by = lower(concat_ws(E'\n', customer.full_name, customer.username,
    (SELECT string_agg(value, E'\n' ORDER BY value) FROM customer_address address
     WHERE address.client_id = customer.client_id AND address.customer_id = customer.id AND address.kind = 'PHONE')))
FROM customer WHERE customer.client_id = participant.client_id AND customer.id = participant.customer_id;
INSERT INTO participant_search (client_id, participant_id, grams)
SELECT client_id, id, chat_grams(client_id, found_by) FROM participant WHERE merged_into IS NULL;

ALTER TABLE chat_message
    -- The name that whoever sent it gave it; one of a chat is sent once.
    ADD COLUMN temp_id text,
    -- The agent who wrote it.
    ADD COLUMN agent_id uuid,
    -- When a voice note of ours was listened to.
    ADD COLUMN played_at timestamptz;
CREATE INDEX chat_message_by_temp_id ON chat_message (client_id, participant_id, temp_id) WHERE temp_id IS NOT NULL;
CREATE INDEX chat_message_by_ct_id ON chat_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
