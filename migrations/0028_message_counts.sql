-- How many WhatsApp messages were submitted, sent, delivered and read, and how many failed (SPEC 2.11, 4.5; ADR 0022), by the
-- second in which they were submitted. Whoever moves messages appends changes in the same statement; nobody waits for a row
-- that others write. Upkeep folds changes into counts. What is true at a moment is counts and changes together.
--
-- Stop the nodes of the previous release first: they count nothing.

CREATE TABLE message_count (
    client_id uuid NOT NULL,
    -- The same messages by the second and by the hour: a period is whole hours, with seconds at both ends.
    grain text NOT NULL CONSTRAINT message_count_grain_known CHECK (grain IN ('SECOND', 'HOUR')),
    -- Beginning of the second or hour in which the messages were submitted.
    at timestamptz NOT NULL,
    message_type text NOT NULL,
    submitted bigint NOT NULL,
    sent bigint NOT NULL,
    delivered bigint NOT NULL,
    read bigint NOT NULL,
    failed bigint NOT NULL,
    CONSTRAINT message_count_pk PRIMARY KEY (client_id, grain, at, message_type)
);
CREATE INDEX message_count_by_age ON message_count (at);

CREATE TABLE message_count_change (
    client_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    -- The second in which the messages were submitted.
    at timestamptz NOT NULL,
    message_type text NOT NULL,
    submitted integer NOT NULL,
    sent integer NOT NULL,
    delivered integer NOT NULL,
    read integer NOT NULL,
    failed integer NOT NULL,
    CONSTRAINT message_count_change_pk PRIMARY KEY (client_id, id)
);
-- Rows live for seconds.
ALTER TABLE message_count_change SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What was there before. The id of a message tells when it was submitted.
WITH counted AS (
    SELECT message.client_id, to_timestamp(('x' || substr(replace(message.id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000) AS at,
           CASE part.message_type WHEN 'REPLY' THEN 'SESSION24HOUR' ELSE part.message_type END AS message_type,
           count(*) AS submitted, count(leg.sent_at) AS sent, count(leg.delivered_at) AS delivered, count(leg.read_at) AS read,
           count(*) FILTER (WHERE leg.state = 'FAILED') AS failed
    FROM outbound_message message
    JOIN outbound_leg leg ON leg.client_id = message.client_id AND leg.message_id = message.id AND leg.ordinal = 0
    JOIN outbound_part part ON part.client_id = message.client_id AND part.id = message.part_id
    WHERE leg.channel = 'WHATSAPP'
    GROUP BY 1, 2, 3)
INSERT INTO message_count (client_id, grain, at, message_type, submitted, sent, delivered, read, failed)
SELECT client_id, 'SECOND', at, message_type, submitted, sent, delivered, read, failed FROM counted
UNION ALL
SELECT client_id, 'HOUR', date_trunc('hour', at, 'UTC'), message_type, sum(submitted), sum(sent), sum(delivered), sum(read),
       sum(failed)
FROM counted GROUP BY 1, 3, 4;
