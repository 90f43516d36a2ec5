-- Files that a chatbot wrote and that no message names yet (ADR 0075). The row comes with that of the file, before the bytes, and
-- is removed when the answer takes effect. So an erasure finds the file of a turn that was cut off.
CREATE TABLE unsent_file (
    client_id uuid NOT NULL,
    -- Of `media`.
    media_id uuid NOT NULL,
    -- The chat of the turn.
    participant_id uuid NOT NULL,
    -- The last time that a turn stored it.
    stored_at timestamptz NOT NULL,
    CONSTRAINT unsent_file_pk PRIMARY KEY (client_id, media_id)
);
-- Erasure of a person.
CREATE INDEX unsent_file_by_chat ON unsent_file (client_id, participant_id);
-- Retention.
CREATE INDEX unsent_file_by_age ON unsent_file (stored_at);
