-- Devices of WhatsApp Lite that live in our own processes (ADR 0037): in which process, and what they must remember: the keys of
-- their pairing and of everybody whom they write to.

ALTER TABLE lite_session
    ADD COLUMN device_node uuid; -- the process that the device lives in; null: none holds it, or every process reaches it

CREATE TABLE lite_device_value (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    space text COLLATE "C" NOT NULL, -- what kind of thing it is
    key text COLLATE "C" NOT NULL,
    value bytea NOT NULL, -- sealed
    moment bigint, -- in seconds since 1970, where the kind is tidied up by age: when it was written, or when it expires
    CONSTRAINT lite_device_value_pk PRIMARY KEY (client_id, inbox_id, space, key),
    CONSTRAINT lite_device_value_fk FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_lite_inbox (client_id, id) ON DELETE CASCADE
);

CREATE INDEX lite_device_value_moment ON lite_device_value (client_id, inbox_id, space, moment) WHERE moment IS NOT NULL;
