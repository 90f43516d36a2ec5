-- no-transaction
-- Messages and referrals of a lane that were put off: later items of their customers wait for them. Items of test keys are
-- stored before their time, and nothing waits for them.
CREATE INDEX CONCURRENTLY callback_put_off ON callback (client_id, lane_id, id)
WHERE failure IS NULL AND NOT ready AND (item #> '{value,body}') ?| '{message,referral}' AND received_at < due_at;
