-- Uploads that are answered before they are done, for whoever asks how far they are.

CREATE TABLE plugin_upload (
    client_id uuid NOT NULL CONSTRAINT plugin_upload_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    plugin text NOT NULL,
    size bigint NOT NULL,
    state text NOT NULL CONSTRAINT plugin_upload_state_known CHECK (state IN ('COMPILING', 'READY', 'REFUSED')),
    -- The version that came of it.
    version integer,
    -- Why it was refused: storage::plugins::uploads::Refused.
    refused jsonb,
    created_at timestamptz NOT NULL,
    -- Moves on while a process works on it.
    seen_at timestamptz NOT NULL,
    CONSTRAINT plugin_upload_pk PRIMARY KEY (client_id, id)
);
-- What upkeep removes.
CREATE INDEX plugin_upload_by_age ON plugin_upload (created_at);
