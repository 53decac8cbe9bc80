import { expect, test } from 'vitest';
import type { AssistantBlock, ModelEvent, ModelMessage, ModelRequest } from '../../domain/ports/conversation/model.js';
import { DemoModel } from './demo-model.js';
import { DEMO_KNOWS_NO_MORE, DEMO_OPENING, DEMO_UNDONE } from './demo-script.js';

const request = (history: readonly ModelMessage[], toolChoice: 'auto' | 'none' = 'auto'): ModelRequest => ({
  system: '',
  history,
  tools: [],
  toolChoice,
  maxOutputTokens: 8192,
  temperature: null,
});
const said = (text: string): ModelMessage => ({ role: 'user', parts: [{ kind: 'text', text }] });

async function allOf(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function answer(history: readonly ModelMessage[], toolChoice?: 'none'): Promise<readonly ModelEvent[]> {
  return await allOf(new DemoModel(0).answer(request(history, toolChoice), new AbortController().signal));
}

/** The closed blocks that a loop makes of an answer, in their order. */
function blocksOf(events: readonly ModelEvent[]): readonly AssistantBlock[] {
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  const calls = events.flatMap((event) => (event.type === 'call-began' ? [event] : []));
  return [
    { kind: 'text', text },
    ...calls.map(({ block, id, name }): AssistantBlock => {
      const json = events.map((each) => (each.type === 'call-arguments' && each.block === block ? each.text : ''));
      return { kind: 'call', id, name, arguments: JSON.parse(json.join('')), kept: null };
    }),
  ];
}

/** Every call gets the same result, until an answer has none. */
async function play(opening: string, isError: boolean): Promise<readonly ModelMessage[]> {
  const history: ModelMessage[] = [said(opening)];
  for (;;) {
    const events = await answer(history);
    expect(events.at(-1)).toEqual({ type: 'ended', why: 'done' });
    const blocks = blocksOf(events);
    history.push({ role: 'assistant', blocks });
    const calls = blocks.flatMap((block) => (block.kind === 'call' ? [block] : []));
    if (calls.length === 0) return history;
    history.push({ role: 'results', results: calls.map(({ id, name }) => ({ id, name, content: '', isError })) });
  }
}

const toolsIn = (history: readonly ModelMessage[]) =>
  history.flatMap((message) =>
    message.role === 'assistant' ? message.blocks.flatMap((block) => (block.kind === 'call' ? [block.name] : [])) : [],
  );
const idsIn = (history: readonly ModelMessage[]) =>
  history.flatMap((message) => (message.role === 'results' ? message.results.map(({ id }) => id) : []));
const lastText = (history: readonly ModelMessage[]) => {
  const last = history.at(-1);
  const [block] = last?.role === 'assistant' ? last.blocks : [];
  return block?.kind === 'text' ? block.text : '';
};

test('It lists, reads, patches, tries to write outside and runs the check, with ids of its own, in four rounds', async () => {
  const history = await play(DEMO_OPENING, false);
  expect(toolsIn(history)).toEqual([
    'list_directory',
    'read_file',
    'read_file',
    'apply_patch',
    'write_file',
    'run_command',
  ]);
  expect(new Set(idsIn(history)).size).toBe(6);
  expect(lastText(history)).toContain('The check passes');
  // As many as the settings allow by default.
  expect(history.filter(({ role }) => role === 'results')).toHaveLength(4);
  const again = await play(DEMO_UNDONE, false);
  expect(toolsIn(again)).toEqual(['read_file']);
});

test('What went otherwise is said otherwise', async () => {
  const history = await play(DEMO_OPENING, true);
  expect(lastText(history)).toContain('The check did not pass');
});

test('To anything else it says that it is a script, and where it may not call it does not', async () => {
  const blocks = blocksOf(await answer([said('What is the weather?')]));
  expect(blocks).toEqual([{ kind: 'text', text: DEMO_KNOWS_NO_MORE }]);
  expect(blocksOf(await answer([said(DEMO_OPENING)], 'none'))).toHaveLength(1);
});

test('Stopped between two words, it ends at once', async () => {
  const stop = new AbortController();
  stop.abort();
  const events = await allOf(new DemoModel(60_000).answer(request([said(DEMO_OPENING)]), stop.signal));
  expect(events).toEqual([{ type: 'failed', failure: { fault: 'broke-off', message: 'Stopped.' } }]);
});
