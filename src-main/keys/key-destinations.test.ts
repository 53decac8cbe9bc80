import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KeyDestinations } from './key-destinations.js';

test('An entry that is none takes the places of no other key with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-places-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'key-places.json');
  writeFileSync(file, '{"secret:a": ["https://a.example"], "secret:b": 3}');
  const places = new KeyDestinations(file);
  expect([places.of('secret:a'), places.of('secret:b')]).toEqual([['https://a.example'], []]);
});
