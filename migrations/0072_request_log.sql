-- The requests of clients, for their developers: who asked for what, and how it ended.

CREATE TABLE request_log (
    client_id uuid NOT NULL,
    -- The X-Request-Id. It has the time at which the request came.
    id uuid NOT NULL,
    -- The owner of the key, and the first characters of the key, which tell a replaced key apart.
    user_id uuid NOT NULL,
    key_start text NOT NULL,
    method text NOT NULL,
    -- Without the query. Segments that may name a person are masked. Compared byte by byte, so that a prefix is a range.
    path text COLLATE "C" NOT NULL,
    status smallint NOT NULL,
    duration_micros bigint NOT NULL,
    -- Only of a failed request, masked.
    body text,
    CONSTRAINT request_log_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE INDEX request_log_failed ON request_log (client_id, id) WHERE status >= 400;
CREATE INDEX request_log_by_path ON request_log (client_id, path, id);
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;
CREATE INDEX request_log_default_by_age ON request_log_default (id);
