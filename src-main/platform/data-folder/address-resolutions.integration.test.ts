import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AddressResolutions } from './address-resolutions.js';

it('where a name led is known after a restart, and nothing is known of a file that says nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-led-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const problems: unknown[] = [];
  const open = (path = join(folder, 'led.json')) => new AddressResolutions(path, (error) => problems.push(error));
  const led = open();
  expect(led.wasLocal('http://a.example:80')).toBeNull();
  led.learn('http://a.example:80', false);
  led.learn('http://b.example:80', true);
  led.learn('http://b.example:80', false);
  const again = open();
  expect(['a', 'b', 'c'].map((name) => again.wasLocal(`http://${name}.example:80`))).toEqual([false, false, null]);
  // One that was refused since is told until somebody says that it is meant.
  expect(led.hasMoved('http://a.example:80')).toBe(false);
  led.noteMoved('http://a.example:80');
  expect(led.hasMoved('http://a.example:80')).toBe(true);
  led.learn('http://a.example:80', true);
  expect([led.hasMoved('http://a.example:80'), led.wasLocal('http://a.example:80')]).toEqual([false, true]);
  for (const text of ['', '[1', 'null', '{"http://a.example:80":"no"}']) {
    writeFileSync(join(folder, 'led.json'), text);
    expect(open().wasLocal('http://a.example:80'), text).toBeNull();
  }
  expect(problems).toEqual([]);
  // The record holds as long as the app runs, whatever the disk says.
  const unkept = open(join(folder, 'nowhere', 'led.json'));
  unkept.learn('http://a.example:80', false);
  expect([unkept.wasLocal('http://a.example:80'), problems.length]).toEqual([false, 1]);
});
