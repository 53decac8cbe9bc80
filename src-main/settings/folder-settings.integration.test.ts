import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigStore } from './config-store.js';
import { getPendingDigest } from './folder-settings.js';
import { openUnacceptedSettings } from './unaccepted-settings.js';

let base: string;
let workspace: string;
const file = () => join(workspace, '.gatehouse/config.toml');
const disabled = '[tools]\nmode = "disabled"\n';
const strict = '[tools]\nmode = "parse_only"\n';
const open = (): ConfigStore => {
  const store = new ConfigStore(
    join(base, 'config.toml'),
    openUnacceptedSettings(join(base, 'unaccepted.json'), (error) => expect.fail(String(error))),
  );
  store.openFolder(workspace);
  store.show(workspace);
  return store;
};
const pending = ({ notices }: ConfigStore) =>
  notices.map(({ id }) => getPendingDigest(id)).find((digest) => digest !== null);
const mode = ({ current }: ConfigStore) => current.tools.mode;
const put = (text: string) => {
  mkdirSync(join(workspace, '.gatehouse'), { recursive: true });
  writeFileSync(file(), text);
};

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'gatehouse-folder-settings-'));
  workspace = join(base, 'workspace');
  mkdirSync(workspace);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('L1: a folder’s settings that changed while the app runs', () => {
  it('count at once where they stood there when it was opened', () => {
    put(strict);
    expect(mode(open())).toBe('parse_only');
  });

  it('do not count where they are new, though they only tighten, before the person says so', () => {
    const store = open();
    put(disabled);
    store.reload();
    expect(mode(store)).toBe('enabled');
    expect(store.notices).toMatchObject([{ action: 'Use these settings', details: 'tools.mode = "disabled"' }]);
    expect(store.useFolderSettings(pending(store) ?? '')).toBeNull();
    expect(mode(store)).toBe('disabled');
    expect(pending(store)).toBeUndefined();
  });

  it('do not count where a call ran meanwhile: changed, taken away, or changed once more', () => {
    put(strict);
    const store = open();
    for (const change of [() => put(''), () => rmSync(file()), () => put(disabled)]) {
      const over = store.noteCallBegins();
      change();
      over();
      expect(mode(store)).toBe('parse_only');
      expect(pending(store)).toBeDefined();
    }
    // Nor later, when nothing runs and somebody changes them again.
    put('# nothing\n');
    store.reload();
    expect(mode(store)).toBe('parse_only');
    put(strict);
    store.reload();
    expect(store.notices).toEqual([]);
  });

  it('count, and are told, where nothing ran and they were there', () => {
    put(strict);
    const store = open();
    put(disabled);
    store.reload();
    expect(mode(store)).toBe('disabled');
    expect(store.notices).toMatchObject([{ id: expect.stringMatching(/^config-changed-workspace-/u) }]);
  });

  it('a yes is for what was shown, and for nothing that came after it', () => {
    const store = open();
    put(strict);
    store.reload();
    const shown = pending(store) ?? '';
    put(disabled);
    expect(store.useFolderSettings(shown)).toMatch(/changed again/u);
    expect(mode(store)).toBe('enabled');
  });

  it('a restart is no yes', () => {
    put(strict);
    const store = open();
    const over = store.noteCallBegins();
    put(disabled);
    over();
    const next = open();
    expect(mode(next)).toBe('parse_only');
    expect(next.useFolderSettings(pending(next) ?? '')).toBeNull();
    expect(mode(open())).toBe('disabled');
  });

  it('what a call made unreadable, or not TOML, changes nothing', () => {
    put(strict);
    const store = open();
    const over = store.noteCallBegins();
    put('mode = = 1');
    over();
    expect(mode(store)).toBe('parse_only');
    rmSync(file());
    mkdirSync(file());
    store.reload();
    expect(mode(store)).toBe('parse_only');
  });
});
