import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import type { InvocationRequest } from '../../domain/ports/invocations.js';
import { createSealer } from '../../keys/sealing.js';
import { digestJson, sha256 } from '../../platform/digest.js';
import type { JournalOptions } from '../opening/open-journal.js';
import { JOURNAL_FILE } from '../opening/connection.js';
import type { AuditBody } from '../audit/audit-event.js';
import type { HeadSigner } from '../audit/head-signing.js';
import { batchReceived, callReceived, started, testSigner } from './journal-samples.test-support.js';
import { openServiceReader, openTestJournal, openTestReader, testFolder } from './journal.test-support.js';
import { DIGEST_KEY_FILE } from './keyed-digests.js';

const noKeys: HeadSigner = {
  available: false,
  sign: () => {
    throw new Error('There is no key.');
  },
  verify: () => false,
};
const WITH_KEYS: Partial<JournalOptions> = {};
const WITHOUT_KEYS: Partial<JournalOptions> = { signer: noKeys, sealer: createSealer(null) };

const shown: JsonObject = { command: 'psql', pin: '[redacted]' };
const whole = (pin: string): JsonObject => ({ command: 'psql', pin });

function rowsOf<Row>(folder: string, sql: string): Row[] {
  const db = new Database(join(folder, JOURNAL_FILE), { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}

const bodies = (folder: string): readonly AuditBody[] =>
  rowsOf<{ readonly body: string }>(folder, 'SELECT body FROM events ORDER BY seq').map(
    ({ body }) => JSON.parse(body) as AuditBody,
  );

/** Records a call of which a PIN was withheld, and one that the person edited into another. */
function record(folder: string, options: Partial<JournalOptions>, pin: string, edited = pin): void {
  const journal = openTestJournal(folder, options);
  const [received, validated] = started({ callId: 'c', batchId: 'b' });
  if (received === undefined || validated === undefined) throw new Error('These are the steps of a call.');
  journal.append([
    batchReceived('b'),
    {
      ...callReceived({ callId: 'c', batchId: 'b', arguments: shown }),
      withheld: { arguments: whole(pin), count: 1 },
    } as typeof received,
    validated,
    {
      type: 'call-edited',
      callId: 'c',
      arguments: shown,
      summary: 's',
      risk: 'low',
      withheld: { arguments: whole(edited), count: 1 },
    } as never,
    { ...callReceived({ callId: 'plain', batchId: 'b', index: 1 }) },
  ]);
  journal.close();
}

describe.each([
  ['with a key store', WITH_KEYS],
  ['without one', WITHOUT_KEYS],
])('%s', (_, options) => {
  it('what is withheld of what was asked, and of what was approved in its place, stands in the chain by its digest', async () => {
    const folder = testFolder();
    record(folder, options, '1234', '5678');
    const digests = bodies(folder).map(({ type, withheldHash }) => [type, withheldHash]);
    const of = (type: string): unknown => digests.find(([each]) => each === type)?.[1];
    expect(of('call-received')).toMatch(/^[kf]:[0-9a-f]{64}$/u);
    expect(of('call-edited')).toMatch(/^[kf]:[0-9a-f]{64}$/u);
    expect(of('call-edited')).not.toBe(of('call-received'));
    expect(digests.filter(([, hash]) => hash !== undefined)).toHaveLength(2);
    if (options === WITH_KEYS) expect(await openServiceReader(folder).verify()).toMatchObject({ ok: true });
  });

  it('the same arguments have the same digest, after a restart too, and others have another', () => {
    const digestOfPin = (folder: string, pin: string): unknown => {
      record(folder, options, pin);
      return bodies(folder).find(({ type }) => type === 'call-received')?.withheldHash;
    };
    const [one, two, three] = [testFolder(), testFolder(), testFolder()];
    const first = digestOfPin(one, '1234');
    expect(digestOfPin(two, '1234') === first).toBe(options === WITH_KEYS);
    expect(digestOfPin(three, '4321')).not.toBe(first);
    const journal = openTestJournal(one, options);
    const again = callReceived({ callId: 'again', batchId: 'b2', arguments: shown });
    journal.append([
      batchReceived('b2'),
      { ...again, withheld: { arguments: whole('1234'), count: 1 } } as typeof again,
    ]);
    journal.close();
    const last = bodies(one).findLast(({ type }) => type === 'call-received')?.withheldHash;
    expect(last).toBe(first);
  });

  it('a copy of the journal confirms no guess at a PIN', () => {
    const folder = testFolder();
    record(folder, options, '1234');
    const journal = openTestJournal(folder, options);
    const digest = digestJson({ tool: 'x', version: '*', parameters: whole('1234'), folder: '/w' });
    journal.invocations.claim({ ...asked, digest }, () => false);
    journal.close();
    const copy = readdirSync(folder)
      .filter((name) => name.startsWith(JOURNAL_FILE))
      .map((name) => readFileSync(join(folder, name)).toString('latin1'))
      .join('');
    const guess = JSON.stringify(whole('1234'));
    for (const each of [sha256(guess), digestJson(whole('1234')), digest]) expect(copy).not.toContain(each);
  });
});

describe('the arguments that were withheld', () => {
  const sealedOf = (folder: string): Uint8Array =>
    rowsOf<{ readonly sealed: Uint8Array }>(folder, 'SELECT sealed FROM bodies WHERE sealed IS NOT NULL')[0]?.sealed ??
    Buffer.alloc(0);
  async function verifyWith(folder: string, sealed: Uint8Array | null): Promise<AuditVerdict> {
    const db = new Database(join(folder, JOURNAL_FILE));
    if (sealed !== null) db.prepare('UPDATE bodies SET sealed = ? WHERE sealed IS NOT NULL').run(sealed);
    db.close();
    const reader = openTestReader(folder);
    try {
      return await reader.verify();
    } finally {
      await reader.close();
    }
  }

  it('are held against the chain by “Verify audit”, as they were asked and as they were edited', async () => {
    const [folder, other, edited] = [testFolder(), testFolder(), testFolder()];
    record(folder, WITH_KEYS, '1234');
    record(other, WITH_KEYS, '4321');
    record(edited, WITH_KEYS, '1234', '5678');
    for (const each of [folder, other, edited]) expect(await verifyWith(each, null)).toMatchObject({ ok: true });
    const of = (reason: RegExp) => ({ ok: false, reason: expect.stringMatching(reason) as unknown });
    // Sealed by the same key for a call of the same id.
    expect(await verifyWith(folder, sealedOf(other))).toMatchObject(of(/call c are not those that were recorded/u));
    expect(await verifyWith(edited, sealedOf(other))).toMatchObject(of(/call c are not those that were recorded/u));
    expect(await verifyWith(other, Buffer.from('nothing sealed'))).toMatchObject(of(/call c are not what was sealed/u));
  });
});

it('where there is no key store the key lies beside the journal, for this person alone', () => {
  const folder = testFolder();
  record(folder, WITH_KEYS, '1234');
  expect(readdirSync(folder)).not.toContain(DIGEST_KEY_FILE);
  record(testFolder(), WITHOUT_KEYS, '1234');
  const other = testFolder();
  record(other, WITHOUT_KEYS, '1234');
  expect(statSync(join(other, DIGEST_KEY_FILE)).mode & 0o777).toBe(0o600);
});

const wanted: CallOptions = { versions: '*', priority: 'normal', mustAsk: false, detached: true, limits: {} };
const asked: InvocationRequest = {
  scope: { bearer: 'ada', agent: 'ada', tenant: '' },
  invocationId: 'c5a4ad54-8e3f-4f9d-b5dd-000000000001',
  key: 'k',
  digest: sha256('parameters'),
  wanted,
};

it('invocations from before digests were keyed are known again by the digests that they had, which the journal keeps no longer', () => {
  const folder = testFolder();
  const first = openTestJournal(folder);
  const { callId } = first.invocations.claim(asked, () => false);
  first.close();
  const db = new Database(join(folder, JOURNAL_FILE));
  db.prepare('UPDATE invocations SET digest = ?').run(asked.digest);
  db.close();
  const later = openTestJournal(folder, { signer: testSigner });
  expect(later.invocations.claim(asked, () => true)).toEqual({ kind: 'same', callId });
  expect(later.invocations.claim({ ...asked, digest: sha256('others') }, () => true).kind).toBe('conflict');
  later.close();
  expect(rowsOf(folder, 'SELECT digest FROM invocations')).toEqual([
    { digest: expect.stringMatching(/^k:[0-9a-f]{64}$/u) },
  ]);
});
