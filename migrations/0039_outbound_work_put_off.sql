-- no-transaction
-- Calls without a known outcome, by recipient: the device of a Lite number reports them by recipient and text. Such a
-- leg is not ready. A mark changes no column of this index.
CREATE INDEX CONCURRENTLY outbound_work_put_off ON outbound_work (client_id, lane_id, recipient) WHERE NOT ready;
