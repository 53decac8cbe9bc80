import { expect, test } from 'vitest';
import { appendInText, resetInText, setInText } from './edit.js';

const FILE = `# My settings, by hand.
title = "mine"   # not a setting

[tools]          # everything about tools
mode = "enabled" # or disabled
  # indented thought
[tools.approval]
denylist = [ "run_command" ]

[[tools.approval.confirmed]]  # the tests
tool = 'run_command'
command = 'npm test'
expires = 2027-01-01

[strange]
"a key" = { x = 1 }   # kept
`;

async function text(edited: ReturnType<typeof setInText>): Promise<string> {
  const result = await edited;
  if (!result.ok) throw new Error(result.problem);
  return result.text;
}

test('A value changes where it stands; every other byte stays', async () => {
  expect(await text(setInText(FILE, 'tools.mode', 'disabled'))).toBe(
    FILE.replace('mode = "enabled"', 'mode = "disabled"'),
  );
});

test('A new key joins its table, and nothing else moves', async () => {
  const after = await text(setInText(FILE, 'tools.approval.wait_seconds', 60));
  expect(
    after
      .split('\n')
      .filter((line) => line !== 'wait_seconds = 60')
      .join('\n'),
  ).toBe(FILE);
  expect(after.indexOf('wait_seconds')).toBeGreaterThan(after.indexOf('[tools.approval]'));
  expect(after.indexOf('wait_seconds')).toBeLessThan(after.indexOf('[[tools.approval.confirmed]]'));
});

test('A new table goes to the end', async () => {
  expect(await text(setInText(FILE, 'gateway.enabled', true))).toBe(`${FILE}\n[gateway]\nenabled = true\n`);
  expect(await text(setInText('', 'tools.approval.mode', 'deny'))).toBe('[tools.approval]\nmode = "deny"\n');
  expect(await text(setInText('# no newline', 'gateway.port', 5))).toBe('# no newline\n\n[gateway]\nport = 5\n');
});

test('Taking a setting back leaves the file without it', async () => {
  const after = await text(resetInText(FILE, 'tools.approval.denylist'));
  expect(after).not.toContain('denylist');
  expect(after).toContain('# the tests');
  expect(after).toContain('expires = 2027-01-01');
  expect(await text(resetInText(FILE, 'gateway.port'))).toBe(FILE);
});

test('A remembered yes goes to the end, also where there is none yet or a table follows', async () => {
  const rule = { tool: 'run_command', prefix: 'npm run "quoted\\"' };
  const after = await text(appendInText(FILE, 'tools.approval.confirmed', rule));
  expect(after.startsWith(FILE)).toBe(true);
  expect(await text(appendInText('', 'tools.approval.confirmed', rule))).toContain('[[tools.approval.confirmed]]');
  const inline = '[tools.approval]\nconfirmed = [] # none\n';
  expect(await text(appendInText(inline, 'tools.approval.confirmed', { tool: 'x' }))).toContain('tool = "x"');
});

test('Lines that end as on Windows keep doing so', async () => {
  const windows = FILE.replaceAll('\n', '\r\n');
  expect(await text(setInText(windows, 'tools.mode', 'disabled'))).toBe(
    windows.replace('mode = "enabled"', 'mode = "disabled"'),
  );
});

test('Lists change whole, with what is special in them', async () => {
  const after = await text(setInText(FILE, 'tools.approval.denylist', ['a"b', 'c\\d', 'é\n']));
  expect(after).toContain('# the tests');
  expect(await text(setInText(after, 'tools.approval.denylist', ['run_command']))).toContain('run_command');
});

test('A file that is no TOML is not touched', async () => {
  expect(await setInText('tools = [', 'tools.mode', 'disabled')).toMatchObject({ ok: false });
});
