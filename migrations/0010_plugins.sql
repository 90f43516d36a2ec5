-- Which plugin serves which world of a client, and what its calls did.

CREATE TABLE plugin_activation (
    client_id uuid NOT NULL CONSTRAINT plugin_activation_client_fk REFERENCES client (id),
    world text NOT NULL CONSTRAINT plugin_activation_world_known CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper')),
    -- Nil = all numbers of the client.
    number_id uuid NOT NULL,
    plugin text NOT NULL,
    config jsonb NOT NULL,
    activated_at timestamptz NOT NULL,
    CONSTRAINT plugin_activation_pk PRIMARY KEY (client_id, world, number_id)
);

CREATE TABLE plugin_invocation (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    plugin text NOT NULL,
    version text NOT NULL,
    world text NOT NULL,
    outcome text NOT NULL,
    duration_micros bigint NOT NULL,
    peak_memory_bytes bigint NOT NULL,
    logs text NOT NULL,
    error text,
    -- What it was about: a participant, a message, a delivery.
    subject_id uuid,
    CONSTRAINT plugin_invocation_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE plugin_invocation_default PARTITION OF plugin_invocation DEFAULT;
CREATE INDEX plugin_invocation_by_plugin ON plugin_invocation (client_id, plugin, id DESC);
