import type { AppStatus, WindowPage } from '#contract/window/app-events.js';
import { WINDOW_PAGE_TITLES, WINDOW_PAGES } from '#contract/window/app-events.js';
import { describeCallStatus } from '#contract/vocabulary/call-labels.js';
import { type CallerIdentity, parsePauseKey, buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';

/** Something that the person can do from anywhere. */
export interface PaletteAction {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  /** Words that it is found by besides its label. */
  readonly words: string;
  readonly about: string | null;
  readonly run: () => void;
}

export interface SettingFound {
  readonly key: string;
  readonly label: string;
  readonly section: string;
}

/** An agent that is connected, or paused. */
export interface PausableAgent {
  readonly by: string;
  readonly who: CallerIdentity;
  readonly name: string;
  readonly isPaused: boolean;
}

/** The things to act on. */
export interface PaletteTargets {
  readonly agents: readonly PausableAgent[];
  readonly calls: readonly CallSummary[];
  readonly folders: readonly { readonly path: string; readonly name: string }[];
  readonly recent: readonly { readonly path: string; readonly name: string }[];
  readonly waiting: readonly { readonly batchId: string }[];
  readonly settings: readonly SettingFound[];
  /** Conversations of the folder that is shown, and those of them that work now. */
  readonly conversations: readonly { readonly id: string; readonly title: string }[];
  readonly working: readonly string[];
}

export interface PaletteHandlers {
  readonly goTo: (place: WindowPage, anchor?: string) => void;
  readonly openCall: (callId: string) => void;
  readonly showSheet: (batchId: string) => void;
  readonly chooseFolder: () => void;
  readonly showFolder: (path: string) => void;
  readonly openFolder: (path: string) => void;
  readonly stop: (callIds: readonly string[]) => void;
  readonly pause: (agents: readonly CallerIdentity[]) => void;
  readonly resume: (agents: readonly CallerIdentity[]) => void;
  readonly showShortcuts: () => void;
  /** Null: a new one. */
  readonly showConversation: (id: string | null) => void;
  readonly stopConversation: (id: string) => void;
}

/**
 * Lists agents that can be paused, each once: those that are connected, and those that were paused before they left.
 */
export function listPausableAgents({
  gateway,
  paused,
}: Pick<AppStatus, 'gateway' | 'paused'>): readonly PausableAgent[] {
  const isPaused = new Set(paused);
  const connected = gateway.clients.map(({ agent, name }): CallerIdentity => ({
    door: 'mcp',
    agent,
    client: agent === null ? name : null,
  }));
  const left = paused.flatMap((by) => parsePauseKey(by) ?? []);
  const found = new Map<string, PausableAgent>();
  for (const who of [...connected, ...left]) {
    const by = buildPauseKey(who);
    if (by !== null) found.set(by, { by, who, name: who.agent ?? who.client ?? by, isPaused: isPaused.has(by) });
  }
  return [...found.values()];
}

/** The only list of what the palette offers. */
export function listActions(things: PaletteTargets, acts: PaletteHandlers): readonly PaletteAction[] {
  const running = things.calls.filter(({ display }) => display === 'executing').map(({ callId }) => callId);
  const [sheet] = things.waiting;
  const open = new Set(things.folders.map(({ path }) => path));
  return [
    ...(sheet === undefined
      ? []
      : [
          action('review', 'Actions', 'Review what waits for you', 'approve deny', () => acts.showSheet(sheet.batchId)),
        ]),
    ...(running.length === 0
      ? []
      : [
          action('stop-all', 'Actions', 'Stop all running calls', 'cancel end', () => acts.stop(running), {
            about: running.length === 1 ? '1 call' : `${running.length} calls`,
          }),
        ]),
    ...buildPauseActions(things.agents, acts),
    ...buildConversationActions(things, acts),
    action('open-folder', 'Actions', 'Open folder…', 'workspace', acts.chooseFolder),
    action('shortcuts', 'Actions', 'Keyboard shortcuts', 'keys help', acts.showShortcuts),
    ...WINDOW_PAGES.map((place) =>
      action(`place ${place}`, 'Places', WINDOW_PAGE_TITLES[place], 'go to', () => acts.goTo(place)),
    ),
    ...things.folders.map(({ path, name }) =>
      action(`folder ${path}`, 'Folders', name, `workspace ${path}`, () => acts.showFolder(path), { about: path }),
    ),
    ...things.recent
      .filter(({ path }) => !open.has(path))
      .map(({ path, name }) =>
        action(`recent ${path}`, 'Folders', name, `open ${path}`, () => acts.openFolder(path), { about: path }),
      ),
    ...things.conversations.map(({ id, title }) =>
      action(`conversation ${id}`, 'Conversations', title, 'talk chat', () => acts.showConversation(id)),
    ),
    ...things.settings.map(({ key, label, section }) =>
      action(`setting ${key}`, 'Settings', label, `${section} ${key}`, () => acts.goTo('settings', key), {
        about: section,
      }),
    ),
    ...things.calls.map((call) =>
      action(
        `call ${call.callId}`,
        'Calls',
        call.summary,
        `${call.tool} ${call.callId}`,
        () => acts.openCall(call.callId),
        {
          about: `${call.tool} · ${describeCallStatus(call)}`,
        },
      ),
    ),
  ];
}

function buildPauseActions(agents: readonly PausableAgent[], acts: PaletteHandlers): readonly PaletteAction[] {
  const at = (isPaused: boolean) => agents.filter((agent) => agent.isPaused === isPaused);
  const all = (
    isPaused: boolean,
    id: string,
    label: string,
    act: PaletteHandlers['pause'],
  ): readonly PaletteAction[] => {
    const those = at(isPaused);
    if (those.length === 0) return [];
    const about = those.length === 1 ? '1 agent' : `${those.length} agents`;
    return [action(id, 'Actions', label, 'agent hold wait', () => act(those.map(({ who }) => who)), { about })];
  };
  return [
    ...all(false, 'pause-all', 'Pause all connected agents', acts.pause),
    ...all(true, 'resume-all', 'Resume all paused agents', acts.resume),
    ...agents.map(({ by, who, name, isPaused }) =>
      action(
        `pause ${by}`,
        'Agents',
        `${isPaused ? 'Resume' : 'Pause'} ${name}`,
        'agent hold wait',
        () => (isPaused ? acts.resume([who]) : acts.pause([who])),
        { about: isPaused ? 'its calls wait' : null },
      ),
    ),
  ];
}

const buildConversationActions = (
  { folders, conversations, working }: PaletteTargets,
  acts: PaletteHandlers,
): readonly PaletteAction[] => [
  ...(folders.length === 0
    ? []
    : [
        action('new-conversation', 'Actions', 'New conversation', 'talk chat model', () => acts.showConversation(null)),
      ]),
  ...conversations
    .filter(({ id }) => working.includes(id))
    .map(({ id, title }) =>
      action(
        `stop-conversation ${id}`,
        'Actions',
        'Stop this conversation',
        'cancel end',
        () => acts.stopConversation(id),
        { about: title },
      ),
    ),
];

const action = (
  id: string,
  group: string,
  label: string,
  words: string,
  run: () => void,
  { about = null }: { readonly about?: string | null } = {},
): PaletteAction => ({ id, group, label, words, about, run });

const MAX_FOUND = 50;
/** Groups that are listed before anything is typed: only what a person may be looking for. */
const INITIAL_GROUPS: ReadonlySet<string> = new Set(['Actions', 'Agents', 'Places', 'Folders']);
const CALL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Finds actions that hold every word, the ones whose label begins with them first; a whole id finds any call. */
export function findActions(
  all: readonly PaletteAction[],
  typed: string,
  openCall: PaletteHandlers['openCall'],
): readonly PaletteAction[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return all.filter(({ group }) => INITIAL_GROUPS.has(group));
  const words = text.split(/\s+/u);
  const found = all.filter((each) => {
    const held = `${each.label} ${each.words}`.toLowerCase();
    return words.every((word) => held.includes(word));
  });
  const begins = ({ label }: PaletteAction): number => (label.toLowerCase().startsWith(text) ? 0 : 1);
  const sorted = found.toSorted((one, other) => begins(one) - begins(other)).slice(0, MAX_FOUND);
  if (sorted.length > 0 || !CALL_ID.test(text)) return sorted;
  return [action(`call ${text}`, 'Calls', 'Open this call', text, () => openCall(text), { about: text })];
}
