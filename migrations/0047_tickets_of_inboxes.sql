-- The search of tickets by the number that customers wrote to, newest first, without a look at those of other numbers.
CREATE INDEX ticket_of_inbox ON ticket (client_id, inbox_id, created_at DESC, id DESC);
