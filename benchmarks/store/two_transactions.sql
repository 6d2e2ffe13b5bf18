-- What a trial costs at least: one durable transaction that adds it, one that records its result.
BEGIN;
INSERT INTO bare_trials(point) VALUES('[0.1234567890123456,0.1234567890123456,0.1234567890123456]');
INSERT INTO bare_events(kind, body) VALUES('ask', '{"basis":1,"c":0.0,"engine":"","point":[0.1234567890123456]}');
END;
BEGIN;
UPDATE bare_trials SET value = 0.5, state = 1 WHERE id = currval('bare_trials_id_seq');
INSERT INTO bare_events(kind, body) VALUES('tell', '{"values":[0.5]}');
END;
