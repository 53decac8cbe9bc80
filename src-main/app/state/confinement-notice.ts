import type { Config } from '#contract/vocabulary/config.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { readSmallFile, replaceSmallFile } from '../../platform/files/small-file.js';
import type { NoticeBoard } from './notice-board.js';
import type { StatusLine } from './status-line.js';

export interface ConfinementNoticeParts {
  readonly status: StatusLine;
  readonly notices: NoticeBoard;
  /** Where it is kept that commands could be confined on this machine. */
  readonly seenFile: string;
  readonly mode: () => Config['tools']['run_command']['confinement'];
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

export interface ConfinementNotice {
  found(state: ConfinementState): void;
  configChanged(): void;
}

const ID = 'commands-unconfined';

/** Tells in the window, before the first command comes, that commands can't be confined, and what to do about it. */
export function openConfinementNotice(parts: ConfinementNoticeParts): ConfinementNotice {
  let newest: ConfinementState | null = null;

  function show(): void {
    const mode = parts.mode();
    // Nobody has to be told what they chose.
    if (newest === null || newest.available || mode === 'off') return parts.notices.take(ID);
    const until =
      mode === 'required'
        ? 'Commands are refused until then.'
        : 'Until then, commands you approve can do whatever you can: your files, your keys, your network.';
    parts.notices.show({
      id: ID,
      severity: 'warning',
      title: 'Commands can’t be sandboxed',
      text: `${newest.problem ?? 'This machine has no sandbox.'} ${until}`,
      details: null,
      dismissible: true,
    });
  }

  return {
    found(state) {
      if (state.available) remember(parts);
      const before = state.available ? null : lastSeen(parts.seenFile);
      const problem = before === null ? state.problem : `They could on ${before}, and can’t now: ${state.problem}`;
      newest = { ...state, problem };
      parts.status.confinementFound(newest);
      show();
    },
    configChanged: show,
  };
}

/** The stored day, as a person writes one, since nothing else is in the file. */
function lastSeen(file: string): string | null {
  const text = readSmallFile(file);
  return text === null ? null : (/^\d{4}-\d{2}-\d{2}$/mu.exec(text)?.[0] ?? 'an earlier day');
}

function remember({ seenFile, now, warn }: ConfinementNoticeParts): void {
  const today = new Date(now()).toISOString().slice(0, 10);
  if (lastSeen(seenFile) === today) return;
  try {
    replaceSmallFile(seenFile, `${today}\n`);
  } catch (error) {
    warn(`That commands can be confined could not be kept: ${String(error)}`);
  }
}
