-- Comparisons with a shadow that were skipped because there was no room for them.
CREATE TABLE plugin_shadow_skip (
    client_id uuid NOT NULL CONSTRAINT plugin_shadow_skip_client_fk REFERENCES client (id),
    -- Activation of the shadow.
    activation_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    comparisons bigint NOT NULL,
    last_at timestamptz NOT NULL,
    CONSTRAINT plugin_shadow_skip_pk PRIMARY KEY (client_id, activation_id)
);
CREATE INDEX plugin_shadow_skip_by_plugin ON plugin_shadow_skip (client_id, plugin, last_at DESC);

-- A recording has an end by bytes, too, and says why it ended.
ALTER TABLE plugin_activation
    ADD COLUMN recording_max_bytes bigint NOT NULL DEFAULT 67108864,
    -- In words, when as much is recorded as was wanted; null = it goes on until its time is over.
    ADD COLUMN recording_stopped text;
ALTER TABLE plugin_recording ADD COLUMN bytes integer GENERATED ALWAYS AS (octet_length(recording)) STORED;
-- What an activation has recorded is added up with every call.
CREATE INDEX plugin_recording_sizes ON plugin_recording (client_id, activation_id, id) INCLUDE (bytes);
DROP INDEX plugin_recording_by_activation;
