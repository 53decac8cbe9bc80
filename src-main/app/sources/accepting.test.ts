import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../domain/ports/clock.js';
import { catalogOf, operation, Scripted, source } from '../../tests/sources/scripted-source.test-support.js';
import { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { endRules } from './end-rules.js';
import { findMovedAddress, reviewChannels } from './review-channels.js';

/** The page’s review of a source, over a catalog. */
async function opened(settings = source()) {
  const scripted = new Scripted(operation('a'), operation('b'));
  const { catalog, follow } = catalogOf(new ToolRegistry(), scripted);
  await follow({ src: settings });
  const rules = new Map(
    ['src__a', 'src__b', 'src.*'].map((tool) => [tool, { id: tool, kept: 'settings', rule: { tool } }]),
  );
  const book = {
    all: () => [...rules.values()] as never,
    remove: async (id: string) => {
      rules.delete(id);
      return null;
    },
  };
  let at = 0;
  const folder = mkdtempSync(join(tmpdir(), 'gh-led-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const led = new AddressResolutions(join(folder, 'led.json'), (error) => expect.fail(String(error)));
  const channels = reviewChannels({
    catalog,
    endRules: (changed) => endRules(changed, book, catalog.nameOf, () => undefined),
    clock: { monotonic: () => at } as Clock,
    led,
  });
  return { led, scripted, channels, rules: () => [...rules.keys()], pass: (ms: number) => void (at += ms) };
}
/** The source is one by its address. */
it('an address that leads to this computer since is accepted by its name, once, and only where it was refused', async () => {
  const url = 'http://LocalHost:8080/mcp';
  const { channels, led } = await opened({ kind: 'mcp', url });
  const moved = 'http://localhost:8080';
  const accept = async (address: string) => codeOf(await channels['sources.acceptAddress']({ name: 'src', address }));
  expect(findMovedAddress({ kind: 'mcp', url }, led)).toBeNull();
  expect(await accept(moved)).toBe('stale');
  led.learn(moved, false);
  led.noteMoved(moved);
  expect(findMovedAddress({ kind: 'mcp', url }, led)).toBe(moved);
  // Another source's is not its.
  led.noteMoved('http://b.localhost:80');
  expect(await accept('http://b.localhost:80')).toBe('stale');
  expect(await accept(moved)).toBe('ok');
  expect([led.wasLocal(moved), findMovedAddress({ kind: 'mcp', url }, led)]).toEqual([true, null]);
  expect(await accept(moved)).toBe('stale');
});

const codeOf = (answer: { readonly ok: boolean; readonly error?: { readonly code: string } }) =>
  answer.ok ? 'ok' : answer.error?.code;

it('what is accepted has stood before the person, and a rule for a tool that is another by then is over', async () => {
  const { scripted, channels, rules, pass } = await opened();
  scripted.offers(operation('a', { description: 'Does something else.' }), operation('b'));
  const review = await channels['sources.review']({ name: 'src' });
  const { digest } = review.ok ? review.value : expect.fail('nothing to review');
  // Never shown, or not for long enough to be read: main heeds it, whatever the page does.
  expect(codeOf(await channels['sources.accept']({ name: 'src', digest: 'x'.repeat(64) }))).toBe('stale');
  const early = await channels['sources.accept']({ name: 'src', digest });
  expect(early).toMatchObject({ ok: false, error: { message: expect.stringContaining('only just been shown') } });
  expect(rules()).toEqual(['src__a', 'src__b', 'src.*']);
  pass(500);
  expect(codeOf(await channels['sources.accept']({ name: 'src', digest }))).toBe('ok');
  expect(rules()).toEqual(['src__b', 'src.*']);
});
