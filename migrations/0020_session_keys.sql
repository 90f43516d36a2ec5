-- Session keys (ADR 0065): short-lived keys of logins. Directory: finds the client of a key, as `api_key` does.

CREATE TABLE session_key (
    key_hash bytea CONSTRAINT session_key_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- Null: all permissions of the user. WEBHOOKS: only the webhooks of the client.
    purpose text CONSTRAINT session_key_purpose_known CHECK (purpose IN ('WEBHOOKS')),
    created_at timestamptz NOT NULL,
    -- The last use, to some minutes.
    used_at timestamptz NOT NULL,
    -- Moves with the use, at most to `ends_at`.
    expires_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    CONSTRAINT session_key_id_unique UNIQUE (client_id, id),
    CONSTRAINT session_key_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);
-- The sessions of a user.
CREATE INDEX session_key_by_user ON session_key (client_id, user_id, id);
-- Retention.
CREATE INDEX session_key_by_end ON session_key (expires_at);

-- Open connections of an ended session end.
CREATE TRIGGER session_key_removed AFTER DELETE ON session_key FOR EACH ROW
    EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');

-- Links that a user made for a developer outside the client: each opens one session for webhooks.
CREATE TABLE session_link (
    token_hash bytea CONSTRAINT session_link_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT session_link_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);
-- The links of a user.
CREATE INDEX session_link_by_user ON session_link (client_id, user_id);
-- Retention.
CREATE INDEX session_link_by_end ON session_link (expires_at);
