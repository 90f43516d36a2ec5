-- What a client sees of its webhooks, and sends again.

-- By endpoint, the newest last: a client looks at the attempts of one of its webhooks. Null = made before there was this column;
-- without those nobody finds attempts of a delivery by it, which would read all of a client.
ALTER TABLE webhook_attempt ADD COLUMN endpoint_id uuid;
CREATE INDEX webhook_attempt_by_endpoint ON webhook_attempt (client_id, endpoint_id, id) WHERE endpoint_id IS NOT NULL;

-- A delivery that is sent again begins its schedule anew: attempts made before that do not count in it.
ALTER TABLE webhook_delivery ADD COLUMN schedule_from smallint NOT NULL DEFAULT 0;
-- Few: what was given up, to be found and sent again.
CREATE INDEX webhook_delivery_failed ON webhook_delivery (client_id, lane_id, id) WHERE state = 'EXHAUSTED';

-- Why an endpoint was turned off; null while it is on, and where that was before there was this column.
ALTER TABLE webhook_endpoint ADD COLUMN disabled_reason text
    CONSTRAINT webhook_endpoint_reason_known CHECK (disabled_reason IN ('GONE', 'FAILING'));
