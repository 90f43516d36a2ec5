-- Logins by OpenID Connect (ADR 0073).

-- The rule of a client. No row: OFF.
CREATE TABLE openid_rule (
    client_id uuid NOT NULL CONSTRAINT openid_rule_client_fk REFERENCES client (id),
    mode text NOT NULL CONSTRAINT openid_rule_mode_known CHECK (mode IN ('OFF', 'LINKED_USERS', 'CREATE_USERS')),
    -- The role of users that a login creates; null without CREATE_USERS.
    role text CONSTRAINT openid_rule_role_known CHECK (role IN ('SUPERVISOR', 'AGENT', 'DEVELOPER')),
    -- Domains of e-mail addresses whose owners get a user, in lower case.
    email_domains text[] NOT NULL DEFAULT '{}',
    -- False: only users with the role API have a password.
    password_login boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL,
    CONSTRAINT openid_rule_pk PRIMARY KEY (client_id),
    CONSTRAINT openid_rule_creation CHECK (mode <> 'CREATE_USERS' OR (role IS NOT NULL AND email_domains <> '{}'))
);

-- The account of a user at a login provider. The first login finds the user by e-mail, each later one by this row.
CREATE TABLE openid_identity (
    client_id uuid NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL,
    linked_at timestamptz NOT NULL,
    CONSTRAINT openid_identity_pk PRIMARY KEY (client_id, issuer, subject),
    -- Another account with the same e-mail address does not get the user.
    CONSTRAINT openid_identity_user_unique UNIQUE (client_id, user_id, issuer),
    CONSTRAINT openid_identity_user_fk
        FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);

-- The states that opened a session, until they expire, so that each works once.
CREATE TABLE openid_login (
    client_id uuid NOT NULL CONSTRAINT openid_login_client_fk REFERENCES client (id),
    -- SHA-256.
    state_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT openid_login_pk PRIMARY KEY (client_id, state_hash)
);
-- Retention.
CREATE INDEX openid_login_by_end ON openid_login (expires_at);
