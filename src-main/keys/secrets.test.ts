import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHeadSigner } from './head-signer.js';
import type { KeyStore } from './key-store.js';
import { Secrets } from './secrets.js';

let folder: string;
let file: string;

/** Turns every bit round: nothing to rely on, but what it makes is not the text. */
const flip = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
const store: KeyStore = {
  available: true,
  warning: null,
  encrypt: (text) => flip(Buffer.from(text)),
  decrypt: (bytes) => Buffer.from(flip(bytes)).toString(),
};
const noStore: KeyStore = { ...store, available: false, warning: 'none' };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
  file = join(folder, 'secrets.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('A key outlives the app, and stands nowhere in the clear', () => {
  new Secrets(file, store).set('anthropic', 'sk-ant-very-secret');
  expect(new Secrets(file, store).referred('anthropic')).toBe('sk-ant-very-secret');
  expect(readFileSync(file, 'utf8')).not.toContain('very-secret');
  expect(new Secrets(file, store).view).toEqual({ available: true, warning: null, names: ['anthropic'] });
});

test('Without a key store nothing is written, and the key serves until the end', () => {
  const secrets = new Secrets(file, noStore);
  secrets.set('anthropic', 'sk-ant-very-secret');
  expect(secrets.referred('anthropic')).toBe('sk-ant-very-secret');
  expect(secrets.view).toEqual({ available: false, warning: 'none', names: ['anthropic'] });
  expect(() => readFileSync(file)).toThrow('ENOENT');
  expect(new Secrets(file, noStore).referred('anthropic')).toBeNull();
});

test('A removed key is gone; a file that is none, hostile names and unopenable keys harm nothing', () => {
  const secrets = new Secrets(file, store);
  secrets.set('a', '1');
  secrets.remove('a');
  expect(new Secrets(file, store).referred('a')).toBeNull();
  expect(() => secrets.set('__proto__', 'x')).toThrow('no name');
  writeFileSync(file, '{"not a name": "x", "b": 3, "c": "AAAA"}');
  const broken: KeyStore = {
    ...store,
    decrypt: () => {
      throw new Error('another user');
    },
  };
  expect(new Secrets(file, broken).view.names).toEqual(['c']);
  expect(new Secrets(file, broken).referred('c')).toBeNull();
  for (const text of ['not json', '{"__proto__": "x", "c": "AAAA"}']) {
    writeFileSync(file, text);
    expect(new Secrets(file, store).view.names).toEqual([]);
    new Secrets(file, store).set('d', '1');
    // What a person or another program put there is theirs to look at.
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
  }
});

test('A key of the app’s own is not made anew where the file that may hold it can’t be understood', () => {
  const made = new Secrets(file, store).ownKey('journal-head');
  expect(made).not.toBeNull();
  const kept = readFileSync(file, 'utf8');
  writeFileSync(file, kept.replace('{', '{"b": 3, '));
  expect(new Secrets(file, store).ownKey('journal-head')).toEqual(made);
  writeFileSync(file, kept.slice(0, -5));
  expect(new Secrets(file, store).ownKey('journal-head')).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe(kept.slice(0, -5));
});

test('The journal’s key is made once, is shown to nobody, and tells its own signatures', () => {
  const signer = createHeadSigner(new Secrets(file, store));
  const again = createHeadSigner(new Secrets(file, store));
  const head = Buffer.from('head');
  expect(again.verify(head, signer.sign(head))).toBe(true);
  expect(again.verify(Buffer.from('other'), signer.sign(head))).toBe(false);
  expect(again.verify(head, new Uint8Array(3))).toBe(false);
  expect(new Secrets(file, store).view.names).toEqual([]);
});

test('Without a key store the journal’s head is not signed; a key that can’t be opened is not replaced', () => {
  expect(createHeadSigner(new Secrets(file, noStore)).available).toBe(false);
  createHeadSigner(new Secrets(file, store));
  const before = readFileSync(file, 'utf8');
  const locked: KeyStore = {
    ...store,
    decrypt: () => {
      throw new Error('locked');
    },
  };
  expect(createHeadSigner(new Secrets(file, locked)).available).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('What a sign-in gave is kept whole or not at all, shown to nobody, and known to who takes secrets out', () => {
  const secrets = new Secrets(file, store);
  secrets.setSignIn('tracker', { access: 'access-very-secret', refresh: 'refresh-very-secret', client: null });
  const again = new Secrets(file, store);
  expect([again.signIn('tracker', 'access'), again.signIn('tracker', 'client')]).toEqual(['access-very-secret', null]);
  expect(again.signIn('tracker', 'refresh')).toBe('refresh-very-secret');
  expect(again.referred('gatehouse:sign-in:tracker:refresh')).toBeNull();
  expect(again.view.names).toEqual([]);
  expect(again.values()).toEqual(['access-very-secret', 'refresh-very-secret']);
  expect(readFileSync(file, 'utf8')).not.toContain('very-secret');

  // A part that can't be kept leaves all as they were.
  const long = 'x'.repeat(20_000);
  expect(() => again.setSignIn('tracker', { access: 'another', refresh: long })).toThrow('can’t be kept');
  expect(again.signIn('tracker', 'access')).toBe('access-very-secret');
  again.setSignIn('tracker', { access: null, refresh: null });
  expect(new Secrets(file, store).values()).toEqual([]);
});

test('Without a key store nothing of a sign-in is kept, in memory neither', () => {
  const secrets = new Secrets(file, noStore);
  expect(secrets.noSignIns).toContain('key store');
  expect(() => secrets.setSignIn('tracker', { access: 'access-very-secret' })).toThrow('can’t be kept');
  expect([secrets.signIn('tracker', 'access'), secrets.values()]).toEqual([null, []]);
});

test('A reference stands for none of Gatehouse’s own keys, for none of a sign-in, and for none of a model', () => {
  const secrets = new Secrets(file, store);
  expect([secrets.ownKey('journal-head'), secrets.ownKey('sealing')]).not.toContain(null);
  secrets.setSignIn('tracker', { access: 'access-very-secret', refresh: 'refresh-very-secret' });
  secrets.set('model:https:api.example.com', 'sk-of-a-model');
  const names = Object.keys(JSON.parse(readFileSync(file, 'utf8')));
  expect(names).toHaveLength(5);
  for (const name of names) expect(secrets.referred(name)).toBeNull();
  expect(secrets.ofModel('model:https:api.example.com')).toBe('sk-of-a-model');
  for (const name of names.filter((each) => !each.startsWith('model:'))) expect(secrets.ofModel(name)).toBeNull();
  // Nor can the window put one of its own in their place.
  expect(() => secrets.set('gatehouse:journal-head', 'mine')).toThrow('own');
  expect(() => secrets.remove('gatehouse:sealing')).toThrow('own');
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(names);
});
