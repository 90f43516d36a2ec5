-- Facts about contacts that a client defines, such as a plan or a birthday, and their values (ADR 0071).
CREATE TABLE contact_attribute (
    client_id uuid NOT NULL CONSTRAINT contact_attribute_client_fk REFERENCES client (id),
    -- `domain::contact_attribute::AttributeName`.
    name text NOT NULL,
    -- The name for people.
    label text NOT NULL,
    -- Never changes: values are written in the form of their type.
    type text NOT NULL CONSTRAINT contact_attribute_type_known
        CHECK (type IN ('TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'CHOICE')),
    -- The possible values of a CHOICE, in the order of the client. Empty for other types.
    choices text[] NOT NULL DEFAULT '{}',
    CONSTRAINT contact_attribute_pk PRIMARY KEY (client_id, name)
);

-- Values belong to customers, so that a merge of contacts by hand moves none. If several customers of a contact have a
-- value, the newest one is shown.
CREATE TABLE contact_attribute_value (
    client_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    name text NOT NULL,
    -- A number in decimal digits, `true` or `false`, a date in ISO 8601, or a text.
    value text NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT contact_attribute_value_pk PRIMARY KEY (client_id, customer_id, name),
    CONSTRAINT contact_attribute_value_customer_fk
        FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE,
    CONSTRAINT contact_attribute_value_name_fk
        FOREIGN KEY (client_id, name) REFERENCES contact_attribute (client_id, name) ON DELETE CASCADE
);
-- The values of an attribute that is deleted.
CREATE INDEX contact_attribute_value_by_name ON contact_attribute_value (client_id, name);
