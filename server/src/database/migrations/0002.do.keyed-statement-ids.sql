-- Snapshots of statistics never had texts, but the ids in them were hashes of whole statements,
-- against which a guessed password could be checked. Ids are hashed with a key now, and the new ids
-- of old ones are not known. Trends and ranges start again with the next snapshots.
truncate statement_snapshot;
