import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AppEventBody } from '#contract/window/app-events.js';
import { OpenWorkspaces } from '../../../platform/data-folder/open-workspaces.js';
import { RecentWorkspaces } from '../../../platform/data-folder/recent-workspaces.js';
import { foldersAtDoors } from '../../doors/folders-at-doors.js';
import { defaultConfig } from '../../../tests/gate/default-config.test-support.js';
import { Workspaces } from './workspaces.js';

function room() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-workspaces-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => join(root, name);
  for (const name of ['data', 'one', 'two', 'three']) mkdirSync(at(name));
  return { root, at };
}

function start({ at }: ReturnType<typeof room>) {
  const told: AppEventBody[] = [];
  const problems: string[] = [];
  const entered: string[] = [];
  const calls = new Map<string, number>();
  const state = { recovering: false };
  const workspaces = new Workspaces({
    dataDir: at('data'),
    recent: new RecentWorkspaces(at('data/recent.json')),
    kept: new OpenWorkspaces(at('data/open.json'), (error) => problems.push(String(error))),
    publish: (event) => told.push(event),
    enter: async (path) => {
      if (path === at('three')) throw new Error('It can’t be entered.');
      entered.push(path);
    },
    leave: (path) => void entered.splice(entered.indexOf(path), 1),
    onShown: () => undefined,
    callsIn: (path) => calls.get(path) ?? 0,
    isRecovering: () => state.recovering,
    running: () => 0,
    quit: () => undefined,
    onProblem: (text) => problems.push(text),
  });
  const question = () => told.findLast((event) => event.type === 'question')?.question ?? null;
  return { workspaces, told, problems, entered, calls, state, question };
}

it('opens beside what is open, once each, and shows what was asked for last', async () => {
  const place = room();
  const { workspaces, told, entered } = start(place);
  const [one, two] = [place.at('one'), place.at('two')];
  expect(await workspaces.openBeside(one)).toBeNull();
  expect(workspaces.current).toBe(one);
  expect(await workspaces.openBeside(two)).toBeNull();
  expect(workspaces.current).toBe(one);
  expect(await workspaces.openAndShow(two)).toBeNull();
  expect(workspaces.current).toBe(two);
  await Promise.all([workspaces.openBeside(one), workspaces.openBeside(one)]);
  expect([workspaces.open, entered]).toEqual([
    [one, two],
    [one, two],
  ]);
  expect(told.at(-1)).toMatchObject({
    workspace: { path: two, name: 'two' },
    workspaces: [{ path: one }, { path: two }],
  });
  expect(workspaces.show(one)).toBeNull();
  expect(workspaces.current).toBe(one);
});

it('what can’t be opened leaves all as it was, and says why', async () => {
  const place = room();
  const { workspaces, problems } = start(place);
  await workspaces.openBeside(place.at('one'));
  expect(await workspaces.openAndShow(place.at('three'))).toBe('It can’t be entered.');
  expect(await workspaces.openAndShow(place.at('none'))).toContain('there is nothing there');
  expect(await workspaces.openAndShow(place.at('data'))).toContain('own data folder');
  await workspaces.handOver(place.at('none'));
  expect(problems).toHaveLength(1);
  expect([workspaces.open, workspaces.current]).toEqual([[place.at('one')], place.at('one')]);
  expect(workspaces.show(place.at('two'))).toContain('not open');
});

it('closing asks where calls wait or run, and shows the next tab, or the last', async () => {
  const place = room();
  const { workspaces, entered, calls, state, question } = start(place);
  const [one, two] = [place.at('one'), place.at('two')];
  for (const path of [one, two]) await workspaces.openBeside(path);
  calls.set(one, 2);
  expect(workspaces.close(one)).toBeNull();
  expect(question()).toEqual({ kind: 'close-workspace', path: one, calls: 2 });
  workspaces.answer(false);
  expect([workspaces.open, question()]).toEqual([[one, two], null]);
  workspaces.close(one);
  workspaces.answer(true);
  expect([workspaces.open, workspaces.current, entered]).toEqual([[two], two, [two]]);
  state.recovering = true;
  expect(workspaces.close(two)).toContain('unfinished work');
  state.recovering = false;
  workspaces.close(two);
  expect([workspaces.open, workspaces.current, entered]).toEqual([[], '', []]);
});

it('after a crash all that were open are open again, and what is gone is told; after a clean end nothing is', async () => {
  const place = room();
  const [one, two] = [place.at('one'), place.at('two')];
  const before = start(place).workspaces;
  for (const path of [one, two]) await before.openBeside(path);
  before.show(two);

  const after = start(place);
  await after.workspaces.begin(null);
  expect([after.workspaces.open, after.workspaces.current]).toEqual([[one, two], two]);

  rmSync(two, { recursive: true });
  const again = start(place);
  await again.workspaces.begin(one);
  expect([again.workspaces.open, again.workspaces.current]).toEqual([[one], one]);
  expect(again.problems).toEqual([expect.stringContaining(two)]);
  again.workspaces.end();

  const clean = start(place);
  await clean.workspaces.begin(null);
  expect(clean.workspaces.open).toEqual([]);
  writeFileSync(place.at('data/open.json'), '{"open": 7}');
  await start(place).workspaces.begin(null);
});

it('a door finds an open folder by any of its names, and what is closed, missing or another’s not at all', async () => {
  const place = room();
  const { workspaces } = start(place);
  const [one, two] = [place.at('one'), place.at('two')];
  const umlaut = place.at('größe');
  mkdirSync(umlaut);
  symlinkSync(one, place.at('link'));
  const config = { own: defaultConfig() };
  const clients = [{ name: 'limited', access: 'normal' as const, folders: [two] }];
  config.own = { ...config.own, gateway: { ...config.own.gateway, clients } };
  const doors = foldersAtDoors(workspaces, config);
  expect(await doors.resolveSessionFolder(null, null)).toBe('');
  for (const path of [one, umlaut]) await workspaces.openBeside(path);
  expect(await doors.resolveSessionFolder(null, null)).toBe(one);
  expect(await doors.resolveSessionFolder(place.at('link'), null)).toBe(one);
  expect(await doors.resolveSessionFolder(`${one}/../one/`, null)).toBe(one);
  // As Node reads a header that holds UTF-8.
  expect(await doors.resolveSessionFolder(Buffer.from(umlaut).toString('latin1'), null)).toBe(umlaut);
  for (const none of [two, place.at('none'), 'one', '', `${one}\0`])
    expect(await doors.resolveSessionFolder(none, null)).toBeNull();
  expect([doors.mayUse('limited', one), doors.mayUse('limited', two), doors.mayUse(null, one)]).toEqual([
    false,
    true,
    true,
  ]);
  expect([await doors.resolveSessionFolder(null, 'limited'), await doors.resolveSessionFolder(one, 'limited')]).toEqual(
    [null, null],
  );

  expect(await doors.openBeside(one, 'limited')).toBeNull();
  expect(await doors.openBeside(place.at('none'), null)).toBeNull();
  expect(await doors.openBeside(place.at('three'), null)).toEqual({ problem: 'It can’t be entered.' });
  expect(await doors.openBeside(two, 'limited')).toEqual({ path: two });
  expect([workspaces.open, workspaces.current]).toEqual([[one, umlaut, two], one]);
});
