-- Plugins: uploads and versions, the activations per slot, and the records of their calls.

CREATE TABLE plugin (
    client_id uuid NOT NULL CONSTRAINT plugin_client_fk REFERENCES client (id),
    name text NOT NULL,
    world text NOT NULL CONSTRAINT plugin_world_known
        CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router', 'sms-router')),
    -- Counts up. The number of a removed version is not given again.
    last_version integer NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT plugin_pk PRIMARY KEY (client_id, name)
);

-- The bytes of components, once per client. They are stored without compression, because they do not compress well and
-- are read whole.
CREATE TABLE plugin_component (
    client_id uuid NOT NULL CONSTRAINT plugin_component_client_fk REFERENCES client (id),
    sha256 text NOT NULL,
    size bigint NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT plugin_component_pk PRIMARY KEY (client_id, sha256)
);
ALTER TABLE plugin_component ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE plugin_version (
    client_id uuid NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    api_version text NOT NULL,
    imports text[] NOT NULL,
    -- The schema of its configuration that the component exports.
    config_schema jsonb,
    created_by uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT plugin_version_pk PRIMARY KEY (client_id, name, version),
    CONSTRAINT plugin_version_bytes_once UNIQUE (client_id, name, sha256),
    CONSTRAINT plugin_version_plugin_fk FOREIGN KEY (client_id, name) REFERENCES plugin (client_id, name) ON DELETE CASCADE,
    CONSTRAINT plugin_version_component_fk FOREIGN KEY (client_id, sha256) REFERENCES plugin_component (client_id, sha256)
);
-- The versions of a component that may be removed.
CREATE INDEX plugin_version_by_component ON plugin_version (client_id, sha256);

-- Uploads that are answered before they are compiled, for queries about their progress.
CREATE TABLE plugin_upload (
    client_id uuid NOT NULL CONSTRAINT plugin_upload_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    plugin text NOT NULL,
    size bigint NOT NULL,
    state text NOT NULL CONSTRAINT plugin_upload_state_known CHECK (state IN ('COMPILING', 'READY', 'REFUSED')),
    -- The resulting version.
    version integer,
    -- The reason of a refusal: storage::plugins::uploads::Refused.
    refused jsonb,
    created_at timestamptz NOT NULL,
    -- Updated while a process works on it.
    seen_at timestamptz NOT NULL,
    CONSTRAINT plugin_upload_pk PRIMARY KEY (client_id, id)
);
-- Retention.
CREATE INDEX plugin_upload_by_age ON plugin_upload (created_at);

-- One row per occupied slot: a world of a client or of one of its inboxes, in each of three modes.
CREATE TABLE plugin_activation (
    client_id uuid NOT NULL CONSTRAINT plugin_activation_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    world text NOT NULL CONSTRAINT plugin_activation_world_known
        CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router', 'sms-router')),
    -- Nil: all inboxes of the client.
    inbox_id uuid NOT NULL,
    mode text NOT NULL DEFAULT 'live'
        CONSTRAINT plugin_activation_mode_known CHECK (mode IN ('live', 'shadow', 'canary')),
    plugin text NOT NULL,
    -- Both null: shipped with the program, or a file of the plugins directory.
    version integer,
    sha256 text,
    config jsonb NOT NULL,
    allowed_hosts text[] NOT NULL DEFAULT '{}',
    -- Of a canary: its percentage of subjects; the percentage of failed calls that ends it, after at least this many
    -- calls.
    percent smallint NOT NULL DEFAULT 100,
    error_threshold smallint NOT NULL DEFAULT 10,
    minimum_calls integer NOT NULL DEFAULT 20,
    -- The live activation that this one replaced.
    previous_id uuid,
    -- Share of calls that are recorded (0 to 1), and the bounds of the recording.
    recording_sample double precision,
    recording_max_calls integer,
    recording_max_bytes bigint NOT NULL DEFAULT 67108864,
    -- Recordings with ids from this one on count for the bounds.
    recording_first uuid,
    recording_until timestamptz,
    -- The bound that ended the recording, in words; null: it runs until its time is over.
    recording_stopped text,
    activated_at timestamptz NOT NULL,
    CONSTRAINT plugin_activation_pk PRIMARY KEY (client_id, world, inbox_id, mode),
    CONSTRAINT plugin_activation_version_whole CHECK ((version IS NULL) = (sha256 IS NULL))
);
-- The activations of a plugin.
CREATE INDEX plugin_activation_by_plugin ON plugin_activation (client_id, plugin);
-- The components that nodes load before the first call.
CREATE INDEX plugin_activation_recent ON plugin_activation (activated_at) WHERE version IS NOT NULL;

-- All activations, for rollbacks.
CREATE TABLE plugin_activation_history (
    client_id uuid NOT NULL CONSTRAINT plugin_activation_history_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    world text NOT NULL,
    inbox_id uuid NOT NULL,
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
-- The history of a slot and of a plugin, newest first.
CREATE INDEX plugin_activation_history_by_scope ON plugin_activation_history (client_id, world, inbox_id, id DESC);
CREATE INDEX plugin_activation_history_by_plugin ON plugin_activation_history (client_id, plugin, id DESC);

-- Events of plugins, for the client to read.
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
-- The events of a plugin, newest first.
CREATE INDEX plugin_event_by_plugin ON plugin_event (client_id, plugin, id DESC);
-- Retention.
CREATE INDEX plugin_event_by_age ON plugin_event (at);

-- Each call of a plugin.
CREATE TABLE plugin_invocation (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    plugin text NOT NULL,
    version text NOT NULL,
    world text NOT NULL,
    activation_id uuid,
    mode text NOT NULL DEFAULT 'live',
    outcome text NOT NULL,
    duration_micros bigint NOT NULL,
    peak_memory_bytes bigint NOT NULL,
    logs text NOT NULL,
    error text,
    -- Of a chatbot: the event of the call, by its name in wit/.
    event text,
    -- Of a failed call of a chatbot: the consequence for the chat, in words.
    consequence text,
    -- The chat, message or delivery of the call.
    subject_id uuid,
    CONSTRAINT plugin_invocation_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE plugin_invocation_default PARTITION OF plugin_invocation DEFAULT;
-- The calls of a plugin, newest first.
CREATE INDEX plugin_invocation_by_plugin ON plugin_invocation (client_id, plugin, id DESC);
-- The latest calls of a canary, for its share of failures.
CREATE INDEX plugin_invocation_by_activation ON plugin_invocation (client_id, activation_id, id DESC)
    WHERE activation_id IS NOT NULL AND mode = 'canary';
-- Retention.
CREATE INDEX plugin_invocation_default_by_age ON plugin_invocation_default (id);

-- Calls in which a shadow answered differently from the live version.
CREATE TABLE plugin_difference (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Of the shadow.
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
-- The differences of a plugin, newest first.
CREATE INDEX plugin_difference_by_plugin ON plugin_difference (client_id, plugin, id DESC);
-- Retention.
CREATE INDEX plugin_difference_default_by_age ON plugin_difference_default (id);

-- Comparisons with a shadow that were skipped because there was no capacity.
CREATE TABLE plugin_shadow_skip (
    client_id uuid NOT NULL CONSTRAINT plugin_shadow_skip_client_fk REFERENCES client (id),
    -- Of the shadow.
    activation_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    comparisons bigint NOT NULL,
    last_at timestamptz NOT NULL,
    CONSTRAINT plugin_shadow_skip_pk PRIMARY KEY (client_id, activation_id)
);
-- The skipped comparisons of a plugin, newest first.
CREATE INDEX plugin_shadow_skip_by_plugin ON plugin_shadow_skip (client_id, plugin, last_at DESC);
-- Retention.
CREATE INDEX plugin_shadow_skip_by_age ON plugin_shadow_skip (last_at);

-- Calls with their complete input and output, to be replayed.
CREATE TABLE plugin_recording (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    activation_id uuid NOT NULL,
    plugin text NOT NULL,
    version integer,
    world text NOT NULL,
    subject_id uuid NOT NULL,
    -- Text, not jsonb, so that the same bytes are read back.
    recording text NOT NULL,
    bytes integer GENERATED ALWAYS AS (octet_length(recording)) STORED,
    CONSTRAINT plugin_recording_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE plugin_recording_default PARTITION OF plugin_recording DEFAULT;
-- The recordings of a plugin, newest first.
CREATE INDEX plugin_recording_by_plugin ON plugin_recording (client_id, plugin, id DESC);
-- The number and size of the recordings of an activation, which each call adds up.
CREATE INDEX plugin_recording_sizes ON plugin_recording (client_id, activation_id, id) INCLUDE (bytes);
-- Retention.
CREATE INDEX plugin_recording_default_by_age ON plugin_recording_default (id);
