-- Trust in uploads of plugins (ADR 0070): the keys that may sign, the policy of a client, and the origin of each version.

CREATE TABLE plugin_signing_key (
    client_id uuid NOT NULL CONSTRAINT plugin_signing_key_client_fk REFERENCES client (id),
    name text NOT NULL,
    -- The second line of a public key file of minisign.
    public_key text NOT NULL,
    -- SHA-256 of the bytes of that line, in hexadecimal.
    fingerprint text NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT plugin_signing_key_pk PRIMARY KEY (client_id, name),
    CONSTRAINT plugin_signing_key_once UNIQUE (client_id, fingerprint)
);

-- Clients without a row accept uploads without a signature.
CREATE TABLE plugin_policy (
    client_id uuid NOT NULL CONSTRAINT plugin_policy_client_fk REFERENCES client (id),
    signed_only boolean NOT NULL,
    CONSTRAINT plugin_policy_pk PRIMARY KEY (client_id)
);

ALTER TABLE plugin_version
    -- domain::plugin_origin::VersionSignature. Null: not signed.
    ADD COLUMN signature jsonb,
    -- domain::plugin_origin::VersionOrigin. Null: not recorded.
    ADD COLUMN origin jsonb;
