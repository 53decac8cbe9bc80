import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepDisplay, withDisplay } from './display-environment.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'gatehouse-display-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(made, 'run'));
  return made;
}

it('a command that is not told where windows open finds out from the app that last had one', () => {
  const dataDir = folder();
  expect(withDisplay(dataDir, { PATH: '/bin' })).toEqual({ PATH: '/bin' });
  keepDisplay(dataDir, { DISPLAY: ':1', XAUTHORITY: '/run/x', HOME: '/home/me', TOKEN: 'secret' });
  const file = join(dataDir, 'run', 'display.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ DISPLAY: ':1', XAUTHORITY: '/run/x' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(withDisplay(dataDir, { PATH: '/bin' })).toEqual({ PATH: '/bin', DISPLAY: ':1', XAUTHORITY: '/run/x' });
  // A process that knows is believed; an app without a screen takes nothing away.
  expect(withDisplay(dataDir, { WAYLAND_DISPLAY: 'wayland-0' })).toEqual({ WAYLAND_DISPLAY: 'wayland-0' });
  keepDisplay(dataDir, { HOME: '/home/me' });
  expect(withDisplay(dataDir, {})).toMatchObject({ DISPLAY: ':1' });
});

it('takes nothing else from that file, whatever it holds', () => {
  const dataDir = folder();
  for (const text of ['{', '[]', '{"LD_PRELOAD":"/x","DISPLAY":":1"}', '{"DISPLAY":1}']) {
    writeFileSync(join(dataDir, 'run', 'display.json'), text);
    expect(withDisplay(dataDir, { PATH: '/bin' })).toEqual({ PATH: '/bin' });
  }
});
