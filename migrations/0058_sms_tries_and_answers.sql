-- Calls that the SMSC or another provider refused for a passing reason: a message fails after a few of them. Calls that were too fast,
-- and those that never came through, do not count among them.
ALTER TABLE outbound_work ADD COLUMN refusals smallint NOT NULL DEFAULT 0;

-- Under what a message counts as sent (`sms_sent_once`): where none of it left and its credits went back, it may be sent again.
ALTER TABLE sms_message ADD COLUMN digest bytea;

-- Since when a subscriber answers a message: it may have waited for its time since long before. A process of the release before
-- forgets without an index, until it is stopped.
ALTER TABLE sms_correspondent ADD COLUMN at timestamptz NOT NULL DEFAULT now();
UPDATE sms_correspondent
SET at = to_timestamp(('x' || substr(replace(message_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0);
DROP INDEX sms_correspondent_by_age;
CREATE INDEX sms_correspondent_by_age ON sms_correspondent (at);
