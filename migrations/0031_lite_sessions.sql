-- Sessions of WhatsApp Lite numbers (SPEC 3.3, 6.3; ADR 0024). The seventh queue: a row is open while somebody must hold the
-- session of the number, or carry out what its client asked for; a lane is the number. Whoever holds the lane drives the device.

CREATE TABLE lite_session (
    client_id uuid NOT NULL,
    lane_id uuid NOT NULL, -- the inbox
    wanted text NOT NULL DEFAULT 'DISCONNECTED' CONSTRAINT lite_session_wanted_known CHECK (wanted IN ('CONNECTED', 'DISCONNECTED', 'LOGGED_OUT')),
    state text NOT NULL DEFAULT 'DONE' CONSTRAINT lite_session_state_known CHECK (state IN ('PENDING', 'DONE')),
    due_at timestamptz NOT NULL DEFAULT now(),
    ready boolean NOT NULL DEFAULT true,
    status_type text CONSTRAINT lite_session_status_known CHECK (status_type IN ('connecting', 'success', 'disconnected')), -- null: never connected
    status text NOT NULL DEFAULT 'No Session', -- the text of SPEC 6.3
    changed_at timestamptz, -- when it became so
    paired boolean NOT NULL DEFAULT false, -- the next connection needs no QR code
    qr text, -- the code that waits to be scanned
    qr_until timestamptz, -- until then
    banned_until timestamptz, -- WhatsApp lets the number connect no sooner
    sends_from timestamptz, -- its outbound lane is not looked at before: the number is disconnected, or its day has not begun
    CONSTRAINT lite_session_pk PRIMARY KEY (client_id, lane_id),
    CONSTRAINT lite_session_fk FOREIGN KEY (client_id, lane_id) REFERENCES whatsapp_lite_inbox (client_id, id) ON DELETE CASCADE
);

CREATE INDEX lite_session_ready ON lite_session (client_id, lane_id) WHERE state = 'PENDING' AND ready;
CREATE INDEX lite_session_waiting ON lite_session (due_at) WHERE state = 'PENDING' AND NOT ready;

INSERT INTO lite_session (client_id, lane_id) SELECT client_id, id FROM whatsapp_lite_inbox;
