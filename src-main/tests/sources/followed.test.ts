import { expect, it } from 'vitest';
import { SOURCE_DEFAULTS, type SourceConfig } from '#contract/vocabulary/tools/sources.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { type AcceptedSource, NOTHING_ACCEPTED } from '../../tools/sources/catalog/source-acceptance.js';
import { FollowedSource } from '../../tools/sources/catalog/followed-source.js';
import { operation, Scripted } from './scripted-source.test-support.js';

const settings = { ...SOURCE_DEFAULTS, kind: 'mcp', url: 'https://x.example', definitions: 'ask' } as SourceConfig;

function followed(
  scripted: Scripted,
  accepted: AcceptedSource = NOTHING_ACCEPTED,
  keep: (accepted: AcceptedSource) => void = () => undefined,
) {
  let changes = 0;
  const made = new FollowedSource({
    name: 'src',
    settings,
    source: scripted.make({ name: 'src', settings, dataFolder: '/nowhere' }),
    accepted,
    rules: () => ({ maxVersions: 5, warningDays: 90, now: 0 }),
    keep,
    keepOutput: () => Promise.reject(new Error('nothing is kept here')),
    confinementTried: async () => undefined,
    mayBeWritten: () => false,
    onChange: () => (changes += 1),
  });
  return { made, changes: () => changes };
}
const noName = () => null;
const yesTo = (made: FollowedSource) => made.accept(made.review(noName)?.digest ?? '', null, noName);

async function acceptedOf(scripted: Scripted): Promise<AcceptedSource> {
  const { made } = followed(scripted);
  await made.refresh();
  yesTo(made);
  return made.accepted;
}

it('a yes counts once it is kept, and where it can’t be kept not at all', async () => {
  const seen: (readonly string[])[] = [];
  const first = followed(new Scripted(operation('a')), NOTHING_ACCEPTED, () => {
    seen.push([...first.made.accepted.tools.keys()]);
    throw new Error('The disk is full.');
  });
  await first.made.refresh();
  expect(() => yesTo(first.made)).toThrow('The disk is full.');
  expect(seen).toEqual([[]]);
  expect(first.made.standing).toEqual([]);
  expect(first.made.waiting).toHaveLength(1);
});

it('what is another server by now is not even asked for a call; a yes to it is said to be to other tools', async () => {
  const accepted = await acceptedOf(new Scripted(operation('a'), operation('b')));
  const other = new Scripted(operation('a'));
  other.identity = { command: 'another' };
  const { made } = followed(other, accepted);
  const [tool] = accepted.tools.values();
  if (tool === undefined) expect.fail();
  const context = { callId: 'c', signal: new AbortController().signal } as never;
  const failure = await made.call(tool, {}, context).catch((error: unknown) => error);
  expect(failure instanceof ToolFailure && failure.failure.code).toBe('ToolChanged');
  expect([other.asked, other.calls]).toEqual([0, []]);
  await made.refresh();
  // Rules for them end, though each says the same of itself.
  expect(yesTo(made)?.map(({ operation: { operation: name } }) => name)).toEqual(['a', 'b']);
});

it('when it is closed, nothing that it says is followed any more', async () => {
  const scripted = new Scripted(operation('a'));
  const { made, changes } = followed(scripted);
  await made.refresh();
  await made.close();
  const [asked, told] = [scripted.asked, changes()];
  scripted.changes.tell();
  await new Promise(setImmediate);
  expect([scripted.asked, changes()]).toEqual([asked, told]);
});
