-- What clients upload, which version is in force where, and what is kept about it.

CREATE TABLE plugin (
    client_id uuid NOT NULL CONSTRAINT plugin_client_fk REFERENCES client (id),
    name text NOT NULL,
    world text NOT NULL CONSTRAINT plugin_world_known CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router')),
    -- Counts up; a version is never given twice, also after old ones were removed.
    last_version integer NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT plugin_pk PRIMARY KEY (client_id, name)
);

-- The bytes, once per client.
CREATE TABLE plugin_component (
    client_id uuid NOT NULL CONSTRAINT plugin_component_client_fk REFERENCES client (id),
    sha256 text NOT NULL,
    size bigint NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT plugin_component_pk PRIMARY KEY (client_id, sha256)
);
-- Components do not compress well, and are read whole.
ALTER TABLE plugin_component ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE plugin_version (
    client_id uuid NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    api_version text NOT NULL,
    imports text[] NOT NULL,
    -- What the component exports as the schema of its configuration.
    config_schema jsonb,
    created_by uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT plugin_version_pk PRIMARY KEY (client_id, name, version),
    CONSTRAINT plugin_version_bytes_once UNIQUE (client_id, name, sha256),
    CONSTRAINT plugin_version_plugin_fk FOREIGN KEY (client_id, name) REFERENCES plugin (client_id, name) ON DELETE CASCADE,
    CONSTRAINT plugin_version_component_fk FOREIGN KEY (client_id, sha256) REFERENCES plugin_component (client_id, sha256)
);
CREATE INDEX plugin_version_by_component ON plugin_version (client_id, sha256);

-- One row per slot that is taken: a world of a client, or of one of its numbers, in each of three modes.
ALTER TABLE plugin_activation
    DROP CONSTRAINT plugin_activation_world_known,
    ADD CONSTRAINT plugin_activation_world_known CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router')),
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN mode text NOT NULL DEFAULT 'live' CONSTRAINT plugin_activation_mode_known CHECK (mode IN ('live', 'shadow', 'canary')),
    -- Both null = shipped with the program or a file of the plugins directory.
    ADD COLUMN version integer,
    ADD COLUMN sha256 text,
    ADD COLUMN allowed_hosts text[] NOT NULL DEFAULT '{}',
    -- Of a canary: its share of subjects, and when it is taken back.
    ADD COLUMN percent smallint NOT NULL DEFAULT 100,
    ADD COLUMN error_threshold smallint NOT NULL DEFAULT 10,
    ADD COLUMN minimum_calls integer NOT NULL DEFAULT 20,
    -- The live activation that this one replaced.
    ADD COLUMN previous_id uuid,
    ADD COLUMN recording_sample double precision,
    ADD COLUMN recording_max_calls integer,
    -- Recordings with ids from this one on count towards that number.
    ADD COLUMN recording_first uuid,
    ADD COLUMN recording_until timestamptz,
    DROP CONSTRAINT plugin_activation_pk,
    ADD CONSTRAINT plugin_activation_pk PRIMARY KEY (client_id, world, number_id, mode),
    ADD CONSTRAINT plugin_activation_version_whole CHECK ((version IS NULL) = (sha256 IS NULL));
ALTER TABLE plugin_activation ALTER COLUMN id DROP DEFAULT;
CREATE INDEX plugin_activation_by_plugin ON plugin_activation (client_id, plugin);
-- What the nodes load ahead of its first call.
CREATE INDEX plugin_activation_recent ON plugin_activation (activated_at) WHERE version IS NOT NULL;

-- Every activation there ever was: what a rollback goes back to.
CREATE TABLE plugin_activation_history (
    client_id uuid NOT NULL CONSTRAINT plugin_activation_history_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    world text NOT NULL,
    number_id uuid NOT NULL,
    mode text NOT NULL,
    plugin text NOT NULL,
    version integer,
    sha256 text,
    config jsonb NOT NULL,
    allowed_hosts text[] NOT NULL,
    percent smallint NOT NULL,
    error_threshold smallint NOT NULL,
    minimum_calls integer NOT NULL,
    previous_id uuid,
    activated_at timestamptz NOT NULL,
    ended_at timestamptz,
    end_reason text CONSTRAINT plugin_activation_history_reason_known
        CHECK (end_reason IN ('replaced', 'promoted', 'rolled-back', 'deactivated', 'canary-failed')),
    CONSTRAINT plugin_activation_history_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX plugin_activation_history_by_scope ON plugin_activation_history (client_id, world, number_id, id DESC);
CREATE INDEX plugin_activation_history_by_plugin ON plugin_activation_history (client_id, plugin, id DESC);
INSERT INTO plugin_activation_history
    (client_id, id, world, number_id, mode, plugin, config, allowed_hosts, percent, error_threshold, minimum_calls, activated_at)
SELECT client_id, id, world, number_id, mode, plugin, config, allowed_hosts, percent, error_threshold, minimum_calls, activated_at
FROM plugin_activation;

-- What happened to a plugin, for the client to read.
CREATE TABLE plugin_event (
    client_id uuid NOT NULL CONSTRAINT plugin_event_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    kind text NOT NULL,
    reason text,
    at timestamptz NOT NULL,
    CONSTRAINT plugin_event_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX plugin_event_by_plugin ON plugin_event (client_id, plugin, id DESC);

ALTER TABLE plugin_invocation
    ADD COLUMN activation_id uuid,
    ADD COLUMN mode text NOT NULL DEFAULT 'live';
CREATE INDEX plugin_invocation_by_activation ON plugin_invocation (client_id, activation_id, id DESC)
    WHERE activation_id IS NOT NULL AND mode = 'canary';

-- Where a shadow answered differently from the live version.
CREATE TABLE plugin_difference (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    activation_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    live_plugin text NOT NULL,
    live_version integer,
    subject_id uuid NOT NULL,
    live jsonb NOT NULL,
    shadow jsonb NOT NULL,
    CONSTRAINT plugin_difference_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE plugin_difference_default PARTITION OF plugin_difference DEFAULT;
CREATE INDEX plugin_difference_by_plugin ON plugin_difference (client_id, plugin, id DESC);

-- Calls with all that went in and out, to be made again.
CREATE TABLE plugin_recording (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    activation_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    world text NOT NULL,
    subject_id uuid NOT NULL,
    -- Text, not jsonb: the same bytes come back.
    recording text NOT NULL,
    CONSTRAINT plugin_recording_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE plugin_recording_default PARTITION OF plugin_recording DEFAULT;
CREATE INDEX plugin_recording_by_plugin ON plugin_recording (client_id, plugin, id DESC);
CREATE INDEX plugin_recording_by_activation ON plugin_recording (client_id, activation_id);

-- Who was made to answer a conversation, and why.
CREATE TABLE routing_decision (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    number_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    -- `bot`, `team`, `agent` or `queue`, and the name or id that goes with it.
    target text NOT NULL,
    target_name text,
    reason text NOT NULL,
    -- The router failed, and the host decided.
    fallback boolean NOT NULL,
    CONSTRAINT routing_decision_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE routing_decision_default PARTITION OF routing_decision DEFAULT;
CREATE INDEX routing_decision_by_participant ON routing_decision (client_id, participant_id, id DESC);

-- The chatbot that a router chose; null = the one that is active on the number.
ALTER TABLE participant ADD COLUMN bot_plugin text;
