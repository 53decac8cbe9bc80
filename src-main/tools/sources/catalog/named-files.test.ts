import { expect, test } from 'vitest';
import { defaultConfig } from '../../../tests/gate/default-config.test-support.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { askAboutNamedFiles } from './named-files.js';

const config = defaultConfig();
const isDenied = (path: string): boolean => path.startsWith('private/');
const asks = (args: object, sees: 'none' | 'read' | 'change' = 'read'): string | null =>
  askAboutNamedFiles(args as never, sees, config, isDenied).mustAsk;

test.each([
  [{ path: '.env' }],
  [{ path: '/home/me/project/.env' }],
  [{ files: [{ at: 'config/id_rsa' }] }],
  [{ command: 'cat ./.env' }],
  [{ uri: 'file:///home/me/project/.env' }],
])('A file of secrets that an argument names asks: %j', (args) => {
  expect(asks(args)).toContain('secrets');
  expect(asks(args, 'none')).toBeNull();
});

test('So does what is denied to tools, and, where it may write, what other programs obey', () => {
  expect(asks({ path: 'private/plan.txt' })).toContain('denied to tools');
  expect(asks({ path: '.vscode/tasks.json' })).toBeNull();
  for (const path of ['.vscode/tasks.json', '/home/me/project/.git/config', '.envrc', '.gatehouse/config.toml'])
    expect(asks({ path, content: 'x' }, 'change'), path).not.toBeNull();
});

test('What is only mentioned in a longer text, and what is nobody’s secret, asks nothing', () => {
  for (const args of [{ path: 'src/a.ts' }, { content: 'Read\n.env\nfirst.' }, { n: 3, on: true, none: null }, {}])
    expect(asks(args, 'change')).toBeNull();
});

test('Where files of secrets are denied, so is this', () => {
  const { approval } = config.tools;
  const denying = { ...config, tools: { ...config.tools, approval: { ...approval, secrets: 'deny' as const } } };
  expect(() => askAboutNamedFiles({ path: '.env' }, 'read', denying, isDenied)).toThrow(ToolFailure);
});
