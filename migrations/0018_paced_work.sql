-- Messages to one recipient who may not be written to faster step aside, each until its turn, and those that come later line
-- up behind them: nobody else's messages stand behind either.

ALTER TABLE outbound_work
    ADD COLUMN recipient text,
    DROP CONSTRAINT outbound_work_phase_known,
    ADD CONSTRAINT outbound_work_phase_known CHECK (phase IN ('READY', 'PACED', 'SENDING', 'UNKNOWN'));
UPDATE outbound_work work SET recipient = leg.address_value FROM outbound_leg leg
WHERE leg.client_id = work.client_id AND leg.message_id = work.message_id AND leg.ordinal = work.ordinal;
ALTER TABLE outbound_work ALTER COLUMN recipient SET NOT NULL;
CREATE INDEX outbound_work_paced ON outbound_work (client_id, lane_id, recipient) WHERE phase = 'PACED';
