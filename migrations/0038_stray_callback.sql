-- Items of callbacks for a number, page or business account of no client, until one adds it. They are kept for some days,
-- at most 1,000 of a source and 10,000 in all. Only callbacks with a valid signature come here.
CREATE TABLE stray_callback (
    source_kind text NOT NULL
        CONSTRAINT stray_callback_source_kind_known CHECK (source_kind IN ('PHONE_NUMBER_ID', 'WABA', 'PAGE')),
    -- The provider's id.
    source_id text NOT NULL,
    -- The same for each repetition of a fact.
    dedupe_hash bytea NOT NULL,
    -- The order of arrival.
    id uuid NOT NULL,
    item jsonb NOT NULL, -- {"v":1,"value":domain::inbound::CallbackItem}
    received_at timestamptz NOT NULL,
    CONSTRAINT stray_callback_pk PRIMARY KEY (source_kind, source_id, dedupe_hash)
);
-- Retention.
CREATE INDEX stray_callback_by_age ON stray_callback (received_at);
