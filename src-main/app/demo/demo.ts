import { app } from 'electron';
import type { ConversationMessage, ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { ConversationLoops } from '../../conversation/loop/conversation-loops.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Record } from '../record.js';
import type { Shell } from '../shell.js';
import { createDemoFolders, demoSampleFolder } from '../../platform/files/demo-folders.js';
import type { Workspaces } from '../state/folders/workspaces.js';
import { approveAll } from './decide-all.js';
import { DemoTour } from './demo-tour.js';
import { auditLine, judgeDemo } from './transcript.js';

export interface DemoParts {
  readonly record: Record;
  readonly gate: Pick<ComposedGate, 'desk'>;
  readonly workspaces: Workspaces;
  readonly conversations: { readonly loops: Pick<ConversationLoops, 'of'> };
  readonly undo: Handlers['undo.apply'];
}

/** The scripted tour: where the app was started for it, and where the person asks for it. */
export function openDemo(shell: Shell, front: Front, parts: DemoParts) {
  const { gate, record, workspaces } = parts;
  const { workspace } = shell;
  /** The person decides. */
  const playIn = (folder: string): ConversationSummary => {
    const begun = record.conversations.begin(folder, true);
    front.showPlace('conversation');
    const tour = tourOf(front, parts, () => undefined);
    tour.play(begun.id).catch((error: unknown) => front.problem('The demo broke off', String(error)));
    return begun;
  };
  const played = new Set(shell.demo === null || workspace === null ? [] : [workspace]);
  if (shell.demo === 'in-window' && workspace !== null) void shell.shown.then(() => playIn(workspace));
  return {
    /** Forgets its folders, which go with the process: nobody is offered them again. */
    close: (): void => {
      for (const folder of played) workspaces.forget(folder);
    },
    /** Decided by script, with a transcript; the exit code. */
    playToItsEnd: async (print: (line: string) => void): Promise<0 | 1> => {
      const tour = tourOf(front, parts, print);
      const stop = approveAll({
        onEvent: (listener) => front.stream.onEvent(listener),
        approvals: () => front.stream.snapshot().approvals,
        decide: (message) => gate.desk.decide(message),
        after: (ms, run) => void setTimeout(run, ms),
      });
      await tour.play(record.conversations.begin(workspace ?? '', true).id);
      stop();
      const audit = await record.reader.verify();
      const { lines, exitCode } = judgeDemo(tour.calls, audit, tour.isWhole);
      for (const line of [...lines.slice(0, -1), auditLine(audit), ...lines.slice(-1)]) print(line);
      return exitCode;
    },
    handlers: {
      'demo.begin': async () => {
        const place = createDemoFolders(demoSampleFolder(app.getAppPath()));
        if ('problem' in place) return refuse('refused', place.problem);
        process.once('exit', place.remove);
        played.add(place.workspace);
        const problem = await workspaces.openAndShow(place.workspace);
        return problem === null ? done(playIn(place.workspace)) : refuse('refused', problem);
      },
    } satisfies Partial<Handlers>,
  };
}

function tourOf(
  front: Front,
  { record, conversations: { loops }, undo }: DemoParts,
  print: (line: string) => void,
): DemoTour {
  const { conversations } = record;
  return new DemoTour({
    say: (id, text) =>
      loops.of(id).say({
        parts: [{ kind: 'text', text }],
        insteadOf: null,
        unsent: { text, files: [], pictures: [] },
      }),
    messages: (id) =>
      conversations.branch(id).flatMap((each): readonly ConversationMessage[] => {
        const view = conversations.view(each.id);
        return view === null ? [] : [view];
      }),
    detail: record.detail,
    undo: (callId) => undo({ callId }),
    onEvent: (listener) => front.stream.onEvent(listener),
    print,
  });
}
