-- The state of each process, by itself, every few seconds, for `patchbay status`. A process that stops removes its row.
-- The row of a killed one is removed after an hour.
CREATE TABLE process_report (
    node_id uuid CONSTRAINT process_report_pk PRIMARY KEY,
    -- Time of the database.
    reported_at timestamptz NOT NULL,
    report jsonb NOT NULL -- {"v":1,"value":app::status::ProcessReport}
);
