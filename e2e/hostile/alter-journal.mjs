// Someone with the data folder, SQLite and an hour, while the app is closed. Run by Electron's own Node, as better-sqlite3 needs it.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [dataDir, what] = process.argv.slice(2);
const sha256 = (data) => createHash('sha256').update(data).digest();
const db = new Database(join(dataDir, 'journal.db'));
const ATTACKS = { cutTail, forgeErasure };

/** Everything from the second call on, and all in the file that speaks of a signature. */
function cutTail() {
  for (const name of ['events_are_never_deleted', 'events_are_never_changed']) db.exec(`DROP TRIGGER ${name}`);
  db.exec("DELETE FROM marks WHERE name <> 'journal-id'; UPDATE events SET mac = NULL");
  const { seq } = db.prepare('SELECT min(seq) AS seq FROM events WHERE call = 2').get();
  db.prepare('DELETE FROM events WHERE seq >= ?').run(seq - 1);
  db.exec('DELETE FROM bodies WHERE call > 1; DELETE FROM calls WHERE id > 1; DELETE FROM batches WHERE id > 1');
}

/** The second call becomes a tombstone, with nothing but what the triggers allow. */
function forgeErasure() {
  const events = db.prepare('SELECT seq, hash, body FROM events WHERE call = 2 ORDER BY seq').all();
  const last = db.prepare('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1').get();
  const seq = last.seq + 1;
  const erased = createHash('sha256');
  for (const event of events) erased.update(`${event.seq}:`).update(event.hash);
  const details = { calls: 1, digest: erased.digest('hex'), events: events.length };
  const body = JSON.stringify({ details, eventId: 'x', seq, timestamp: 1, type: 'retention' });
  const hash = sha256(Buffer.concat([last.hash, sha256(body)]));
  db.prepare('INSERT INTO events (seq, body, hash) VALUES (?, ?, ?)').run(seq, body, hash);
  const tombstone = db.prepare('UPDATE events SET body = NULL, erasedHash = ?, erasedBy = ? WHERE seq = ?');
  for (const event of events) tombstone.run(sha256(event.body), seq, event.seq);
  db.exec('DELETE FROM bodies WHERE call = 2; DELETE FROM calls WHERE id = 2');
}

ATTACKS[what]();
db.close();
