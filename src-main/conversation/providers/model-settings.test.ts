import { expect, test } from 'vitest';
import { chooseModel, keyFor, keyName, type StoredModelKeys } from './model-settings.js';

type Settings = Parameters<typeof chooseModel>[0];
const settings = (more: Partial<Settings>): Settings => ({
  provider: 'anthropic',
  base_url: '',
  model: 'm',
  api_key_env: '',
  context_tokens: 1,
  reserve_tokens: 1,
  max_output_tokens: 1,
  system_prompt: '',
  instructions: [],
  ...more,
});
const places = (names: readonly string[], variables: Readonly<Record<string, string>> = {}): StoredModelKeys => ({
  variable: (name) => variables[name] ?? null,
  names: () => names,
});
const served = (provider: 'anthropic' | 'openai-compatible', baseUrl: string) => ({ provider, baseUrl, model: 'm' });

test('A key is kept by scheme, host and port, in one spelling', () => {
  expect(keyName('https://API.anthropic.com./v1')).toBe('model:https:api.anthropic.com:443');
  expect(keyName('http://localhost:11434/v1')).toBe('model:http:localhost:11434');
  expect(keyName('http://[::1]:80/v1')).toBe('model:http:::1:80');
  expect(keyName('nonsense')).toBeNull();
  for (const url of ['https://api.anthropic.com', 'http://[::1]', `https://${'a'.repeat(60)}.example`])
    expect(keyName(url)).toMatch(/^[\w:.-]{1,200}$/u);
});

test('A kept key is for its address alone; a variable’s for the address beside it, and comes first', () => {
  const kept = places(['model:https:api.anthropic.com:443'], { MINE: 'k' });
  const home = served('anthropic', 'https://api.anthropic.com/v1');
  expect(keyFor(home, settings({}), kept)).toMatchObject({
    from: 'secret:model:https:api.anthropic.com:443',
    header: 'x-api-key',
  });
  expect(keyFor(home, settings({ api_key_env: 'MINE' }), kept)).toMatchObject({ from: 'env:MINE' });
  expect(keyFor(home, settings({ api_key_env: 'EMPTY' }), kept)?.from).toContain('secret:');
  for (const url of [
    'http://api.anthropic.com/v1',
    'https://api.anthropic.com:444/v1',
    'https://api.anthropic.com.evil.example',
  ])
    expect(keyFor(served('anthropic', url), settings({}), kept)).toBeNull();
  // A conversation's own choice of another address does not get the variable's key.
  expect(
    keyFor(served('openai-compatible', 'https://evil.example/v1'), settings({ api_key_env: 'MINE' }), kept),
  ).toBeNull();
});

test('What is missing is said', () => {
  const problem = (more: Partial<Settings>) => {
    const chosen = chooseModel(settings(more), null);
    return 'problem' in chosen ? chosen.problem : null;
  };
  expect(problem({ provider: 'demo' })).toContain('No model is connected');
  expect(problem({ provider: 'openai-compatible' })).toContain('address of the server is missing');
  expect(problem({ base_url: 'http://api.example.com@evil' })).toContain('can’t be used');
  expect(chooseModel(settings({}), { provider: 'toString', baseUrl: null, model: 'x' })).toHaveProperty('problem');
  expect(chooseModel(settings({}), { provider: 'ollama', baseUrl: null, model: 'x' })).toEqual({
    served: { provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'x' },
  });
});
