import fc from 'fast-check';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { editText, type FormatName, parseText } from './edit-text.js';
import { type SettingsEdit, isEditApplied, revertEdit } from './edits.js';

const edited = (format: FormatName, text: string, ...edits: SettingsEdit[]): string => {
  const answer = editText(format, text, edits);
  if (!answer.ok) throw new Error(answer.problem);
  return answer.text;
};
const entry = { command: '/opt/gate house', args: ['--mcp-stdio', 'a "b"'] };
const set = (path: string, value: Json): SettingsEdit => ({ kind: 'set', path: path.split('.'), value });

describe('JSON with comments', () => {
  const zed = `// Zed settings
{
	"theme": "One Dark", // mine
	"context_servers": {
		/* another */
		"other": { "command": "x" },
	},
}
`;

  it('adds an entry beside others, in the indentation of the file, and leaves every comment and comma', () => {
    const text = edited('json', zed, set('context_servers.gatehouse', entry));
    expect(text).toContain('// Zed settings\n{\n\t"theme": "One Dark", // mine\n');
    expect(text).toContain('\t\t/* another */\n\t\t"other": { "command": "x" },');
    expect(text).toContain('\n\t\t"gatehouse": {\n\t\t\t"command"');
    expect(parseText('json', text)).toMatchObject({ ok: true, tree: { context_servers: { gatehouse: entry } } });
  });

  it('takes it out again, with the tables that stood there for its sake alone', () => {
    const added = edited('json', '{\n  "a": 1\n}\n', set('mcp.servers.gatehouse', entry));
    expect(edited('json', added, { kind: 'remove', path: ['mcp', 'servers', 'gatehouse'] })).toBe('{\n  "a": 1\n}\n');
  });

  it('keeps line ends and a byte order mark, and makes settings of nothing', () => {
    const text = edited('json', '\uFEFF{\r\n    "a": 1\r\n}\r\n', set('b', 'x'));
    expect(text).toBe('\uFEFF{\r\n    "a": 1,\r\n    "b": "x"\r\n}\r\n');
    expect(JSON.parse(edited('json', '', set('a.b', 'x')))).toEqual({ a: { b: 'x' } });
  });

  it('includes in lists what is missing there, and takes out only that', () => {
    const deny: SettingsEdit = { kind: 'include', path: ['permissions', 'deny'], members: ['Bash', 'Edit'] };
    const before = '{\n  "permissions": {\n    "deny": ["WebFetch", "Edit"]\n  }\n}\n';
    const after = edited('json', before, deny);
    expect(JSON.parse(after)).toEqual({ permissions: { deny: ['WebFetch', 'Edit', 'Bash'] } });
    // What stood there before us stays.
    const [contrary] = revertEdit(JSON.parse(after) as JsonObject, deny, JSON.parse(before) as JsonObject);
    expect(JSON.parse(edited('json', after, contrary as SettingsEdit))).toEqual(JSON.parse(before));
  });

  it('says where a bad file is wrong, and changes nothing of one whose keys stand twice', () => {
    expect(editText('json', '{\n  "a": 1\n  "b": 2\n}', [set('c', 'x')])).toEqual({
      ok: false,
      problem: 'It isn’t valid JSON (line 3): comma expected.',
    });
    expect(editText('json', '[1]', [set('c', 'x')])).toMatchObject({ ok: false });
    expect(editText('json', '{"a":{"x":1},"a":{"y":2}}', [set('a.z', 'x')])).toMatchObject({ ok: false });
    expect(editText('json', '{"a": 3}', [set('a.z', 'x')])).toMatchObject({ ok: false });
  });
});

describe('TOML', () => {
  const codex = `# my codex
model = "gpt"   # the good one
approval_policy = "on-request"

[features]
# keep
web = true

[mcp_servers.other]
command = "x"  # other
`;

  it('adds a table at the end and keys in theirs, and leaves every comment', () => {
    const text = edited(
      'toml',
      codex,
      set('mcp_servers.gatehouse', entry),
      set('features.shell_tool', false),
      set('web_search', 'disabled'),
    );
    for (const line of codex.split('\n').filter((each) => each.trim() !== '')) expect(text).toContain(line);
    expect(parseToml(text)).toMatchObject({
      web_search: 'disabled',
      features: { web: true, shell_tool: false },
      mcp_servers: { other: { command: 'x' }, gatehouse: entry },
    });
  });

  it('changes a value in its place, and takes out what it put in', () => {
    const text = edited('toml', codex, set('model', 'other'));
    expect(text).toBe(codex.replace('"gpt"', '"other"'));
    const added = edited('toml', codex, set('mcp_servers.gatehouse', entry));
    const removed = edited('toml', added, { kind: 'remove', path: ['mcp_servers', 'gatehouse'] });
    expect(parseToml(removed)).toEqual(parseToml(codex));
    expect(removed).toContain('command = "x"  # other');
  });

  it('is made of nothing, and says where it is wrong', () => {
    expect(parseToml(edited('toml', '', set('mcp_servers.gatehouse', entry)))).toEqual({
      mcp_servers: { gatehouse: entry },
    });
    expect(editText('toml', 'a = 1\nb = \n', [set('c', 'x')])).toMatchObject({
      ok: false,
      problem: expect.stringContaining('It isn’t valid TOML (line 2)') as string,
    });
  });
});

describe('YAML', () => {
  const goose = `# goose
GOOSE_MODEL: gpt   # mine
extensions:
  developer:
    enabled: true   # on
    type: builtin

  # another
  memory:
      enabled: false
GOOSE_MODE: auto
`;

  it('adds an entry to a block and changes a value in its place: every other line stands as it was', () => {
    const text = edited('yaml', goose, set('extensions.gatehouse', entry), set('extensions.developer.enabled', false));
    expect(text.replace(/ {2}gatehouse:\n(?: {4}.*\n)+/u, '')).toBe(goose.replace('enabled: true ', 'enabled: false '));
    expect(parseText('yaml', text)).toMatchObject({
      ok: true,
      tree: { extensions: { gatehouse: entry, developer: { enabled: false }, memory: { enabled: false } } },
    });
  });

  it('takes it out again, keeps comments, and is made of nothing', () => {
    const added = edited('yaml', goose, set('extensions.gatehouse', entry));
    const removed = edited('yaml', added, { kind: 'remove', path: ['extensions', 'gatehouse'] });
    expect(parseText('yaml', removed)).toEqual(parseText('yaml', goose));
    for (const comment of ['# goose', '# mine', '# on', '# another']) expect(removed).toContain(comment);
    expect(parseText('yaml', edited('yaml', '', set('extensions.gatehouse', entry)))).toMatchObject({
      tree: { extensions: { gatehouse: entry } },
    });
  });

  it('says where it is wrong', () => {
    expect(editText('yaml', 'a: 1\n  b: 2\n', [set('c', 'x')])).toMatchObject({ ok: false });
  });
});

describe('whatever stands there', () => {
  const tree = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/u),
    fc.oneof(fc.boolean(), fc.string(), fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/u), fc.string())),
  );

  it.each(['json', 'yaml'] as const)('%s says the edits afterwards, and all else as before', (format) => {
    fc.assert(
      fc.property(tree, fc.constantFrom(2, 4), (before, indent) => {
        const text = JSON.stringify(before, null, indent);
        const edit: SettingsEdit = { kind: 'set', path: ['Mcp', 'gatehouse'], value: entry };
        const after = edited(format, text, edit);
        const read = parseText(format, after);
        expect(read).toEqual({ ok: true, tree: { ...before, Mcp: { gatehouse: entry } } });
        expect(read.ok && isEditApplied(read.tree, edit)).toBe(true);
        const back = parseText(format, edited(format, after, { kind: 'remove', path: ['Mcp', 'gatehouse'] }));
        expect(back).toEqual({ ok: true, tree: before });
      }),
    );
  });
});
