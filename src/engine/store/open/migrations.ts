/** The charges of the requests of a store, as they were first kept; the same on both databases. */
export const FILL_KEPT_CHARGES = `
  INSERT INTO kept_charges (batch, account, night, slot, operation, currency, cost_currency, requests, charges, micros, most)
  SELECT attempts.batch, coalesce(attempts.account, ''), coalesce(night, 0), CAST(trunc(started_at / 900000.0) AS BIGINT),
    tasks.operation, coalesce(currency, ''), coalesce(cost_currency, ''), count(*), sum(coalesce(charges, 1)),
    sum(coalesce(charges, 1) * trunc(1000000.0 * (max(coalesce(price, 0),
      CASE WHEN cost_currency = coalesce(currency, cost_currency) THEN cost ELSE 0 END)) + 0.999)), max(cost)
  FROM attempts JOIN tasks ON tasks.id = attempts.task
  WHERE coalesce(attempts.outcome, '') NOT IN ('not-sent', 'rate-limited', 'held', 'rejected', 'asked-again')
  GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/**
 * The schema, one step per version: `user_version` counts the steps that a database has taken. A released step is never
 * edited; a change is a new step. Times are REAL milliseconds since the epoch, JSON is TEXT. The database has
 * `fold_row_id` only while the steps run.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Media folders, so that a path is unique in its folder and is found even after a batch has moved to another.
  CREATE TABLE folders (seq INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE batches (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, sheet_path TEXT, headers TEXT NOT NULL,
    settings TEXT NOT NULL, folder INTEGER NOT NULL REFERENCES folders, gateway TEXT NOT NULL,
    state TEXT NOT NULL, pause TEXT,
    created_at REAL NOT NULL, started_at REAL, finished_at REAL, row_count INTEGER NOT NULL, task_count INTEGER NOT NULL,
    error_count INTEGER NOT NULL, warning_count INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE problems (
    seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches, row_id TEXT, problem TEXT NOT NULL
  ) STRICT;
  CREATE INDEX problems_of_row ON problems (batch, row_id);

  -- What the grid sorts and filters by, and nothing that is large: it is rewritten whenever a status changes. seq grows
  -- with the line, and every index ends with it: a page in order of line needs no sorting, whatever it is filtered by.
  CREATE TABLE rows (
    seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches, line INTEGER NOT NULL, row_id TEXT NOT NULL,
    operation TEXT NOT NULL, takes INTEGER NOT NULL, skip INTEGER NOT NULL, status TEXT NOT NULL,
    submitted_at REAL, finished_at REAL, label TEXT NOT NULL, problem TEXT, search TEXT NOT NULL
  ) STRICT;
  CREATE INDEX rows_of_batch ON rows (batch);
  CREATE INDEX rows_by_id ON rows (batch, row_id);
  CREATE INDEX rows_by_status ON rows (batch, status);
  CREATE INDEX rows_by_operation ON rows (batch, operation);
  CREATE INDEX rows_by_label ON rows (batch, label);
  CREATE INDEX rows_by_submitted ON rows (batch, submitted_at);
  CREATE INDEX rows_by_finished ON rows (batch, finished_at);

  -- The rest of a row, as the sheet had it. The body is the exact bytes that are sent.
  CREATE TABLE row_contents (row INTEGER PRIMARY KEY REFERENCES rows, body BLOB NOT NULL, rest TEXT NOT NULL) STRICT;

  CREATE TABLE tasks (
    id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches, row INTEGER NOT NULL REFERENCES rows,
    row_id TEXT NOT NULL, line INTEGER NOT NULL, take INTEGER NOT NULL, operation TEXT NOT NULL, family TEXT NOT NULL,
    kind TEXT NOT NULL, model TEXT NOT NULL, priority REAL NOT NULL, status TEXT NOT NULL, revision INTEGER NOT NULL,
    due_at REAL NOT NULL, startable INTEGER NOT NULL, task_code TEXT, submitted_at REAL, finished_at REAL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX tasks_of_row ON tasks (row, take);
  CREATE INDEX tasks_by_status ON tasks (batch, status, line, take);
  CREATE INDEX tasks_to_start ON tasks (batch, family, priority DESC, line, take, due_at) WHERE startable = 1;
  CREATE INDEX tasks_to_come ON tasks (batch, due_at) WHERE startable = 1;
  CREATE INDEX tasks_by_code ON tasks (task_code) WHERE task_code IS NOT NULL;

  CREATE TABLE outputs (
    task INTEGER NOT NULL REFERENCES tasks, position INTEGER NOT NULL, state TEXT NOT NULL,
    folder INTEGER REFERENCES folders, path TEXT, folded_path TEXT, sha256 TEXT, bytes INTEGER, media_type TEXT,
    url TEXT, rest TEXT NOT NULL, PRIMARY KEY (task, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outputs_by_url ON outputs (url) WHERE url IS NOT NULL;
  CREATE UNIQUE INDEX outputs_by_path ON outputs (folder, folded_path) WHERE folded_path IS NOT NULL;

  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, batch INTEGER NOT NULL, started_at REAL NOT NULL,
    origin TEXT NOT NULL, key_fingerprint TEXT NOT NULL, body_sha256 TEXT NOT NULL, answered_at REAL, outcome TEXT,
    http_status INTEGER, headers TEXT, truncated INTEGER, body BLOB NOT NULL, answer BLOB
  ) STRICT;
  CREATE INDEX attempts_of_task ON attempts (task);
  CREATE INDEX attempts_of_batch ON attempts (batch, outcome);
  CREATE UNIQUE INDEX attempts_open ON attempts (task) WHERE answered_at IS NULL;

  CREATE TABLE poll_answers (
    task INTEGER PRIMARY KEY REFERENCES tasks, http_status INTEGER NOT NULL, headers TEXT NOT NULL,
    truncated INTEGER NOT NULL, answer BLOB NOT NULL
  ) STRICT;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, at REAL NOT NULL, event TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_of_task ON events (task);

  CREATE TABLE completions (
    seq INTEGER PRIMARY KEY, gateway TEXT NOT NULL, operation TEXT NOT NULL, model TEXT NOT NULL,
    duration_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX completions_of_operation ON completions (gateway, operation, model);
  `,
  `
  ALTER TABLE batches ADD COLUMN sheet TEXT NOT NULL
    DEFAULT '{"mapping":{},"variables":{},"choices":"draw","isRenumbered":false,"isWatched":false}';

  -- Rows are inserted, moved and removed: their order is their position, which leaves room between two of them. A row
  -- whose tasks may have been paid for is never deleted: it is removed (the time of it, or 0), and its tasks and files
  -- stay. \`draft\`: its tasks are made at the user's word. \`id_key\` compares ids as file systems do. \`request\` is the
  -- number of what it asks for.
  ALTER TABLE rows ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE rows ADD COLUMN id_key TEXT NOT NULL DEFAULT '';
  ALTER TABLE rows ADD COLUMN request INTEGER;
  ALTER TABLE rows ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE rows ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
  UPDATE rows SET position = seq * 1048576, id_key = fold_row_id(row_id);
  DROP INDEX rows_of_batch;
  DROP INDEX rows_by_id;
  DROP INDEX rows_by_status;
  DROP INDEX rows_by_operation;
  DROP INDEX rows_by_label;
  DROP INDEX rows_by_submitted;
  DROP INDEX rows_by_finished;
  CREATE INDEX rows_of_batch ON rows (batch, removed, position);
  CREATE INDEX rows_by_id ON rows (batch, removed, row_id, position);
  CREATE INDEX rows_by_id_key ON rows (batch, id_key);
  CREATE INDEX rows_by_status ON rows (batch, removed, status, position);
  CREATE INDEX rows_by_operation ON rows (batch, removed, operation, position);
  CREATE INDEX rows_by_label ON rows (batch, removed, label, position);
  CREATE INDEX rows_by_submitted ON rows (batch, removed, submitted_at, position);
  CREATE INDEX rows_by_finished ON rows (batch, removed, finished_at, position);
  CREATE INDEX rows_by_request ON rows (batch, request) WHERE request IS NOT NULL;
  CREATE INDEX rows_in_draft ON rows (batch) WHERE draft = 1;

  -- Which rows a row refers to, by their folded ids.
  CREATE TABLE row_links (
    row INTEGER NOT NULL REFERENCES rows, target TEXT NOT NULL, batch INTEGER NOT NULL, PRIMARY KEY (row, target)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX row_links_to ON row_links (batch, target);

  -- Cells of a row that its operation has no use for.
  CREATE TABLE unused_cells (
    row INTEGER NOT NULL REFERENCES rows, cell INTEGER NOT NULL, batch INTEGER NOT NULL, operation TEXT NOT NULL,
    position INTEGER NOT NULL, PRIMARY KEY (row, cell)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX unused_cells_of_column ON unused_cells (batch, cell, operation, position);

  -- What is left of an edit that is written part by part: with its mark in the sheet it is carried through.
  CREATE TABLE edit_parts (
    batch INTEGER NOT NULL REFERENCES batches, part INTEGER NOT NULL, wishes TEXT NOT NULL, PRIMARY KEY (batch, part)
  ) STRICT;

  -- Problems belong to a row by its key, because its id may be edited; to none where the sheet as a whole is meant.
  DROP INDEX problems_of_row;
  ALTER TABLE problems ADD COLUMN row INTEGER REFERENCES rows;
  UPDATE problems SET row =
    (SELECT min(seq) FROM rows WHERE rows.batch = problems.batch AND removed = 0 AND rows.row_id = problems.row_id);
  ALTER TABLE problems DROP COLUMN row_id;
  CREATE INDEX problems_of_batch ON problems (batch, row);
  CREATE INDEX problems_of_row ON problems (row) WHERE row IS NOT NULL;

  -- Tasks of an earlier content of their row are superseded: they keep their evidence and their files and count no more.
  ALTER TABLE tasks RENAME COLUMN line TO position;
  ALTER TABLE tasks ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tasks ADD COLUMN blocked_by TEXT;
  UPDATE tasks SET position = row * 1048576;
  DROP INDEX tasks_of_row;
  DROP INDEX tasks_by_status;
  CREATE UNIQUE INDEX tasks_of_row ON tasks (row, take) WHERE superseded = 0;
  CREATE INDEX tasks_ever_of_row ON tasks (row);
  CREATE INDEX tasks_by_status ON tasks (batch, superseded, status, position, take);
  CREATE INDEX tasks_blocked ON tasks (batch, blocked_by) WHERE blocked_by IS NOT NULL;
  `,
  `
  -- A batch may run more than once: each end is told with the start of its own run.
  ALTER TABLE batches ADD COLUMN run_started_at REAL;
  UPDATE batches SET run_started_at = started_at;
  `,
  `
  -- A task code belongs to one task of its gateway. NULL: the task has none, or one that another task had before it, from
  -- a time when that was not refused.
  ALTER TABLE tasks ADD COLUMN code_gateway TEXT;
  UPDATE tasks SET code_gateway = (SELECT gateway FROM batches WHERE batches.seq = tasks.batch)
    WHERE task_code IS NOT NULL;
  DROP INDEX tasks_by_code;
  CREATE INDEX tasks_by_code ON tasks (code_gateway, task_code) WHERE code_gateway IS NOT NULL;
  UPDATE tasks SET code_gateway = NULL WHERE code_gateway IS NOT NULL AND id > (
    SELECT min(first.id) FROM tasks AS first
    WHERE first.code_gateway = tasks.code_gateway AND first.task_code = tasks.task_code);
  DROP INDEX tasks_by_code;
  CREATE UNIQUE INDEX tasks_by_code ON tasks (code_gateway, task_code) WHERE code_gateway IS NOT NULL;
  `,
  `
  -- What the gateway's statuses were seen to mean, and of how many tasks. Bounded for each gateway.
  CREATE TABLE seen_statuses (
    gateway TEXT NOT NULL, operation TEXT NOT NULL, status TEXT NOT NULL, has_url INTEGER NOT NULL,
    has_ended INTEGER NOT NULL, has_message INTEGER NOT NULL, became TEXT NOT NULL, tasks INTEGER NOT NULL,
    last_at REAL NOT NULL, PRIMARY KEY (gateway, operation, status, has_url, has_ended, has_message, became)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Counted up with every change of the batch, and when its rows come, go or move: so a reader beside the owner knows that
  -- what it remembers is no longer so.
  ALTER TABLE batches ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE batches ADD COLUMN row_revision INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The names of columns in the order of their numbers: from now on rows keep their cells by number. Those that were written
  -- before keep them by name until they are written again, as they do in an older store that is read as it is.
  ALTER TABLE batches ADD COLUMN cell_columns TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- Each run of one or more batches. Every paid request is of one; \`price\` is the most that it may cost, as
  -- an amount of its currency with six decimals at most; NULL if the profile has no price for it. Sums of amounts are
  -- only exact as sums of millionths.
  CREATE TABLE nights (id INTEGER PRIMARY KEY, began_at REAL NOT NULL, ended_at REAL) STRICT;
  ALTER TABLE attempts ADD COLUMN night INTEGER REFERENCES nights;
  ALTER TABLE attempts ADD COLUMN price REAL;
  ALTER TABLE attempts ADD COLUMN currency TEXT;
  CREATE INDEX attempts_of_night ON attempts (night) WHERE night IS NOT NULL;
  CREATE INDEX attempts_by_time ON attempts (started_at);
  `,
  `
  -- What the gateway said that a paid request cost, and in what.
  ALTER TABLE attempts ADD COLUMN cost REAL;
  ALTER TABLE attempts ADD COLUMN cost_currency TEXT;
  `,
  `
  -- Rows of one kind of request have one number; one of each may go before the rest. The two indexes answer which kinds
  -- wait, and whether one of a kind has ended, without a look at every task.
  ALTER TABLE tasks ADD COLUMN request_kind INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX tasks_to_start_of_kind ON tasks (batch, family, request_kind, priority DESC, position, take, due_at)
    WHERE startable = 1;
  CREATE INDEX tasks_ended_of_kind ON tasks (batch, request_kind, status, superseded) WHERE status IN ('done', 'failed');
  ALTER TABLE batches ADD COLUMN resumed_at REAL;
  -- What was foretold when its run began, as JSON: shown beside what came of it.
  ALTER TABLE batches ADD COLUMN forecast TEXT;
  `,
  `
  -- What states a batch has had, and why: a ledger says when it stood still.
  CREATE TABLE batch_changes (
    seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches, at REAL NOT NULL, state TEXT NOT NULL, pause TEXT
  ) STRICT;
  CREATE INDEX batch_changes_of_batch ON batch_changes (batch);
  -- All that a ledger asks of a paid request, without its bytes.
  CREATE INDEX attempts_of_ledger
    ON attempts (batch, night, started_at, outcome, answered_at, price, currency, cost, cost_currency, task);
  CREATE INDEX nights_by_beginning ON nights (began_at);
  `,
  `
  -- What the answers of gateways looked like, without what they said, and the numbers that came with them. Bounded for
  -- each gateway.
  CREATE TABLE seen_answers (
    gateway TEXT NOT NULL, operation TEXT NOT NULL, call TEXT NOT NULL, http_status INTEGER NOT NULL, look TEXT NOT NULL,
    became TEXT NOT NULL, answers INTEGER NOT NULL, last_at REAL NOT NULL,
    PRIMARY KEY (gateway, operation, call, http_status, look, became)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE seen_measures (
    gateway TEXT NOT NULL, operation TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, count INTEGER NOT NULL,
    least REAL NOT NULL, most REAL NOT NULL, last_at REAL NOT NULL, PRIMARY KEY (gateway, operation, kind, at)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The key under which a paid request was sent, and its header; sent again, it is another attempt with the same key. What
  -- is known of whether a gateway keeps its word about such keys.
  ALTER TABLE attempts ADD COLUMN idempotency_key TEXT;
  ALTER TABLE attempts ADD COLUMN idempotency_header TEXT;
  CREATE TABLE idempotency_proofs (
    gateway TEXT NOT NULL, header TEXT NOT NULL, verdict TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (gateway, header)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The base URL to which a key was sent: another path of the same origin may be another gateway, which does not know it.
  ALTER TABLE attempts ADD COLUMN idempotency_base_url TEXT;
  `,
  `
  -- How many charges are reserved for a paid request whose outcome is open; NULL: one, as for nearly all.
  ALTER TABLE attempts ADD COLUMN charges INTEGER;
  `,
  `
  -- What was foretold of a batch for a night, as JSON: the first of the night stands.
  CREATE TABLE forecasts (
    batch INTEGER NOT NULL REFERENCES batches, night INTEGER NOT NULL REFERENCES nights, forecast TEXT NOT NULL,
    PRIMARY KEY (batch, night)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO forecasts SELECT seq, nights.id, forecast FROM batches
    JOIN nights ON nights.id = (SELECT min(id) FROM nights WHERE coalesce(ended_at, 9e15) >= forecast ->> '$.at');
  `,
  `
  -- What the user last said about a row's turn, as JSON: it outlives the takes that it was said about. NULL: nothing.
  ALTER TABLE rows ADD COLUMN turn TEXT;
  UPDATE rows SET turn = '{"isHeld":true}' WHERE seq IN (
    SELECT row FROM tasks WHERE superseded = 0 AND status <> 'done' AND state ->> '$.onHold' = 1);
  `,
  `
  -- The account of a batch with several that a task was sent with, or that its row names; '': any of them will do. NULL: its
  -- batch has one, as nearly all have, and the two indexes hold nothing of it.
  ALTER TABLE tasks ADD COLUMN account TEXT;
  CREATE INDEX tasks_to_start_at ON tasks (batch, account, family, priority DESC, position, take, due_at)
    WHERE startable = 1 AND account IS NOT NULL;
  CREATE INDEX tasks_to_start_of_kind_at
    ON tasks (batch, account, family, request_kind, priority DESC, position, take, due_at)
    WHERE startable = 1 AND account IS NOT NULL;
  -- The account that a paid request went to, by its name in a batch with several.
  ALTER TABLE attempts ADD COLUMN account TEXT;
  CREATE INDEX attempts_of_account ON attempts (batch, account) WHERE account IS NOT NULL;
  -- All that a ledger asks of a paid request, as before, and its account.
  DROP INDEX attempts_of_ledger;
  CREATE INDEX attempts_of_ledger
    ON attempts (batch, night, started_at, outcome, answered_at, price, currency, cost, cost_currency, task, account);
  -- Why accounts of a batch stand still while others go on, as JSON by name. NULL: none does.
  ALTER TABLE batches ADD COLUMN stops TEXT;
  `,
  `
  -- Which worker has which account, and until when by the store's clock; the epoch is counted up by each that takes it. Which
  -- workers live. Empty where one process has the store for itself.
  CREATE TABLE leases (
    account TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, until REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE workers (holder TEXT PRIMARY KEY, until REAL NOT NULL, wishes TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Since when a worker lives, when it was last heard of, and by how many milliseconds its clock is ahead where that keeps it
  -- from taking accounts. Nobody is at work while the schema changes.
  DELETE FROM workers;
  ALTER TABLE workers ADD COLUMN since REAL NOT NULL DEFAULT 0;
  ALTER TABLE workers ADD COLUMN seen REAL NOT NULL DEFAULT 0;
  ALTER TABLE workers ADD COLUMN clock_ahead REAL;
  `,
  `
  -- From when on, by the store's clock, an account may be asked again, and with which share of what its profile allows: whoever
  -- takes it next goes on with that.
  ALTER TABLE leases ADD COLUMN free_at REAL NOT NULL DEFAULT 0;
  ALTER TABLE leases ADD COLUMN pace REAL NOT NULL DEFAULT 1;
  `,
  `
  -- What was or may have been charged, by quarters of an hour (\`kept-charges.ts\`), and how many tasks, rows and paid requests
  -- of each kind a batch has, as JSON (\`batch-counters.ts\`): written with what they are sums of, so that a process of several
  -- reads a few of these instead of a whole batch whenever another one has written. '' and 0 stand for none.
  CREATE TABLE kept_charges (
    batch INTEGER NOT NULL REFERENCES batches, account TEXT NOT NULL, night INTEGER NOT NULL, slot INTEGER NOT NULL,
    operation TEXT NOT NULL, currency TEXT NOT NULL, cost_currency TEXT NOT NULL, requests INTEGER NOT NULL,
    charges INTEGER NOT NULL, micros REAL NOT NULL, most REAL,
    PRIMARY KEY (batch, account, night, slot, operation, currency, cost_currency)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_charges_by_time ON kept_charges (slot);
  CREATE INDEX kept_charges_of_night ON kept_charges (night);
  CREATE TABLE batch_counts (batch INTEGER PRIMARY KEY REFERENCES batches, counts TEXT NOT NULL) STRICT;
  ${FILL_KEPT_CHARGES};
  `,
];
