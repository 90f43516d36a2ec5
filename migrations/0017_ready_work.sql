-- Work that waits for its time costs nobody a look. A row of a queue is `ready` from the moment that it is due; one that is
-- due later is not, until a look for what has become due (`storage::work::lanes`) finds it by its time. Lanes are found
-- among the ready rows alone, so a look costs what is due, not what waits.

ALTER TABLE outbound_work ADD COLUMN ready boolean NOT NULL DEFAULT true;
ALTER TABLE callback ADD COLUMN ready boolean NOT NULL DEFAULT true;
ALTER TABLE participant_event ADD COLUMN ready boolean NOT NULL DEFAULT true;
ALTER TABLE fallback ADD COLUMN ready boolean NOT NULL DEFAULT true;
ALTER TABLE media ADD COLUMN ready boolean NOT NULL DEFAULT true;
ALTER TABLE webhook_delivery ADD COLUMN ready boolean NOT NULL DEFAULT true;

UPDATE outbound_work SET ready = false WHERE due_at > now();
UPDATE callback SET ready = false WHERE due_at > now();
UPDATE participant_event SET ready = false WHERE due_at > now();
UPDATE fallback SET ready = false WHERE due_at > now() AND state = 'PENDING';
UPDATE media SET ready = false WHERE due_at > now() AND state = 'PENDING';
UPDATE webhook_delivery SET ready = false WHERE due_at > now() AND state = 'PENDING';

DROP INDEX outbound_work_by_lane;
CREATE INDEX outbound_work_ready ON outbound_work (client_id, lane_id, priority, message_id) WHERE ready;
CREATE INDEX outbound_work_waiting ON outbound_work (due_at) WHERE NOT ready;
DROP INDEX callback_by_lane;
CREATE INDEX callback_ready ON callback (client_id, lane_id, id) WHERE failure IS NULL AND ready;
CREATE INDEX callback_waiting ON callback (due_at) WHERE failure IS NULL AND NOT ready;
-- The events of a participant are read whether they are ready or not: a timer may be stopped before it runs out.
CREATE INDEX participant_event_ready ON participant_event (client_id, lane_id) WHERE ready;
CREATE INDEX participant_event_waiting ON participant_event (due_at) WHERE NOT ready;
DROP INDEX fallback_by_lane;
CREATE INDEX fallback_ready ON fallback (client_id, lane_id, due_at) WHERE state = 'PENDING' AND ready;
CREATE INDEX fallback_waiting ON fallback (due_at) WHERE state = 'PENDING' AND NOT ready;
DROP INDEX media_by_lane;
CREATE INDEX media_ready ON media (client_id, lane_id, due_at) WHERE state = 'PENDING' AND ready;
CREATE INDEX media_waiting ON media (due_at) WHERE state = 'PENDING' AND NOT ready;
DROP INDEX webhook_delivery_by_lane;
CREATE INDEX webhook_delivery_ready ON webhook_delivery (client_id, lane_id, due_at, id) WHERE state = 'PENDING' AND ready;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (due_at) WHERE state = 'PENDING' AND NOT ready;
