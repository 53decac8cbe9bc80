import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AppEventBody, AppStatus } from '#contract/window/app-events.js';
import type { Config } from '#contract/vocabulary/config.js';
import { openConfinementNotice } from './confinement-notice.js';
import { NoticeBoard } from './notice-board.js';
import { StatusLine } from './status-line.js';

function opened(file: string, day = '2026-11-19') {
  const shown = new Map<string, string>();
  let mode: Config['tools']['run_command']['confinement'] = 'preferred';
  let problem: string | null = null;
  const publish = (event: AppEventBody): void => {
    if (event.type === 'status') ({ problem } = event.status.confinement);
    if (event.type === 'notice') shown.set(event.notice.id, event.notice.text);
    if (event.type === 'notice-gone') shown.delete(event.id);
  };
  const status = new StatusLine({ confinement: { mode, available: false, problem: null } } as AppStatus, publish);
  const notice = openConfinementNotice({
    status,
    notices: new NoticeBoard(publish),
    seenFile: file,
    mode: () => mode,
    now: () => Date.parse(`${day}T10:00:00Z`),
    warn: (message) => {
      throw new Error(message);
    },
  });
  const set = (to: typeof mode): void => {
    mode = to;
    notice.configChanged();
  };
  return { notice, shown, problem: () => problem, set, text: () => [...shown.values()].join() };
}

function seenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-seen-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'confinement-seen');
}

const missing = { available: false, problem: 'bubblewrap is not installed. Install the package “bubblewrap”.' };

it('that commands can’t be confined is said before the first one, and gone when they can be', () => {
  const { notice, shown, text, set } = opened(seenFile());
  notice.found(missing);
  expect(text()).toContain('Install the package “bubblewrap”. Until then, commands you approve can do whatever');
  set('required');
  expect(text()).toContain('Commands are refused until then.');
  set('off');
  expect(shown.size, 'the person’s own choice').toBe(0);
  set('preferred');
  expect(shown.size).toBe(1);
  notice.found({ available: true, problem: null });
  expect(shown.size).toBe(0);
});

it('a machine that could once and now can’t says so, on the sheet too', () => {
  const file = seenFile();
  opened(file, '2026-10-02').notice.found({ available: true, problem: null });
  const later = opened(file);
  later.notice.found(missing);
  expect(later.text()).toContain('They could on 2026-10-02, and can’t now: bubblewrap is not installed.');
  expect(later.problem()).toContain('They could on 2026-10-02');
  writeFileSync(file, 'nonsense');
  const third = opened(file);
  third.notice.found(missing);
  expect(third.text()).toContain('They could on an earlier day');
});
