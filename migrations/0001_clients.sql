-- Clients (tenants), the people and programs that act for them, and what is needed to tell them apart.

CREATE TABLE client (
    id uuid CONSTRAINT client_pk PRIMARY KEY,
    client_ref text NOT NULL CONSTRAINT client_ref_unique UNIQUE,
    display_name text NOT NULL,
    parent_id uuid CONSTRAINT client_parent_fk REFERENCES client (id),
    time_zone text NOT NULL DEFAULT 'UTC',
    -- Source address of SMS legs; null = the operator's default.
    sms_source text,
    -- When 131026 counts as "not on WhatsApp" (PROVIDERS A.12).
    fallback_mode text NOT NULL DEFAULT 'STRICT' CONSTRAINT client_fallback_mode_known CHECK (fallback_mode IN ('STRICT', 'ANY_131026')),
    -- Lets webhook targets of this client be private addresses: the demo client under the simulator.
    allow_private_targets boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL
);

CREATE TABLE client_user (
    client_id uuid NOT NULL CONSTRAINT client_user_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL CONSTRAINT client_user_role_known CHECK (role IN ('ADMIN', 'SUPERVISOR', 'AGENT', 'DEVELOPER', 'API')),
    team text,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT client_user_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX client_user_email_unique ON client_user (client_id, lower(email));

-- Directory: finds the client of a key. One key per user; a regenerated key replaces it.
CREATE TABLE api_key (
    key_hash bytea CONSTRAINT api_key_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- The key itself, sealed, because retrieveApiKey gives it back.
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT api_key_user_unique UNIQUE (client_id, user_id),
    CONSTRAINT api_key_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);

-- Wrong passwords, per account named in the request, known or not.
CREATE TABLE login_failure (
    account_hash bytea NOT NULL,
    id uuid NOT NULL,
    failed_at timestamptz NOT NULL,
    CONSTRAINT login_failure_pk PRIMARY KEY (account_hash, id)
);

CREATE TABLE audit (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    happened_at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id text NOT NULL,
    CONSTRAINT audit_pk PRIMARY KEY (client_id, id)
);

-- One row: a known plaintext sealed with the master key, so that a start with another key is refused.
CREATE TABLE master_key_check (
    only_row boolean CONSTRAINT master_key_check_pk PRIMARY KEY DEFAULT true CHECK (only_row),
    sealed bytea NOT NULL
);

-- One row: how far testing.clock has moved the business clock of all nodes.
CREATE TABLE testing_clock (
    only_row boolean CONSTRAINT testing_clock_pk PRIMARY KEY DEFAULT true CHECK (only_row),
    offset_seconds bigint NOT NULL
);
