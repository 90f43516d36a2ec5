-- Who writes and who is written to. A customer is one row for ever; what is known of it (phone, BSUID) are identities.

CREATE TABLE customer (
    client_id uuid NOT NULL CONSTRAINT customer_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    full_name text,
    username text,
    -- Set when a later event showed that two customers are one; old ids keep resolving.
    merged_into uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT customer_pk PRIMARY KEY (client_id, id)
);

CREATE TABLE customer_identity (
    client_id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT customer_identity_kind_known CHECK (kind IN ('PHONE', 'BSUID')),
    value text NOT NULL,
    customer_id uuid NOT NULL,
    -- The newest of its kind is the one that is shown and written to.
    seen_at timestamptz NOT NULL,
    CONSTRAINT customer_identity_pk PRIMARY KEY (client_id, kind, value),
    CONSTRAINT customer_identity_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);
CREATE INDEX customer_identity_by_customer ON customer_identity (client_id, customer_id, kind, seen_at DESC);

-- What must be known of a customer on one business number before any chat exists.
CREATE TABLE number_customer (
    client_id uuid NOT NULL,
    number_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    -- Opens the 24-hour window (SPEC 4.1).
    last_inbound_at timestamptz,
    -- A delivery, a read receipt or an inbound message: the number is on WhatsApp (PROVIDERS A.12).
    seen_on_whatsapp boolean NOT NULL DEFAULT false,
    last_outbound_at timestamptz,
    -- Set while the last outbound message was a template (SPEC 6.5 templateId, templateName).
    last_template_id text,
    last_template_name text,
    CONSTRAINT number_customer_pk PRIMARY KEY (client_id, number_id, customer_id),
    CONSTRAINT number_customer_customer_fk FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id)
);
