-- Leases. A lane is a stretch of work that one process does in order: a business number's outbound messages, a
-- participant's events, an endpoint's webhooks. Rows appear when a lane is first claimed; only claims and renewals
-- write here, so that storing work never waits for the workers. Leases run on the database's real time.

CREATE TABLE lane (
    client_id uuid NOT NULL,
    queue text NOT NULL,
    lane_id uuid NOT NULL,
    owner uuid NOT NULL,
    leased_until timestamptz NOT NULL,
    -- Grows with every claim; a worker whose fence is older has lost the lane.
    fence bigint NOT NULL,
    CONSTRAINT lane_pk PRIMARY KEY (client_id, queue, lane_id)
);
