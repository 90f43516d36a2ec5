-- Like the program's own, as far as the measured statements go; in a schema of their own, so that migrations may go on.
-- Nothing is vacuumed on the side: that is done at the end of a round, as part of it.
DROP SCHEMA IF EXISTS rows CASCADE;
CREATE SCHEMA rows;
CREATE TABLE rows.part (
    client_id uuid, id uuid, batch_id uuid, inbox_id uuid, message_type text, content jsonb, PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.part_default PARTITION OF rows.part DEFAULT WITH (autovacuum_enabled = off);
CREATE TABLE rows.message (
    client_id uuid, id uuid, part_id uuid, inbox_id uuid, to_phone text, ct_id text, gst_id text,
    state text NOT NULL DEFAULT 'QUEUED', order_key bigint, sent_at timestamptz, delivered_at timestamptz,
    PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.message_default PARTITION OF rows.message DEFAULT WITH (autovacuum_enabled = off);
CREATE TABLE rows.leg (
    client_id uuid, message_id uuid, ordinal smallint, channel text, state text NOT NULL DEFAULT 'QUEUED',
    updated_at timestamptz, PRIMARY KEY (client_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);
CREATE TABLE rows.leg_default PARTITION OF rows.leg DEFAULT WITH (autovacuum_enabled = off);
CREATE TABLE rows.work (
    client_id uuid, message_id uuid, ordinal smallint, lane_id uuid, priority smallint, due_at timestamptz,
    PRIMARY KEY (client_id, message_id, ordinal)
) WITH (autovacuum_enabled = off);
CREATE INDEX ON rows.work (client_id, lane_id, priority, message_id);
CREATE TABLE rows.receipt (
    client_id uuid, id uuid, message_id uuid, channel text, state text, happened_at timestamptz, PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.receipt_default PARTITION OF rows.receipt DEFAULT WITH (autovacuum_enabled = off);
CREATE INDEX ON rows.receipt (client_id, message_id);
CREATE TABLE rows.callback (
    client_id uuid, id uuid, lane_id uuid, received_at timestamptz, due_at timestamptz, attempts smallint, item jsonb,
    PRIMARY KEY (client_id, id)
) WITH (autovacuum_enabled = off);
CREATE INDEX ON rows.callback (client_id, lane_id, id);
CREATE TABLE rows.callback_seen (client_id uuid, hash bytea, seen_at timestamptz, PRIMARY KEY (client_id, hash))
    WITH (autovacuum_enabled = off);
-- Only in the design with a table of events.
CREATE TABLE rows.event (
    client_id uuid, id uuid, inbox_id uuid, order_key bigint, event json, PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.event_default PARTITION OF rows.event DEFAULT WITH (autovacuum_enabled = off);
-- The event, or where it is.
CREATE TABLE rows.delivery (
    client_id uuid, id uuid, lane_id uuid, inbox_id uuid, order_key bigint, event_id uuid, event json, body bytea,
    state text NOT NULL DEFAULT 'PENDING', attempts smallint NOT NULL DEFAULT 0, due_at timestamptz,
    PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.delivery_default PARTITION OF rows.delivery DEFAULT WITH (autovacuum_enabled = off);
CREATE INDEX ON rows.delivery (client_id, lane_id, due_at, id) WHERE state = 'PENDING';
CREATE TABLE rows.attempt (
    client_id uuid, id uuid, delivery_id uuid, attempt smallint, status_code smallint, duration_millis integer,
    attempted_at timestamptz, PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE rows.attempt_default PARTITION OF rows.attempt DEFAULT WITH (autovacuum_enabled = off);
CREATE INDEX ON rows.attempt (client_id, delivery_id);
