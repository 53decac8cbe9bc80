import { expect, it, onTestFinished } from 'vitest';
import type { SourceInvocation } from '../../domain/ports/sources/source.js';
import type { ServerQuestionView } from '#contract/window/tools/sources.js';
import { createServedModel } from '../../conversation/providers/served-model.js';
import { createOutside } from '../../outside/outside-client.js';
import { startModelServer } from '../../tests/model-server/model-server.test-support.js';
import { until } from '../../tests/until.test-support.js';
import { openTestSources, type TestSources } from '../../tools/sources/mcp/mcp.test-support.js';
import { ASKING_SERVER } from './asking-server.test-support.js';
import { type QuestionParts, ServerQuestionDesk } from './server-questions.js';

const NO_MODEL = 'No model is connected.';
const ON = { elicitation: true, sampling: true };

/** The desk as the window has it, with a clock that a test moves. */
async function opened(model: QuestionParts['model'] = () => NO_MODEL, settings: Partial<typeof ON> = ON) {
  let at = 0;
  const desk = new ServerQuestionDesk({
    clock: { now: () => at, monotonic: () => at },
    onChange: () => undefined,
    model,
    redact: (text) => text.replaceAll('sk-very-secret', '[redacted]'),
  });
  const sources: TestSources = await openTestSources({}, undefined, { questions: desk });
  onTestFinished(() => sources[Symbol.asyncDispose]());
  const source = sources.open({ ...(await sources.script(ASKING_SERVER)), ...settings });
  const asked = async (is: (view: ServerQuestionView | null) => boolean): Promise<ServerQuestionView | null> => {
    let last: ServerQuestionView | null = null;
    await until(async () => {
      const answer = await desk.channels['sources.question']();
      last = answer.ok ? answer.value : null;
      return is(last);
    });
    return last;
  };
  const shown = async (kind: ServerQuestionView['asks']['kind']): Promise<ServerQuestionView> => {
    const view = await asked((each) => each?.asks.kind === kind);
    if (view === null) throw new Error('Nothing is asked.');
    return view;
  };
  const answer = (view: ServerQuestionView, action: 'accept' | 'decline' | 'cancel', content?: object) =>
    desk.channels['sources.answer']({
      id: view.id,
      step: view.step,
      action,
      ...(content === undefined ? {} : { content: JSON.stringify(content) }),
    });
  /** Having read it. */
  const says: typeof answer = async (view, action, content) => {
    at += 500;
    return answer(view, action, content);
  };
  const call = async (
    args: Record<string, string | number | boolean>,
    signal?: AbortSignal,
    more: Partial<SourceInvocation> = {},
  ) => sources.call(source, 'ask', args, { callId: 'call-7', ...(signal === undefined ? {} : { signal }), ...more });
  return { sources, source, desk, asked, shown, answer, says, call };
}

it('A server asks for what it is called for, and gets what the person filled in', async () => {
  const { shown, says, answer, call } = await opened();
  const calling = call({ what: 'form' });
  const view = await shown('form');
  expect(view).toMatchObject({ source: 'peer', behind: 0, calls: [{ callId: 'call-7', operation: 'ask' }] });
  // Not before it could be read, and not with what does not fit.
  expect(await answer(view, 'accept', { name: 'Bob' })).toMatchObject({ ok: false, error: { code: 'stale' } });
  expect(await says(view, 'accept', { count: 12, name: 'Bob' })).toMatchObject({ ok: false });
  expect(await says(view, 'accept', { name: 'Bob', other: 1 })).toMatchObject({ ok: false });
  expect(await says(view, 'accept', {})).toMatchObject({ ok: false });
  expect(await says(view, 'accept', { name: 'Bob', count: 3, yes: false })).toMatchObject({ ok: true });
  expect(JSON.parse((await calling).content)).toEqual({
    action: 'accept',
    content: { name: 'Bob', count: 3, yes: false },
  });
});

it('The time of a call stands still while its server asks, and goes on with the answer', async () => {
  const { asked, shown, says, call } = await opened();
  let held = 0;
  let stoodStill = 0;
  const waitsForPerson = () => {
    held += 1;
    stoodStill += 1;
    return () => void (held -= 1);
  };
  const calling = call({ what: 'form', times: 2 }, undefined, { waitsForPerson });
  await asked((each) => each?.behind === 1);
  expect(held).toBe(2);
  const first = await shown('form');
  await says(first, 'accept', { name: 'Bob' });
  const second = await asked((each) => each !== null && each.id !== first.id);
  if (second === null) throw new Error('Nothing is asked.');
  await expect.poll(() => held).toBe(1);
  await says(second, 'decline');
  await calling;
  expect([held, stoodStill]).toEqual([0, 2]);
});

it.each(['decline', 'cancel'] as const)('a server is told of a %s, and gets nothing', async (action) => {
  const { shown, answer, call } = await opened();
  const calling = call({ what: 'form' });
  expect(await answer(await shown('form'), action)).toMatchObject({ ok: true });
  expect(JSON.parse((await calling).content)).toEqual({ action });
});

it('Several questions stand in the order of asking, and more than a person reads are not asked', async () => {
  const { asked, says, call } = await opened();
  const calling = call({ what: 'form', times: 7 });
  let last = '';
  for (let left = 4; left >= 0; left -= 1) {
    const view = await asked((each) => each !== null && each.id !== last && each.behind === left);
    if (view === null) throw new Error('Nothing is asked.');
    last = view.id;
    await says(view, 'accept', { name: `n${left}` });
  }
  const answers = JSON.parse((await calling).content) as { action: string; content?: { name: string } }[];
  expect(answers.map((each) => each.content?.name ?? each.action)).toEqual([
    'n4',
    'n3',
    'n2',
    'n1',
    'n0',
    'cancel',
    'cancel',
  ]);
});

it('What is asked goes with its call: stopped, ended, or asked by a server without one', async () => {
  const { shown, asked, answer, call, source } = await opened();
  const stop = new AbortController();
  const stopped = call({ what: 'form' }, stop.signal);
  const view = await shown('form');
  stop.abort();
  await expect(stopped).rejects.toThrow('was stopped');
  await asked((each) => each === null);
  expect(await answer(view, 'accept', { name: 'late' })).toMatchObject({ ok: false, error: { code: 'stale' } });

  expect((await call({ what: 'form', quit: true })).content).toBe('over');
  await asked((each) => each === null);

  const after = call({ what: 'form', after: 'form' });
  await answer(await shown('form'), 'decline');
  await after;
  // Asked while its result was still being read, or after: nobody answers.
  await until(() => /No call of yours|"action":"cancel"/u.test(source.state().complaints));
});

it.each([
  ['nested', 'Invalid elicitation'],
  ['many', 'more than 50'],
  ['long', '4,000 characters'],
  ['script', 'none of a page'],
  ['named', 'none of a page'],
  ['picture', 'no text'],
  ['context', 'other conversations'],
  ['huge', '200,000'],
  ['model', NO_MODEL],
])('%s is not asked: the server is told why', async (what, words) => {
  const { call, desk } = await opened();
  expect((await call({ what })).content).toContain(words);
  expect(desk.first).toBeNull();
});

it('Questions of servers are refused where the person did not turn them on', async () => {
  const { call, desk } = await opened(() => NO_MODEL, {});
  for (const what of ['form', 'page', 'model']) expect((await call({ what })).content).toContain('Method not found');
  expect(desk.first).toBeNull();
});

it('A page is shown whole, and opened by nobody but the person', async () => {
  const { shown, says, call } = await opened();
  const calling = call({ what: 'page' });
  const view = await shown('page');
  expect(view.asks).toMatchObject({ url: 'https://pay.example/x?y=1', host: 'pay.example' });
  await says(view, 'accept');
  expect(JSON.parse((await calling).content)).toEqual({ action: 'accept' });
});

it.each([
  ['secret', ['API key', 'Пароль', 'c']],
  ['wanted', ['Answer']],
  ['form', []],
])('What asks for a key is marked, in whatever letters (%s)', async (what, secretFields) => {
  const { shown, answer, call } = await opened();
  const calling = call({ what });
  const view = await shown('form');
  expect(view.asks).toMatchObject({ secretFields });
  await answer(view, 'decline');
  await calling;
});

async function withModel() {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const outside = createOutside({ secret: () => null, variable: () => null });
  onTestFinished(() => outside.close());
  const served = { provider: 'openai-compatible', baseUrl: server.baseUrl, model: 'scripted-1' } as const;
  const model = createServedModel(served, { outside, key: () => null, now: () => 0 });
  return { server, ...(await opened(() => ({ model, name: 'scripted-1', provider: 'openai-compatible' }))) };
}

it('The model is asked when the person read what would go to it, and its answer given when they read that', async () => {
  const { server, sources, shown, answer, says, call } = await withModel();
  server.script({ blocks: [{ text: 'ready sk-very-secret' }] });
  const calling = call({ what: 'model' });
  const view = await shown('model');
  expect(view.asks).toMatchObject({
    model: 'scripted-1',
    system: 'You are brief.',
    messages: [{ role: 'user', text: 'Say “ready”.' }],
    maxTokens: 100,
  });
  expect(await answer(view, 'accept')).toMatchObject({ ok: false });
  expect(server.requests).toEqual([]);
  await says(view, 'accept');
  const written = await shown('model-answer');
  expect(written.asks).toMatchObject({ text: 'ready sk-very-secret', wasCut: false });
  expect(written.step).toBeGreaterThan(view.step);
  // Twice pressed is not twice meant.
  expect(await says(view, 'accept')).toMatchObject({ ok: false });
  await says(written, 'accept');
  const { content, warnings, storedOutputs } = await calling;
  expect(JSON.parse(content)).toMatchObject({ model: 'scripted-1', content: { text: 'ready sk-very-secret' } });
  expect(warnings).toEqual(['It asked the model scripted-1, and was given its answer: stored output 1.']);
  expect(storedOutputs).toHaveLength(1);
  expect(Buffer.from(sources.kept[0] ?? []).toString()).toBe(
    '[system]\nYou are brief.\n\n[user]\nSay “ready”.\n\n[scripted-1]\nready [redacted]',
  );
});

it('What a model said is kept with the call that it is for alone; of several under way, with none', async () => {
  const { server, sources, shown, says, call } = await withModel();
  server.script({ blocks: [{ text: 'for one of them' }] });
  // Another of the same session, of another agent, which waits for its own question.
  const stop = new AbortController();
  const other = call({ what: 'form' }, stop.signal, { callId: 'call-of-another' });
  await shown('form');
  const asking = call({ what: 'model' });
  await until(async () => (await shown('form')).behind === 1);
  await says(await shown('form'), 'decline');
  const { warnings: ofOther } = await other;
  const both = call({ what: 'form' }, stop.signal, { callId: 'call-of-a-third' });
  await says(await shown('model'), 'accept');
  await says(await shown('model-answer'), 'accept');
  const { content, warnings } = await asking;
  expect(content).toContain('for one of them');
  await says(await shown('form'), 'decline');
  expect([ofOther, warnings, (await both).warnings, sources.kept]).toEqual([[], [], [], []]);
});

it('A no before, while or after the model writes gives the server nothing', async () => {
  const { server, shown, answer, says, call } = await withModel();
  const before = call({ what: 'model' });
  await answer(await shown('model'), 'decline');
  expect((await before).content).toContain('did not want that');
  expect(server.requests).toEqual([]);

  const asked = Promise.withResolvers<void>();
  server.otherwise(() => {
    asked.resolve();
    return { silent: true };
  });
  const meanwhile = call({ what: 'model' });
  await says(await shown('model'), 'accept');
  const writing = await shown('model-writes');
  await asked.promise;
  await answer(writing, 'cancel');
  expect((await meanwhile).content).toContain('did not want that');

  server.script({ blocks: [{ text: 'of mine' }] });
  const after = call({ what: 'model' });
  await says(await shown('model'), 'accept');
  await answer(await shown('model-answer'), 'decline');
  const { content, warnings } = await after;
  expect([content, warnings]).toEqual([expect.not.stringContaining('of mine'), []]);
});
