import { expect, test } from 'vitest';
import { appendInText, removeInText, resetInText, setInText } from './edit-toml.js';

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

test('A rule goes out with its own lines, and nothing else of the file does', async () => {
  const key = 'tools.approval.confirmed';
  const second = `
# why this one
[[tools.approval.confirmed]]
# first words
tool = "run_command"
prefix = "npm run"
`;
  const both = FILE.replace('\n[strange]', `${second}\n[strange]`);
  const ownLines = /\[\[tools.approval.confirmed\]\]  # the tests\n(?:(?!\n#|\n\[).)*?expires = 2027-01-01\n\n/su;
  const withoutFirst = await text(removeInText(both, key, new Set([0])));
  expect(withoutFirst).toBe(both.replace(ownLines, ''));
  const withoutSecond = await text(removeInText(both, key, new Set([1])));
  for (const comment of ['# My settings', '# the tests', '# why this one', '# first words', '# kept'])
    expect(withoutSecond).toContain(comment);
  expect(withoutSecond).not.toContain('npm run');
  const none = await text(removeInText(both, key, new Set([0, 1])));
  expect(none).not.toContain('[[');
  expect(none).toContain('denylist = [ "run_command" ]');
  // The last of a file that has nothing but it, and a list that stands in one line.
  expect(await text(removeInText('# a\n[[tools.approval.confirmed]]\ntool = "x"\n', key, new Set([0])))).toBe('# a\n');
  const inline = '[tools.approval] # a\nconfirmed = [{ tool = "x" }, { tool = "y" }]\n';
  expect(await text(removeInText(inline, key, new Set([0])))).toMatch(/# a\nconfirmed = \[\s*\{ tool = "y" \}\s*\]/u);
  // What looks like a heading inside a text is none.
  const tricky = `[[tools.approval.confirmed]]\ntool = "x"\ncommand = """\n[[tools.approval.confirmed]]\n"""\n[[tools.approval.confirmed]]\ntool = "y"\n`;
  const left = await text(removeInText(tricky, key, new Set([1])));
  expect(left).toContain('tool = "x"');
  expect(left).not.toContain('tool = "y"');
});
