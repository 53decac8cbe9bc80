import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { buildDestinationId } from '../domain/outside/key-destination.js';
import { parseSettingHeaders } from '../domain/outside/setting-headers.js';
import { createOutside } from '../outside/outside-client.js';
import { KeyDestinations } from './key-destinations.js';
import type { KeyStore } from './key-store.js';
import { type KeyRequest, PersonsKeys } from './persons-keys.js';
import { Secrets } from './secrets.js';

let folder: string;
const ended: (() => Promise<unknown> | void)[] = [];
const store: KeyStore = {
  available: true,
  warning: null,
  encrypt: (text) => Buffer.from(text).map((byte) => byte ^ 0xff),
  decrypt: (bytes) => Buffer.from(Buffer.from(bytes).map((byte) => byte ^ 0xff)).toString(),
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(): Promise<{ readonly url: string; readonly heard: (string | undefined)[] }> {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard };
}

/** Starts as the app does: all of it is read from its files. */
function started(sources: Readonly<Record<string, SourceSettings>>) {
  const asked: KeyRequest[] = [];
  const secrets = new Secrets(join(folder, 'secrets.json'), store);
  const keys = new PersonsKeys({
    secrets,
    places: new KeyDestinations(join(folder, 'key-places.json')),
    variables: { MINE: 'value-of-the-variable' },
    onAsked: (each) => asked.push(each),
  });
  keys.read(sources);
  const outside = createOutside(keys);
  ended.push(() => outside.close());
  return {
    asked,
    secrets,
    keys,
    /** Sends a source's first request. */
    contact: async (name: string): Promise<string> => {
      const { url = '', headers = {} } = sources[name] ?? {};
      const written = parseSettingHeaders(name, headers);
      try {
        const request = {
          method: 'POST',
          url,
          within: url,
          headers: {},
          body: '{}',
          keys: written.keysFor(url),
        } as const;
        return String((await outside.send(request, new AbortController().signal)).status);
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    },
  };
}

const mcp = (url: string, value: string): SourceSettings => ({ kind: 'mcp', url, headers: { Authorization: value } });

test('A key is for the first that names it; a second source that names it gets it once the person says so', async () => {
  const [github, evil] = [await listening(), await listening()];
  const settings = { github: mcp(github.url, 'Bearer secret:github'), evil: mcp(evil.url, 'Bearer secret:github') };
  const first = started(settings);
  first.secrets.set('github', 'ghp_of_the_person');
  expect(await first.contact('evil')).toContain(`“github” was entered for ${new URL(github.url).origin}`);
  expect(await first.contact('github')).toBe('200');
  expect([github.heard, evil.heard]).toEqual([['Bearer ghp_of_the_person'], []]);
  expect(first.asked.map(({ place }) => buildDestinationId(place))).toContain(new URL(evil.url).origin);

  // The result is the same after a restart, and also where the other comes first by then.
  const again = started({ evil: settings.evil, github: settings.github });
  expect(await again.contact('evil')).toContain('was entered for');
  expect(evil.heard).toEqual([]);
  const [question] = again.asked;
  if (question === undefined) throw new Error('Nobody was asked.');
  expect([question.reference, question.place.asker]).toEqual(['secret:github', 'evil']);
  again.keys.allow(question);
  expect(await again.contact('evil')).toBe('200');
  expect(await started(settings).contact('evil')).toBe('200');
});

test('An address that was changed after the key was entered doesn’t get it; a variable neither', async () => {
  const [old, other] = [await listening(), await listening()];
  for (const value of ['Bearer secret:docs', 'Bearer env:MINE']) {
    const before = started({ docs: mcp(old.url, value) });
    before.secrets.set('docs', 'key-of-docs');
    before.keys.entered('docs', mcp(old.url, value), ['docs']);
    expect(await before.contact('docs')).toBe('200');
    const after = started({ docs: mcp(other.url, value) });
    expect(await after.contact('docs')).toContain('was entered for');
    expect(other.heard).toEqual([]);
    // Entered anew for the new address, it is for that one alone.
    if (value.includes('secret')) {
      after.keys.entered('docs', mcp(other.url, value), ['docs']);
      expect(await after.contact('docs')).toBe('200');
      expect(await started({ docs: mcp(old.url, value) }).contact('docs')).toContain('was entered for');
      other.heard.length = 0;
    }
  }
});

test.each([
  'gatehouse:journal-head',
  'gatehouse:sealing',
  'gatehouse:sign-in:docs:refresh',
  'model:https:api.example.com',
])('secret:%s goes to nobody, whoever names it and whoever allowed it', async (name) => {
  const server = await listening();
  const settings = { docs: mcp(server.url, `Bearer secret:${name}`) };
  const { secrets, keys, contact } = started(settings);
  expect(secrets.ownKey('journal-head')).not.toBeNull();
  expect(secrets.ownKey('sealing')).not.toBeNull();
  secrets.setSignIn('docs', { refresh: 'of-a-sign-in' });
  secrets.set('model:https:api.example.com', 'of-a-model');
  keys.entered('docs', settings.docs, [name]);
  keys.allow({
    reference: `secret:${name}`,
    place: { asker: 'docs', origin: new URL(server.url).origin },
    enteredFor: '',
  });
  expect(await contact('docs')).toContain('Gatehouse’s own');
  expect(server.heard).toEqual([]);
});

test('What is started here gets its own keys, and a removed key’s name is for whoever it is entered for next', () => {
  const local: SourceSettings = { kind: 'mcp', command: 'x', env: { TOKEN: 'secret:token' } };
  const { keys } = started({ one: local, two: local });
  expect(keys.refusal('secret:token', { asker: 'one', origin: null })).toBeNull();
  expect(keys.refusal('secret:token', { asker: 'two', origin: null })).toContain('“one”');
  keys.removed('token');
  expect(keys.refusal('secret:token', { asker: 'two', origin: null })).toBeNull();
  expect(keys.refusal('secret:token', { asker: 'one', origin: null })).toContain('“two”');
});

test.each([
  ['https://api.invalid/mcp', 'https://api.invalid:443/other'],
  ['https://API.invalid./mcp', 'https://api.invalid/mcp'],
])('A key that is entered for %s goes there, however the same place is written', async (url, same) => {
  const settings = { docs: mcp(url, 'Bearer secret:github'), more: mcp(same, 'Bearer secret:github') };
  const { secrets, keys, asked, contact } = started(settings);
  secrets.set('github', 'the-key');
  keys.entered('docs', settings.docs, ['github']);
  for (const name of ['docs', 'more']) expect(await contact(name)).not.toContain('was entered for');
  expect(asked).toEqual([]);
  const elsewhere = started({ other: mcp('https://api.invalid:8443/', 'Bearer secret:github') });
  expect(await elsewhere.contact('other')).toContain('was entered for');
});
