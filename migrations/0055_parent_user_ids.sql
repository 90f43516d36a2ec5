-- The user id that a customer's BSUID belongs to, where the provider names one (SPEC 2.6 `parentUserId`). It is shown, and nobody is
-- found or written to by it: no address.
ALTER TABLE customer ADD COLUMN parent_user_id text; -- null: none was named
