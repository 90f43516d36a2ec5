-- The processes that do background work. Each holds a session advisory lock named by its id on a connection of its own:
-- PostgreSQL drops the lock when the process is gone, however it went, and whoever can take it then knows that the
-- lanes of that process are free. A row goes when its process stops, or when another one finds it dead.

CREATE TABLE node (
    id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    CONSTRAINT node_pk PRIMARY KEY (id)
);
