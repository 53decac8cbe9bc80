import { randomBytes, randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { app, clipboard, dialog, shell } from 'electron';
import type { AppSnapshot } from '#contract/window/app-events.js';
import type { ConnectInfo } from '#contract/window/channels.js';
import type { Notice } from '#contract/window/notices.js';
import { openConfinementNotice } from './state/confinement-notice.js';
import { composeAgents } from './agents.js';
import { confirmationBook } from './confirmations.js';
import { doorsWhenWanted } from './doors-when-wanted.js';
import { composeGate } from './gate.js';
import { followHealth, showUnsettled } from './state/journal-in-window.js';
import { NoticeBoard } from './state/notice-board.js';
import { openPipeDoor } from './pipe-door.js';
import { openRecord } from './record.js';
import { StatusLine } from './state/status-line.js';
import { runnerTexts } from './runner-texts.js';
import { builtInTools, policyChanges, toolViews } from './tools.js';
import { otherRoots, refusedRoots, wideWorkspace } from './state/workspace-notices.js';
import { Workspaces } from './workspaces.js';
import { OtlpSwitch } from '../journal/telemetry/otlp-switch.js';
import { AppStream } from './state/app-stream.js';
import type { Handlers } from '../window/border/border.js';
import { makeHandlers } from '../window/border/handlers.js';
import { systemClock } from '../platform/clock.js';
import type { ConfigStore } from '../settings/config-store.js';
import { pendingOf } from '../settings/folder-settings.js';
import { settingsView } from '../settings/settings-view.js';
import { forgetUncleanGateway } from '../platform/gateway-file.js';
import { createSealer, sealingKey } from '../platform/keys/sealing.js';
import { headSigner } from '../platform/keys/head-signer.js';
import type { SystemKeyStore } from '../platform/keys/key-store.js';
import type { Logger } from '../platform/logger.js';
import type { DataPaths } from '../platform/paths.js';
import { RecentWorkspaces } from '../platform/recent-workspaces.js';
import type { AppRedactor } from '../platform/redaction/redactor.js';
import type { Secrets } from '../platform/keys/secrets.js';
import { createSystemStore } from '../platform/system-store/system-store.js';
import { createCommandRunner } from '../process/command-runner.js';
import { secretsOf } from '../process/environment/environment.js';
import { reap } from '../process/ending/reaper.js';
import { clearFolders } from '../workspace/handles/clear-folders.js';
import { openWorkspaceWatch } from '../workspace/watching/workspace-watch.js';
import { changedSince } from '../workspace/watching/changes.js';
import { openExternal } from '../window/external.js';
import type { MainWindow } from '../window/main-window.js';
import type { MenuActions } from '../window/menu.js';
import { notify, showWaiting } from '../window/notifications.js';

/** What index.ts made ready before anything of ours is built. */
export interface Shell {
  /** By its real name, and looked at; null for the welcome screen. */
  readonly workspace: string | null;
  readonly gateway: boolean;
  readonly paths: DataPaths;
  readonly redactor: AppRedactor;
  readonly logger: Logger;
  readonly window: MainWindow;
  /** Read once; `startWatching` follows the files from then on. */
  readonly config: ConfigStore;
  readonly secrets: Secrets;
  readonly keyStore: SystemKeyStore;
  /** As it was asked for: `paths.root` is where that leads. */
  readonly givenDataDir: string;
  /** A person sees the window, and it answers. */
  readonly shown: Promise<void>;
  readonly packaged: boolean;
  readonly chromiumSandboxOff: boolean;
  /** Where the built main process lies. */
  readonly built: string;
  /** How an agent starts `--mcp-stdio`. */
  readonly launcher: { readonly command: string; readonly args: readonly string[] };
}

/** What index.ts needs of the app. */
export interface App {
  readonly handlers: Handlers;
  readonly stream: AppStream;
  /** A second start handed its workspace over. */
  readonly handOver: (workspace: string | null) => void;
  readonly menu: MenuActions;
  /** False keeps the window open, and asks. */
  readonly mayClose: () => boolean;
  readonly showFault: (title: string, text: string, details: string) => void;
  /** Ends what runs and closes what is open. */
  readonly stop: () => Promise<void>;
}

/** The one place where the parts are built and joined. In the order in which they need each other. */
export async function compose(parts: Shell): Promise<App> {
  const { config, logger, paths, window } = parts;
  const recent = new RecentWorkspaces(paths.recentWorkspaces);
  const stream = new AppStream(initialSnapshot(parts, recent));
  const publish: AppStream['publish'] = (event) => stream.publish(event);
  const notices = new NoticeBoard(publish);
  const status = new StatusLine(stream.snapshot().status, publish);
  const problem = (title: string, text: string): void =>
    notices.show({ id: `problem-${title}`, severity: 'warning', title, text, details: null, dismissible: true });
  if (parts.chromiumSandboxOff) notices.show(sandboxNotice);
  if (parts.secrets.shut) {
    problem(
      'Keys that were kept can’t be opened',
      `${parts.keyStore.warning ?? ''} The history is not signed meanwhile. Was Gatehouse started with another --password-store, or under another desktop?`,
    );
  }

  const confinement = openConfinementNotice({
    status,
    notices,
    seenFile: paths.confinementSeen,
    mode: () => config.current.tools.run_command.confinement,
    now: () => systemClock.now(),
    warn: (message) => logger.warn(message),
  });

  const knowSecrets = (): void =>
    parts.redactor.know([
      ...parts.secrets.values(),
      ...secretsOf(process.env, [...config.current.tools.environment.denylist, config.current.model.api_key_env]),
    ]);
  knowSecrets();

  const sealer = createSealer(sealingKey(parts.secrets));
  const record = openRecord({
    dataDir: paths.root,
    readerEntry: pathToFileURL(join(parts.built, 'journal-reader.js')),
    clock: systemClock,
    signer: headSigner(parts.secrets),
    sealer,
    imageSealing: {
      sealer,
      forThisRun: createSealer(randomBytes(32)),
      finds: (content) => parts.redactor.finds(content),
    },
    outside: {
      store:
        parts.keyStore.missing === null
          ? createSystemStore({
              entry: join(parts.built, 'system-store.js'),
              after: parts.shown,
              log: (message, details) => logger.warn(message, { details }),
            })
          : null,
      missing: parts.keyStore.missing ?? '',
      folder: parts.givenDataDir,
      onTrouble: (words) =>
        problem(
          'An older copy of the history could not be told now',
          `How far the history reaches is kept in the system’s key store, and that can’t be done. ${words} It is tried again by itself.`,
        ),
    },
    logger,
    config: () => config.current,
    onProblem: problem,
  });
  const { registry, analyzer } = builtInTools({
    undo: record.undo,
    aside: record.aside,
    commandReaderEntry: pathToFileURL(join(parts.built, 'command-reader.js')),
    leftovers: {
      isInDoubt: (workingDirectory) => watch.isInDoubt(workingDirectory),
      mayBeShared: (workingDirectory) => commands.mayBeShared(workingDirectory),
    },
  });
  const watch = openWorkspaceWatch({
    hidden: [paths.root],
    home: homedir(),
    undo: record.commandUndo,
    copies: paths.copies,
    aside: record.aside,
    owedLooks: paths.owedLooks,
    workspace: () => (isComposed ? composed.situation().workspace : ''),
    log: (message) => logger.warn(message),
  });
  const commands = createCommandRunner({
    outputs: record.outputs,
    redactor: parts.redactor,
    hidden: [paths.root],
    watch,
    clearFolders,
    copies: paths.copies,
    onConfinement: (found) => {
      confinement.found(found);
      // What stands on a sheet is what is in force.
      if (isComposed) void composed.desk.refresh();
    },
    log: (message) => logger.warn(message),
  });
  let isComposed = false;
  const confinementTried = commands.confinement().then(() => undefined);
  const composed = composeGate({
    journal: record.journal,
    transactions: record.transactions,
    redactor: parts.redactor,
    commands,
    analyzer,
    confirmations: confirmationBook(config, (text) => problem('A confirmation could not be kept', text)),
    registry,
    clock: systemClock,
    random: Math.random,
    config: () => config.current,
    bounds: () => ({ ownRoots: config.layered.ownRoots, ownData: paths.root, ledTo: (root) => watch.ledTo(root) }),
    onRoots: (jail, workspace) => {
      notices.showOnly('roots-', refusedRoots(jail));
      status.update({ roots: otherRoots(jail.roots, workspace) });
    },
    acting: () => config.callBegins(),
    confinement: () => commands.confinementNow(),
    confinementTried,
    runnerTexts: runnerTexts(paths.runnerTexts, (message) => logger.warn(message)),
    reap,
    changedSince: async (workspace, since) => (await changedSince(workspace, since)).changed,
    putAsideAfterCrash: (callId, workspace) => watch.putAsideAfterCrash(callId, workspace),
    partialOutput: record.partialOutput,
    publish: (event) => {
      publish(event);
      if (event.type === 'approval') callForPerson(window, stream.snapshot());
      if (event.type === 'approval-gone') showWaiting(app, window.native, stream.snapshot().approvals.length);
    },
    isRevoked: (agent) => agents.register.standing(agent) === 'revoked',
    onFault: (error) => logger.error('A fault in the gate', { error }),
  });
  isComposed = true;
  const { orchestrator, recovery } = composed;
  record.journal.onCommit((events, calls) => {
    if (!sealer.available && events.some((event) => 'withheld' in event && event.withheld !== undefined)) {
      notices.show(nothingSealed(parts.keyStore.warning));
    }
    for (const call of calls) publish({ type: 'call', call });
  });
  followHealth(record.journal, status, notices);
  showUnsettled(record.journal, publish);

  let quit = (): void => app.quit();
  const workspaces = new Workspaces({
    dataDir: paths.root,
    recent,
    publish,
    enter: async (path) => {
      const before = composed.situation().workspace;
      config.setWorkspace(path);
      try {
        await composed.openWorkspace(path);
      } catch (error) {
        config.setWorkspace(before === '' ? null : before);
        throw error;
      }
      notices.showOnly('workspace-', wideWorkspace(path, paths.root));
    },
    setTitle: (name) => window.setWorkspaceTitle(name),
    busy: () => {
      const { waiting, running } = orchestrator.activity;
      if (recovery.isOpen) return 'Decide about the unfinished work first.';
      return waiting + running === 0
        ? null
        : `${waiting + running} calls wait or run in this workspace. Decide about them or stop them, then switch.`;
    },
    running: () => orchestrator.activity.running,
    quit: () => quit(),
    onProblem: (text) => problem('The workspace was not opened', text),
  });

  const agents = composeAgents({
    file: paths.agents,
    journal: record.journal,
    clock: systemClock,
    config: () => config.current,
    onProblem: (text) => problem('Agents can’t be let in', text),
    putOut: (agent) => {
      doors.disconnectAgent(agent);
      orchestrator.stopAgent(agent);
    },
  });
  forgetUncleanGateway(paths.root);
  const doors = doorsWhenWanted({
    gate: composed.gate,
    reader: () => ({
      page: (query) => record.reader.page(query),
      detail: (callId) => record.services.detail(callId),
      verify: () => record.reader.verify(),
    }),
    outputWindow: record.services.outputWindow,
    snapshot: () => stream.snapshot(),
    config: () => config.current,
    agents: agents.register,
    agentLimits: agents.limits,
    forced: parts.gateway,
    version: app.getVersion(),
    dataDir: paths.root,
    launcher: launcherFor(parts),
    testTools:
      !parts.packaged && process.env['GATEHOUSE_TEST_TOOLS'] === '1'
        ? pathToFileURL(join(parts.built, 'mcp-test-tools.js'))
        : null,
    keepEnabled: async (enabled) => saved(await config.set('gateway.enabled', enabled)),
    publish: (gateway) => status.update({ gateway }),
    report: (message, error) => logger.warn(message, { error }),
  });

  const metrics = new OtlpSwitch({
    journal: record.journal,
    version: app.getVersion(),
    onProblem: (error) => problem('Metrics could not be sent', error instanceof Error ? error.message : String(error)),
  });

  const configChanged = async (): Promise<void> => {
    notices.showOnly('config-', config.notices);
    status.configChanged(config.current);
    confinement.configChanged();
    knowSecrets();
    publish({ type: 'settings-changed' });
    try {
      await composed.configChanged();
    } catch (error) {
      problem('The allowed folders can’t be used', error instanceof Error ? error.message : String(error));
    }
    void metrics.set(config.current.telemetry.otlp_endpoint);
    await doors.configChanged();
  };
  config.onChange(() => void configChanged());

  // Before anything else can happen: what a crash left is put right, and told.
  await recovery.begin();
  if (parts.workspace !== null) {
    const refused = await workspaces.open(parts.workspace);
    if (refused !== null) problem('The workspace was not opened', refused);
  }
  notices.showOnly('config-', config.notices);
  status.configChanged(config.current);
  const pipes = openPipeDoor({
    dataDir: paths.root,
    agents: agents.register,
    doors,
    onProblem: (text) => problem('Agents can’t connect over stdio', text),
  });
  // Who reads gateway.json may come by either way: the socket listens before that stands there.
  void pipes.then(() => doors.start());
  void config.startWatching();
  void metrics.set(config.current.telemetry.otlp_endpoint);
  record.startUpkeep();

  const chooseWorkspace = async (): Promise<string | null> => {
    const { canceled, filePaths } = await dialog.showOpenDialog(window.native, {
      title: 'Open workspace',
      properties: ['openDirectory', 'createDirectory'],
    });
    const [path] = filePaths;
    return canceled || path === undefined ? null : workspaces.open(path);
  };
  const composeSession = `compose-${randomUUID()}`;

  return {
    stream,
    handlers: makeHandlers({
      app: {
        snapshot: () => stream.snapshot(),
        answer: (yes) => workspaces.answer(yes),
        openExternal,
        copyText: (text) => clipboard.writeText(text),
        setTheme: (theme) => {
          window.setTheme(theme);
          status.update({ theme });
        },
        showPlace: (place) => publish({ type: 'navigate', place }),
        dismissNotice: (id) => notices.dismiss(id),
        actOnNotice: (id) => {
          const digest = pendingOf(id);
          return digest === null ? 'This notice is over.' : config.useFolderSettings(digest);
        },
        chooseWorkspace,
        openWorkspace: (path) => workspaces.open(path),
        forgetRecent: (path) => workspaces.forget(path),
      },
      gate: {
        compose: (calls) =>
          composed.gate.submit({
            door: 'compose',
            client: null,
            agent: null,
            sessionId: composeSession,
            calls: calls.map((call) => ({ requestId: null, ...call })),
            capacityBytes: null,
            joinable: false,
          }),
        preview: (tool, args) =>
          composed.planner.preview(tool, args, { door: 'compose', agent: null }, composed.situation()),
        stopCall: (callId) => orchestrator.stopCall(callId),
        stopBatch: (batchId) => orchestrator.stopBatch(batchId),
        submitResult: (callId, result, isError) => orchestrator.submitResult(callId, result, isError),
        desk: composed.desk,
        undoPreview: (callId) => record.undo.preview(callId, composed.situation().sandbox),
        putAside: (callId) => record.aside.view(callId, composed.situation().sandbox),
        putBack: (callId, backPaths) =>
          orchestrator.submitForPerson({
            door: 'window',
            client: null,
            agent: null,
            sessionId: composeSession,
            calls: [
              {
                requestId: null,
                tool: 'put_back',
                arguments: backPaths === null ? { callId } : { callId, paths: [...backPaths] },
              },
            ],
            capacityBytes: null,
            joinable: false,
          }),
        undo: (callId, undoPaths) =>
          orchestrator.submitForPerson({
            door: 'window',
            client: null,
            agent: null,
            sessionId: composeSession,
            calls: [
              {
                requestId: null,
                tool: 'undo_changes',
                arguments: undoPaths === null ? { callId } : { callId, paths: undoPaths },
              },
            ],
            capacityBytes: null,
            joinable: false,
          }),
        decideRecovery: (choice) => recovery.decide(choice),
      },
      record: {
        ...record.services,
        exportHistory: async (format, filter) => {
          const extension = { markdown: 'md', json: 'json', jsonl: 'jsonl', cloudevents: 'jsonl' }[format];
          const { canceled, filePath } = await dialog.showSaveDialog(window.native, {
            title: 'Export history',
            defaultPath: `gatehouse-history.${extension}`,
          });
          if (canceled || filePath === '') return null;
          await record.reader.export(format, filter, filePath);
          return filePath;
        },
      },
      settings: {
        tools: () => toolViews(registry, config.current),
        setPolicy: async (tool, policy) => {
          for (const [key, value] of policyChanges(config.current.tools.approval, tool, policy)) {
            const refused = saved(await config.set(key, value));
            if (refused !== null) return refused;
          }
          return null;
        },
        settings: () => settingsView(config, parts.secrets.view),
        set: async (key, value) => saved(await config.set(key, value)),
        reset: async (key) => saved(await config.reset(key)),
        setSecret: (name, value) => {
          const refused = attempted(() => parts.secrets.set(name, value));
          knowSecrets();
          return refused;
        },
        removeSecret: (name) => {
          const refused = attempted(() => parts.secrets.remove(name));
          knowSecrets();
          return refused;
        },
        openFile: async (which) => {
          const file = { person: config.files.person, workspace: config.files.workspace, logs: paths.logs }[which];
          if (file === null) return 'No workspace is open.';
          const refused = await shell.openPath(file);
          return refused === '' ? null : `${file} could not be opened: ${refused}`;
        },
        ...agents.services,
        setGateway: (enabled) => doors.setEnabled(enabled),
        rotateToken: () => doors.rotateToken(),
        disconnect: (sessionId) => doors.disconnect(sessionId),
        connectInfo: () => doors.connectInfo(),
        testGateway: () => doors.test(),
      },
    }),
    handOver: (workspace) => void workspaces.handOver(workspace),
    menu: {
      openWorkspace: () =>
        void chooseWorkspace().then((refused) => refused !== null && problem('The workspace was not opened', refused)),
      showPlace: (place) => publish({ type: 'navigate', place }),
      openHelp: () => void openExternal('https://modelcontextprotocol.io/'),
      showLogs: () => void shell.openPath(paths.logs),
    },
    mayClose: () => workspaces.mayClose(),
    showFault: (title, text, details) =>
      notices.show({ id: 'fault', severity: 'error', title, text, details, dismissible: true }),
    stop: async () => {
      quit = () => undefined;
      await (await pipes)?.close();
      await doors.close();
      await composed.close();
      await commands[Symbol.asyncDispose]();
      await watch.close();
      await config.close();
      await metrics.set('');
      await record.close();
    },
  };
}

/** Said when it first matters. */
const nothingSealed = (warning: string | null): Notice => ({
  id: 'nothing-sealed',
  severity: 'warning',
  title: 'What looks like a secret is not kept',
  text:
    'A call held something that looks like a secret. Gatehouse can keep such things only sealed, and this system has no key ' +
    'store to seal them with: what was taken out can’t be shown later, files that hold some can’t be undone, and a call that ' +
    'waits with one ends if Gatehouse stops.',
  details: warning,
  dismissible: true,
});

function saved(result: { readonly ok: true } | { readonly ok: false; readonly problem: string }): string | null {
  return result.ok ? null : result.problem;
}

function attempted(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** An approval waits: a person who looks elsewhere is told. */
function callForPerson(window: MainWindow, { approvals }: AppSnapshot): void {
  showWaiting(app, window.native, approvals.length);
  const newest = approvals.at(-1);
  if (window.isFocused() || newest === undefined || newest.over) return;
  const who = newest.agent ?? newest.client ?? 'Compose';
  const what = newest.calls.map(({ summary }) => summary).join('\n');
  notify(`${who} waits for your decision`, what.slice(0, 300), () => window.bringToFront());
}

function launcherFor({ launcher, paths, workspace }: Shell): ConnectInfo {
  const where = workspace === null ? [] : ['--workspace', workspace];
  return {
    command: launcher.command,
    args: [...launcher.args, '--mcp-stdio', '--data-dir', paths.root, ...where],
    url: null,
    token: null,
  };
}

function initialSnapshot(parts: Shell, recent: RecentWorkspaces): Omit<AppSnapshot, 'seq'> {
  return {
    status: {
      version: app.getVersion(),
      platform: process.platform,
      chromiumSandboxOff: parts.chromiumSandboxOff,
      confinement: { mode: parts.config.current.tools.run_command.confinement, available: false, problem: null },
      mode: parts.config.current.tools.mode,
      roots: [],
      journal: { state: 'ok', problem: null },
      gateway: { enabled: false, url: null, problem: null, clients: [] },
      theme: parts.window.theme,
    },
    workspace: null,
    recentWorkspaces: recent.list(),
    notices: [],
    approvals: [],
    calls: [],
    recovery: null,
    question: null,
  };
}

const sandboxNotice = {
  id: 'chromium-sandbox-off',
  severity: 'warning',
  title: 'Chromium’s own sandbox is off',
  text: 'As root Chromium can’t sandbox itself, and with --no-sandbox it was told not to. Start it as an ordinary user, without that word, to have the sandbox.',
  details: null,
  dismissible: true,
} as const;
