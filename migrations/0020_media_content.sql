-- Files of customers, where they are kept in the database (`media.store`): every node has them. In parts, so that nobody has
-- to hold a whole one; as they are, because files are compressed already.

CREATE TABLE media_content (
    client_id uuid NOT NULL,
    media_id uuid NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT media_content_pk PRIMARY KEY (client_id, media_id, part)
);
ALTER TABLE media_content ALTER COLUMN bytes SET STORAGE EXTERNAL;
