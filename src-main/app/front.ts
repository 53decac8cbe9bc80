import type { Notice } from '#contract/window/notices.js';
import { type FolderQuestion, describeFolderQuestion } from '#contract/window/folder-questions.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { app, clipboard, shell as system } from 'electron';
import type { AppSnapshot, WindowPage } from '#contract/window/app-events.js';
import { systemClock } from '../platform/clock.js';
import { RecentWorkspaces } from '../platform/data-folder/recent-workspaces.js';
import { getPendingDigest } from '../settings/folder-settings.js';
import { answerProblem, done, nothing, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import { openLink } from '../window/external.js';
import { notify, showWaitingCount } from '../window/notifications.js';
import { PageFaultLog } from '../window/page-faults.js';
import type { Shell } from './shell.js';
import { AppStream } from './state/app-stream.js';
import { NoticeBoard } from './state/notice-board.js';
import { StatusLine } from './state/status-line.js';
import { NotificationPicker } from './state/notifications.js';

/** The state that the window shows, kept here for every wing to add to. */
export interface Front {
  readonly stream: AppStream;
  readonly publish: AppStream['publish'];
  readonly notices: NoticeBoard;
  readonly status: StatusLine;
  readonly recent: RecentWorkspaces;
  /** Something that the person should know, and may put away. */
  readonly problem: (title: string, text: string) => void;
  readonly showPlace: (place: WindowPage) => void;
  readonly showLogs: () => void;
}

export function openFront(shell: Shell): Front {
  const recent = new RecentWorkspaces(shell.paths.recentWorkspaces);
  const stream = new AppStream(firstPicture(shell, recent));
  const publish: AppStream['publish'] = (event) => stream.publish(event);
  const notices = new NoticeBoard(publish);
  const status = new StatusLine(stream.snapshot().status, publish);
  if (shell.chromiumSandboxOff) notices.show(sandboxNotice);
  if (shell.openAboveData !== null) notices.show(openAboveNotice(shell.openAboveData));
  shell.config.watch(
    ({ current }) => current.tools.mode,
    (mode) => status.update({ mode }),
  );
  return {
    stream,
    publish,
    notices,
    status,
    recent,
    problem: (title, text) =>
      notices.show({ id: `problem-${title}`, severity: 'warning', title, text, details: null, dismissible: true }),
    showPlace: (place) => publish({ type: 'navigate', place }),
    showLogs: () => void system.openPath(shell.paths.logs),
  };
}

export function frontChannels({ window, config, logger }: Shell, front: Front) {
  const faults = new PageFaultLog(logger, systemClock);
  return {
    'app.snapshot': async () => done(front.stream.snapshot()),
    'app.fault': async (fault) => {
      faults.note(fault);
      return nothing;
    },
    'app.reload': async () => {
      window.reload();
      return nothing;
    },
    'app.openLink': async ({ url }) =>
      (await openLink(url)) ? nothing : refuse('refused', 'Gatehouse opens only pages of the web: http and https.'),
    'app.copyText': async ({ text }) => {
      clipboard.writeText(text);
      return nothing;
    },
    'app.setTheme': async ({ theme }) => {
      window.setTheme(theme);
      front.status.update({ theme });
      return nothing;
    },
    'notices.dismiss': async ({ id }) => {
      front.notices.dismiss(id);
      return nothing;
    },
    'notices.act': async ({ id }) => {
      if (front.notices.act(id)) return nothing;
      const digest = getPendingDigest(id);
      return answerProblem(digest === null ? 'This notice is over.' : config.useFolderSettings(digest));
    },
  } satisfies Partial<Handlers>;
}

/** Something waits: it is counted where the desktop shows that, and a person who looks elsewhere is told what. */
export function callForPerson(
  { window, demo, headless }: Pick<Shell, 'window' | 'demo' | 'headless'>,
  stream: AppStream,
  titleOf: (conversation: string) => string | null,
): void {
  if (demo === 'to-its-end' || headless) return;
  const whatToTell = new NotificationPicker(titleOf);
  let counted = 0;
  let asked: readonly string[] = [];
  /** Notifies of each question once. */
  const tellOfFolders = (questions: readonly FolderQuestion[]): void => {
    const fresh = questions.filter(({ id }) => !asked.includes(id));
    asked = questions.map(({ id }) => id);
    if (window.isFocused()) return;
    for (const question of fresh)
      notify('Open a folder?', toVisibleLine(describeFolderQuestion(question, question.folder)), () =>
        window.bringToFront(),
      );
  };
  stream.onEvent((event) => {
    const { calls, status, folderQuestions } = stream.snapshot();
    const waiting = calls.filter(({ awaiting }) => awaiting !== null).length + folderQuestions.length;
    if (waiting !== counted) {
      counted = waiting;
      window.setWaiting(waiting);
      showWaitingCount(app, window.native, waiting);
    }
    if (event.type === 'folder-questions') return tellOfFolders(event.questions);
    if (event.type !== 'approval' || window.isFocused()) return;
    const told = whatToTell.of(event.approval, status.paused);
    if (told !== null) notify(told.title, told.text, () => window.bringToFront());
  });
}

function firstPicture(
  { chromiumSandboxOff, config, window }: Shell,
  recent: RecentWorkspaces,
): Omit<AppSnapshot, 'seq'> {
  return {
    status: {
      version: app.getVersion(),
      platform: process.platform,
      chromiumSandboxOff,
      confinement: { mode: config.current.tools.run_command.confinement, available: false, problem: null },
      mode: config.current.tools.mode,
      hasSettings: config.hasPersonsFile,
      paused: [],
      given: [],
      trustedFolders: [],
      roots: {},
      journal: { state: 'ok', problem: null },
      gateway: { enabled: false, url: null, problem: null, clients: [] },
      theme: window.theme,
    },
    workspace: null,
    workspaces: [],
    recentWorkspaces: recent.list(),
    notices: [],
    approvals: [],
    calls: [],
    recovery: null,
    working: [],
    question: null,
    folderQuestions: [],
  };
}

const sandboxNotice = {
  id: 'chromium-sandbox-off',
  severity: 'warning',
  title: 'Running as root',
  text: 'Chromium’s sandbox doesn’t work as root. Start Gatehouse as a normal user.',
  details: null,
  dismissible: true,
} as const;

const openAboveNotice = (folder: string): Notice => ({
  id: 'open-above-data',
  severity: 'warning',
  title: 'Others could replace Gatehouse’s data',
  text: `Anyone on this computer can write in ${folder} and so replace Gatehouse’s data. Remove that permission (chmod o-w), or start it with another --data-dir.`,
  details: null,
  dismissible: true,
});
