-- A leg that is marked as being sent is written where it lies. PostgreSQL writes a new entry into every index of a row as soon as
-- one column that any of them names has another value, also where the index has no place for the row: the mark changed `phase` and
-- `due_at`, which are named by indexes of rows that step aside or wait, and so each mark wrote the primary key and the lane's
-- order anew. What those two indexes need stands in columns of its own, which a mark does not change.
--
-- A process of the release before finds what has become due without an index, until it is stopped.

ALTER TABLE outbound_work
    ADD COLUMN wakes_at timestamptz GENERATED ALWAYS AS (CASE WHEN NOT ready THEN due_at END) STORED, -- null: it is ready
    ADD COLUMN paced boolean GENERATED ALWAYS AS (phase = 'PACED') STORED; -- it steps aside for its recipient's sake
DROP INDEX outbound_work_waiting;
CREATE INDEX outbound_work_waiting ON outbound_work (wakes_at) WHERE wakes_at IS NOT NULL;
DROP INDEX outbound_work_paced;
CREATE INDEX outbound_work_paced ON outbound_work (client_id, lane_id, recipient) WHERE paced;
