-- Shared secrets of a client (ADR 0072). Configurations of plugins name them in place of a value.
CREATE TABLE plugin_secret (
    client_id uuid NOT NULL CONSTRAINT plugin_secret_client_fk REFERENCES client (id),
    name text NOT NULL,
    -- Sealed under the master key: a text, as JSON.
    value_sealed bytea NOT NULL,
    -- The plugins that may use it, by name; only `*`: all plugins.
    plugins text[] NOT NULL,
    created_at timestamptz NOT NULL,
    -- The last time when the value was set.
    value_at timestamptz NOT NULL,
    CONSTRAINT plugin_secret_pk PRIMARY KEY (client_id, name)
);
