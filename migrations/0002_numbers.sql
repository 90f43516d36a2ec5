-- Business numbers, the directories that find their client, and the cached template catalogue.

CREATE TABLE whatsapp_number (
    client_id uuid NOT NULL CONSTRAINT whatsapp_number_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    -- Id of the client-number row; the nested whatsAppNumber object carries `id`.
    link_id uuid NOT NULL,
    msisdn text NOT NULL,
    provider text NOT NULL CONSTRAINT whatsapp_number_provider_known CHECK (provider IN ('WHATSAPP_CLOUD', 'WHATSAPP_LITE')),
    phone_number_id text,
    waba_id text,
    access_token_sealed bytea,
    app_secret_sealed bytea,
    -- Messages per second; null = limits.cloud_rate_per_second.
    rate_per_second integer,
    created_at timestamptz NOT NULL,
    CONSTRAINT whatsapp_number_pk PRIMARY KEY (client_id, id),
    CONSTRAINT whatsapp_number_msisdn_unique UNIQUE (client_id, msisdn)
);

-- Directory: finds the client of a provider callback.
CREATE TABLE phone_number_directory (
    phone_number_id text CONSTRAINT phone_number_directory_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    number_id uuid NOT NULL,
    CONSTRAINT phone_number_directory_number_fk FOREIGN KEY (client_id, number_id) REFERENCES whatsapp_number (client_id, id) ON DELETE CASCADE
);

-- Directory: finds the clients of an account-level callback.
CREATE TABLE waba_directory (
    waba_id text NOT NULL,
    client_id uuid NOT NULL,
    -- When the template catalogue is fetched again.
    refresh_due_at timestamptz NOT NULL,
    CONSTRAINT waba_directory_pk PRIMARY KEY (waba_id, client_id)
);
CREATE INDEX waba_directory_by_client ON waba_directory (client_id);
CREATE INDEX waba_directory_by_due ON waba_directory (refresh_due_at);

CREATE TABLE template (
    client_id uuid NOT NULL,
    waba_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    status text NOT NULL,
    category text NOT NULL,
    parameter_format text NOT NULL,
    components jsonb NOT NULL,
    synced_at timestamptz NOT NULL,
    CONSTRAINT template_pk PRIMARY KEY (client_id, waba_id, id),
    CONSTRAINT template_client_fk FOREIGN KEY (client_id) REFERENCES client (id)
);
CREATE INDEX template_by_name ON template (client_id, name, language);
