-- A place for a migration that is made elsewhere.
SELECT 1;
