import { expect, it } from 'vitest';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { NotificationPicker } from './notifications.js';

const sheet = (batchId: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  ({
    batchId,
    drawing: 1,
    door: 'mcp',
    client: 'codex 1.0',
    agent: null,
    calls: [{ summary: 'Create a.txt' }, { summary: 'npm test' }],
    ...more,
  }) as ApprovalRequest;

it('Each sheet is told once, with who and what; its next drawing is another', () => {
  const tell = new NotificationPicker((id) => (id === 'c1' ? 'Fix the build' : null));
  expect(tell.of(sheet('b1'), [])).toEqual({ title: 'codex 1.0 requests approval', text: 'Create a.txt\nnpm test' });
  expect(tell.of(sheet('b1'), [])).toBeNull();
  expect(tell.of(sheet('b1', { drawing: 2, agent: 'builder' }), [])?.title).toBe('builder requests approval');
});

it('Nobody is told of who is paused; once it is resumed it can be told', () => {
  const tell = new NotificationPicker((id) => (id === 'c1' ? 'Fix the build' : null));
  expect(tell.of(sheet('b1', { agent: 'builder' }), ['agent builder'])).toBeNull();
  expect(tell.of(sheet('b1', { agent: 'builder' }), [])).not.toBeNull();
});

it('A conversation is told by its title', () => {
  const tell = new NotificationPicker((id) => (id === 'c1' ? 'Fix the build' : null));
  const said = (more: Partial<ApprovalRequest>) =>
    tell.of(sheet(JSON.stringify(more), { client: null, ...more }), [])?.title;
  expect(said({ door: 'conversation', session: 'c1' })).toBe('Conversation: Fix the build requests approval');
  expect(said({ door: 'conversation', session: 'c2' })).toBe('Conversation requests approval');
  expect(said({ door: 'compose' })).toBe('Compose requests approval');
});
