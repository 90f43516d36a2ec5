-- The SHA-256 of the state that `bot_state_plugin` set. If it is not that of `bot_state`, a process of an earlier release
-- wrote the state after that, and its plugin is not known.
ALTER TABLE participant ADD COLUMN bot_state_hash bytea;
