import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkspaceWatch } from './workspace-watch.js';

const MAY = { mayLeave: { git: false, gitCommands: null, named: ['.envrc'] }, unasked: null, names: [], isHeld: false };

function watching(folders: readonly string[]) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-nested-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const watch = openWorkspaceWatch({
    hidden: [],
    home: base,
    // Who waits for a turn asks neither.
    undo: {} as never,
    quarantine: {} as never,
    copies: join(base, 'copies'),
    pendingChecksFolder: join(base, 'owed'),
    folders: () => folders,
    log: (message) => expect.fail(message),
  });
  const order: string[] = [];
  const turn = (root: string, until: Promise<void>): Promise<void> =>
    watch.runInTurn(root, MAY, new AbortController().signal, async () => {
      order.push(`${root} begins`);
      await until;
      order.push(`${root} ends`);
    });
  return { order, turn };
}

it('commands in folders that lie in one another take turns as if in one; in others they do not', async () => {
  const { order, turn } = watching(['/w', '/w/sub', '/other']);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const [outer, inner, other] = [
    turn('/w', over),
    turn('/w/sub', Promise.resolve()),
    turn('/other', Promise.resolve()),
  ];
  await other;
  expect(order).toEqual(['/w begins', '/other begins', '/other ends']);
  end();
  await Promise.all([outer, inner]);
  expect(order.slice(3)).toEqual(['/w ends', '/w/sub begins', '/w/sub ends']);
});
