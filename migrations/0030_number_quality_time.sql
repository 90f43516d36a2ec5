-- Time of the last successful look at a Cloud number, for lists. Null: none, or a process of an earlier release took it.
ALTER TABLE number_quality ADD COLUMN read_at timestamptz;
