-- A message whose outcome is unknown fails after the wait for a report and is not sent again (ADR 0004).
ALTER TABLE client ADD COLUMN at_most_once boolean NOT NULL DEFAULT false;
